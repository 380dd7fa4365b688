// SPDX-License-Identifier: Apache-2.0
package shop;

/** One of a customer. */
record Order(int number, String article) {}
