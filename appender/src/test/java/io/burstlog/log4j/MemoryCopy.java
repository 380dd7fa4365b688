// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import io.burstlog.copy.CopyBlock;
import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopyProvider;
import io.burstlog.copy.CopyStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Pretends that burstlog-bookkeeper is there, while a test wants that: a copy in the memory of this JVM, which a test
 * makes slow, weak and unreachable.
 */
public final class MemoryCopy implements CopyProvider, CopyStore {

    private static MemoryCopy now;

    private final List<CopyBlock> blocks = new ArrayList<>();
    private final Deque<Runnable> unconfirmed = new ArrayDeque<>();
    private boolean isReachable = true;
    private boolean isHeld;
    private CopyPlace place = CopyPlace.parse("memory of 2");
    private Runnable atSend = () -> {};
    private Request request;

    /** A new copy, which every log of this JVM gets from now on. */
    static synchronized MemoryCopy come() {
        now = new MemoryCopy();
        return now;
    }

    static synchronized void go() {
        now = null;
    }

    private static synchronized MemoryCopy now() {
        return now;
    }

    @Override
    public String element() {
        return now() == null ? "Other" : "BookKeeper";
    }

    @Override
    public void check(final Request asked) {
        if (asked.properties().isEmpty()) {
            throw new BurstException(BurstException.Code.INVALID_ARGUMENT, "metadataServiceUri is missing.");
        }
    }

    @Override
    public CopyStore open(final Request asked) {
        final MemoryCopy copy = now();
        synchronized (copy) {
            copy.request = asked;
        }
        return copy;
    }

    synchronized Request request() {
        return request;
    }

    synchronized void reach(final boolean can) {
        isReachable = can;
    }

    /** Blocks that come are not confirmed until {@link #release}. */
    synchronized void hold() {
        isHeld = true;
    }

    synchronized void release() {
        isHeld = false;
        while (!unconfirmed.isEmpty()) {
            unconfirmed.remove().run();
        }
    }

    synchronized void isIn(final String text) {
        place = CopyPlace.parse(text);
    }

    /** The copier's thread does this before it stores the next block with records. */
    synchronized void atSend(final Runnable action) {
        atSend = action;
    }

    /** The payloads that it has, without those of records that the log has given up. */
    synchronized List<String> lines() {
        final List<String> lines = new ArrayList<>();
        for (final CopyBlock block : blocks) {
            try {
                block.records()
                        .forEach(record -> lines.add(
                                StandardCharsets.UTF_8.decode(record.payload()).toString()));
            } catch (final IOException damaged) {
                throw new UncheckedIOException(damaged);
            }
        }
        return lines;
    }

    @Override
    public synchronized CopyBlock fence() throws IOException {
        check();
        unconfirmed.clear();
        return blocks.isEmpty() ? null : blocks.get(blocks.size() - 1);
    }

    @Override
    public void send(final CopyBlock block, final Runnable acknowledged) throws IOException {
        check();
        final Runnable first;
        synchronized (this) {
            first = block.isMark() ? () -> {} : atSend;
            atSend = block.isMark() ? atSend : () -> {};
        }
        first.run();
        synchronized (this) {
            blocks.add(block);
            if (isHeld) {
                unconfirmed.add(acknowledged);
                return;
            }
        }
        acknowledged.run();
    }

    @Override
    public synchronized void check() throws IOException {
        if (!isReachable) {
            throw new IOException("no bookie answers");
        }
    }

    @Override
    public synchronized void readBack(final Reader reader) throws IOException {
        for (final CopyBlock block : blocks) {
            reader.block(block);
        }
    }

    @Override
    public synchronized CopyPlace place() {
        return place;
    }

    @Override
    public void close() {
        // It stays, as bookies do.
    }
}
