// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import java.io.IOException;
import java.util.List;

/**
 * Puts the blocks of a folder's ledgers together: each record once, in the order of their numbers. From the first
 * number of a ledger on it counts alone, and not the ledgers before.
 */
final class Recovery {

    private final Sink sink;
    private long last;
    private boolean isBegun;

    /** Gets what is recovered. */
    interface Sink {

        /** Gets the next record. */
        void record(Block.Entry record) throws IOException;

        /** Hears that the ledgers lack records of these numbers. */
        void gap(long first, long last);
    }

    /** A ledger with its blocks. */
    interface Source {
        LedgerNote note();

        void read(Reader reader) throws IOException, InterruptedException;
    }

    /** Gets blocks. */
    interface Reader {
        void block(Block block) throws IOException;
    }

    private Recovery(Sink sink) {
        this.sink = sink;
    }

    /**
     * Reads all ledgers.
     *
     * @param chain the ledgers by their epochs
     * @return the last number; 0: there is none
     */
    static long run(List<? extends Source> chain, Sink sink) throws IOException, InterruptedException {
        Recovery recovery = new Recovery(sink);
        for (int i = 0; i < chain.size(); i++) {
            if (chain.get(i).note().kind() == LedgerNote.Kind.COPY) {
                long end = firstBehind(chain, i);
                chain.get(i).read(block -> recovery.take(block, end));
            }
        }
        return recovery.last;
    }

    /** {@return the first number that a later ledger has} */
    private static long firstBehind(List<? extends Source> chain, int place) {
        return chain.stream()
                .skip(place + 1)
                .map(Source::note)
                .filter(note -> note.kind() == LedgerNote.Kind.COPY)
                .mapToLong(LedgerNote::first)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private void take(Block block, long end) throws IOException {
        for (Block.Entry each : block.entries()) {
            if (each.number() < end && each.number() > last) {
                if (isBegun && each.first() > last + 1) {
                    sink.gap(last + 1, each.first() - 1);
                }
                sink.record(each);
                last = each.number();
                isBegun = true;
            }
        }
    }
}
