// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstException;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * A log file that a single appender or handler writes. That holder hands over each event as bytes. Other holders may
 * have log files on the same ring. While the JVM makes a checkpoint the file is closed, and calls wait: see
 * {@link Suspension}.
 *
 * <p>Safe for use by any thread. After the close every call throws.
 */
public final class RecordStream {

    /** A call on the open log file. */
    private interface Call<T> {
        T on(RecordFile file);
    }

    private final StreamTerms terms;
    private final Holder holder;
    private final OneAtATime life = new OneAtATime();
    private final Suspension.Part part = new AsPart();

    /** The log file as it was opened last. */
    private volatile RecordFile open;

    /** The reason why the file could not be opened after a restore; null: it is open, or was closed. */
    private volatile String refusal;

    private boolean isAttached = true;
    private boolean isOver;

    private RecordStream(StreamTerms terms, Holder holder) {
        this.terms = terms;
        this.holder = holder;
        this.open = RecordFile.open(terms, holder);
    }

    /**
     * Opens the log file, and the ring unless it is open already. Records that a crash left in the ring go to their
     * files first.
     *
     * @param terms the settings of log file and ring
     * @param holder the appender or handler that asks for the file
     * @return the open log file
     * @throws BurstException if ring or log file cannot be opened, or is open with other settings
     */
    public static RecordStream open(StreamTerms terms, Holder holder) {
        RecordStream stream = new RecordStream(terms, holder);
        Suspension.add(stream.part);
        return stream;
    }

    /** {@return whether it is time for a header, because the log file was new or empty} */
    public boolean isNew() {
        return open.records().destinationEmpty();
    }

    /** {@return the length of the longest record, in bytes} */
    public int maxRecordBytes() {
        return open.ring().maxRecordBytes();
    }

    /**
     * Appends a record: durable on return, unless the configuration says otherwise.
     *
     * @param record left as it is
     * @param isAwaited whether the program that logs waits for this call; if not, the record is only enqueued
     * @return the sequence of the record; 0 if the ring was full and the record was discarded
     * @throws BurstException if it was not logged, or is not known to be durable
     */
    public long append(byte[] record, boolean isAwaited) {
        return call(file -> file.append(record, isAwaited));
    }

    /**
     * Waits until a record and all before it are durable.
     *
     * @param sequence the answer of {@link #append}
     * @param timeout the longest time to wait
     * @return whether it is durable within the time
     * @throws BurstException if the ring has failed
     */
    public boolean awaitDurable(long sequence, Duration timeout) {
        return call(file -> file.ring().log().awaitDurable(sequence, timeout));
    }

    /**
     * Waits until everything accepted so far is durable.
     *
     * @return whether all of it is durable within the shutdown timeout
     */
    public boolean flush() {
        return call(file -> file.ring().commit(file.ring().shutdownTimeout()));
    }

    /** Makes a call, once more if the log file was closed for a checkpoint meanwhile. */
    private <T> T call(Call<T> call) {
        for (RecordFile file = open; ; file = open) {
            try {
                return call.on(file);
            } catch (BurstException failure) {
                if (failure.code() != BurstException.Code.CLOSED) {
                    throw failure;
                }
                Suspension.awaitEnd();
                if (refusal != null) {
                    throw new BurstException(BurstException.Code.CLOSED, refusal);
                }
                if (file == open) {
                    throw failure;
                }
            }
        }
    }

    /**
     * Writes the last bytes, makes everything durable, and waits for the log file, all within {@code shutdownTimeout}.
     * Records that are left stay in the ring for the next start. The holder gets a sentence about anything that fails.
     *
     * @param lastBytes makes the last bytes; null or empty: none. If it throws, the log file is closed all the same
     * @return whether everything is durable
     */
    public boolean close(Supplier<byte[]> lastBytes) {
        Suspension.remove(part);
        return life.call(() -> {
            isOver = true;
            return detach(lastBytes);
        });
    }

    private boolean detach(Supplier<byte[]> lastBytes) {
        boolean wasAttached = isAttached;
        isAttached = false;
        return !wasAttached || open.close(lastBytes);
    }

    /** Closes the file before a checkpoint, and opens it after the restore. */
    private final class AsPart implements Suspension.Part {

        @Override
        public String place() {
            return holder.place();
        }

        @Override
        public boolean letGo() {
            return life.call(() -> detach(() -> null));
        }

        @Override
        public boolean isClosed() {
            return open.ring().isClosed();
        }

        @Override
        public void takeUp() {
            life.call(() -> {
                if (!isOver) {
                    attach();
                }
                return null;
            });
        }

        private void attach() {
            try {
                // Others may have opened the ring with a copy before; whoever comes first now opens it as it was.
                open = RecordFile.open(terms.on(open.ring().terms()), holder);
                isAttached = true;
                refusal = null;
            } catch (BurstException failure) {
                refusal = "The log file was not opened after a restore of this process: " + failure.getMessage();
                throw failure;
            }
        }
    }
}
