// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent.Severity;
import io.burstlog.BurstException;
import io.burstlog.BurstStream;
import io.burstlog.OnFull;
import io.burstlog.RecordBuffer;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * A log file that a single appender or handler writes. That holder hands over each event as bytes. Other holders may
 * have log files on the same ring.
 *
 * <p>Safe for use by any thread. After the close every call throws.
 */
public final class RecordStream extends OpenStream {

    private final StreamTerms terms;
    private final boolean isDurableOnReturn;
    private final Holder holder;
    private final LossReport discards;

    private RecordStream(OpenRing ring, BurstStream records, RecordTerms terms, Holder holder) {
        super(ring, records, terms.stream(), holder);
        this.terms = terms.stream();
        this.isDurableOnReturn = terms.ack() == Ack.DURABLE;
        this.holder = holder;
        this.discards = new LossReport(sentence -> holder.tell(Severity.ERROR, sentence));
    }

    /**
     * Opens the log file, and the ring unless it is open already. Records that a crash left in the ring go to their
     * files first.
     *
     * @param terms the settings of log file and ring
     * @param holder the appender or handler that asks for the file
     * @throws BurstException if ring or log file cannot be opened, or is open with other settings
     */
    public static RecordStream open(RecordTerms terms, Holder holder) {
        return Rings.attach(
                holder,
                terms.stream(),
                RecordStream.class,
                ring -> new RecordStream(
                        ring, ring.log().stream(null, terms.stream().config()), terms, holder));
    }

    @Override
    public StreamTerms terms() {
        return terms;
    }

    /** {@return whether it is time for a header, because the log file was new or empty} */
    public boolean isNew() {
        return records().destinationEmpty();
    }

    /**
     * Appends a record: durable on return, unless the configuration says otherwise.
     *
     * @param record left as it is
     * @param isAwaited whether the program that logs waits for this call; if not, the record is only enqueued
     * @throws BurstException if it was not logged, or is not known to be durable
     */
    public void append(byte[] record, boolean isAwaited) {
        long sequence = isDurableOnReturn && isAwaited
                ? records().append(record)
                : records().enqueue(record);
        if (sequence == 0) {
            discards.add(this::discarded);
        }
    }

    /**
     * Waits until everything accepted so far is durable.
     *
     * @return whether all of it is durable within the shutdown timeout
     */
    public boolean flush() {
        return ring().commit(ring().shutdownTimeout());
    }

    /**
     * Writes the last bytes, makes everything durable, and waits for the log file, all within {@code shutdownTimeout}.
     * Records that are left stay in the ring for the next start. The holder gets a sentence about anything that fails.
     *
     * @param lastBytes makes the last bytes; null or empty: none. If it throws, the log file is closed all the same
     * @return whether everything is durable
     */
    public boolean close(Supplier<byte[]> lastBytes) {
        discards.tell();
        return Rings.detach(this, holder, patience -> writeLast(lastBytes.get(), patience));
    }

    private void writeLast(byte[] bytes, Duration patience) {
        if (bytes != null && bytes.length > 0) {
            RecordBuffer record =
                    RecordBuffer.allocate(bytes.length, bytes.length).put(bytes, 0, bytes.length);
            records().enqueue(record, now(), OnFull.BLOCK, patience);
        }
    }
}
