// SPDX-License-Identifier: Apache-2.0
/**
 * The second copy of a log, on other hosts: a copier hands the records of a ring to a store while the ring's own write
 * is under way. A copy is the same in every store.
 */
package io.burstlog.copy;
