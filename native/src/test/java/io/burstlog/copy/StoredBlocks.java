// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** A copy in memory, and blocks for it whose records say "record N\n", or another text. */
final class StoredBlocks implements CopyStore {

    private final List<CopyBlock> blocks = new ArrayList<>();
    private boolean losesTheFirst;

    StoredBlocks add(CopyBlock block) {
        blocks.add(block);
        return this;
    }

    StoredBlocks add(long first, long last) {
        return add(block(1, "record", first, last));
    }

    StoredBlocks mark(long first) {
        return add(CopyBlock.mark(RingRecords.RING, first, 1));
    }

    /** As a topic does whose retention deletes the oldest. */
    StoredBlocks losingTheFirstWhenReadAgain() {
        losesTheFirst = true;
        return this;
    }

    static CopyBlock block(int stream, String text, long first, long last) {
        RingRecords records = RingRecords.from(first);
        for (long i = first; i <= last; i++) {
            records.add(stream, text + " " + i + "\n");
        }
        return records.block();
    }

    /** {@return what the records of such blocks say, one behind the other} */
    static String lines(String text, long first, long last) {
        return LongStream.rangeClosed(first, last)
                .mapToObj(each -> text + " " + each + "\n")
                .collect(Collectors.joining());
    }

    @Override
    public void readBack(Reader reader) throws IOException {
        for (CopyBlock each : blocks) {
            reader.block(CopyBlock.read(ByteBuffer.wrap(each.bytes()), "a block"));
        }
        if (losesTheFirst) {
            blocks.remove(0);
        }
    }

    @Override
    public CopyBlock fence() {
        throw new AssertionError("recovery fences nobody");
    }

    @Override
    public void send(CopyBlock block, Runnable acknowledged) {
        throw new AssertionError("recovery sends nothing");
    }

    @Override
    public void check() {}

    @Override
    public CopyPlace place() {
        return new CopyPlace(CopyPlace.Medium.MEMORY, 1, 1, "tests");
    }

    @Override
    public void close() {}
}
