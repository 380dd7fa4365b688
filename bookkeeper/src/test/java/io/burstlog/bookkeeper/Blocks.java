// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.ConsumedRecords.Kind;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;

/** Blocks of records whose text is "record N". */
final class Blocks {

    static final String FOLDER = "000102030405060708090a0b0c0d0e0f";
    static final String OTHER_FOLDER = "000102030405060708090a0b0c0d0eff";
    static final String RING = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

    private Blocks() {}

    static Block.Entry record(long number) {
        return new Block.Entry(
                Kind.RECORD, number, 1000 + number, 77, 1, ByteBuffer.wrap(("record " + number).getBytes(UTF_8)));
    }

    static Block.Entry missing(long first, long last) {
        return new Block.Entry(Kind.MISSING, last, 0, 0, last - first + 1, ByteBuffer.allocate(0));
    }

    static Block of(Block.Entry... entries) {
        return Block.of(FOLDER, RING, List.of(entries));
    }

    static Block of(long first, long last) {
        return of(LongStream.rangeClosed(first, last).mapToObj(Blocks::record).toArray(Block.Entry[]::new));
    }

    static String text(Block.Entry entry) {
        return UTF_8.decode(entry.data().duplicate()).toString();
    }

    static LedgerNote note(long first) {
        return new LedgerNote(LedgerNote.Kind.COPY, FOLDER, "orders", RING, first, 0, "one");
    }
}
