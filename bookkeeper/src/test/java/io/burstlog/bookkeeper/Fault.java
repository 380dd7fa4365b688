// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

/** Disturbs all rings of a round of {@link KillCopy}. In the end all hosts are killed in any case. */
enum Fault {
    NOTHING(Way.NONE, 0, 0, 0),
    ANOTHER_COPIER_BEGINS(Way.FENCE, 0, 0, 0),
    COPY_IS_TAKEN_OVER(Way.TAKE_OVER, 0, 0, 0),
    ONE_BOOKIE_DIES(Way.DIE, 1, 0, 1500),
    TWO_BOOKIES_DIE(Way.DIE, 2, 0, 1500),
    ONE_BOOKIE_IS_CUT_SHORTLY(Way.CUT, 1, 50, 1500),
    ONE_BOOKIE_IS_CUT_LONG(Way.CUT, 1, Fault.LONG_MILLIS, 6000),
    TWO_BOOKIES_ARE_CUT_SHORTLY(Way.CUT, 2, 50, 1500),
    TWO_BOOKIES_ARE_CUT_LONG(Way.CUT, 2, Fault.LONG_MILLIS, 6000),
    HOSTS_ARE_CUT_SHORTLY(Way.CUT_HOSTS, 0, 50, 1500),
    HOSTS_ARE_CUT_LONG(Way.CUT_HOSTS, 0, Fault.LONG_MILLIS, 6000),
    HOSTS_ARE_CUT_AND_REPLACED(Way.REPLACE_HOSTS, 0, 50, 6000),
    ONE_DISK_IS_NEARLY_FULL(Way.NEARLY_FILL, 1, 0, 1500),
    TWO_DISKS_ARE_NEARLY_FULL(Way.NEARLY_FILL, 2, 0, 1500),
    ONE_DISK_IS_FULL(Way.FILL, 1, 0, 1500),
    TWO_DISKS_ARE_FULL(Way.FILL, 2, 0, 1500);

    /** A way to disturb bookies or hosts. */
    enum Way {
        NONE,
        FENCE,
        TAKE_OVER,
        DIE,
        CUT,
        CUT_HOSTS,
        REPLACE_HOSTS,
        NEARLY_FILL,
        FILL;

        /** {@return whether each node must be a namespace} */
        boolean wantsNamespaces() {
            return compareTo(CUT) >= 0;
        }
    }

    /** Longer than BookKeeper's client of a host waits for an answer. */
    private static final int LONG_MILLIS = 2500;

    final Way way;

    /** So many bookies have it at the same time. */
    final int bookies;

    final int leastMillis;
    final int mostMillis;

    Fault(Way way, int bookies, int leastMillis, int mostMillis) {
        this.way = way;
        this.bookies = bookies;
        this.leastMillis = leastMillis;
        this.mostMillis = mostMillis;
    }

    /** {@return whether hosts find the copy away, however short it is} */
    boolean isSurelySeen() {
        return bookies == 2 && way != Way.CUT || leastMillis >= LONG_MILLIS && bookies != 1;
    }
}
