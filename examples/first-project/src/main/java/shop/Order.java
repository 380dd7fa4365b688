// SPDX-License-Identifier: Apache-2.0
package shop;

/** A customer's order. */
record Order(int number, String article) {}
