// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent.Severity;
import io.burstlog.BurstException;
import io.burstlog.BurstStream;
import io.burstlog.OnFull;
import io.burstlog.RecordBuffer;
import java.time.Duration;
import java.util.function.Supplier;

/** The open log file of a {@link RecordStream}. Safe for use by any thread. After the close every call throws. */
final class RecordFile extends OpenStream {

    private final StreamTerms terms;
    private final Holder holder;
    private final LossReport discards;

    private RecordFile(OpenRing ring, BurstStream records, StreamTerms terms, Holder holder) {
        super(ring, records, terms, holder);
        this.terms = terms;
        this.holder = holder;
        this.discards = new LossReport(sentence -> holder.tell(Severity.ERROR, sentence));
    }

    static RecordFile open(StreamTerms terms, Holder holder) {
        return Rings.attach(
                holder,
                terms,
                RecordFile.class,
                ring -> new RecordFile(ring, ring.log().stream(null, terms.config()), terms, holder));
    }

    @Override
    public StreamTerms terms() {
        return terms;
    }

    /** {@return the sequence of the record; 0 if it was discarded} */
    long append(byte[] record, boolean isAwaited) {
        if (ClientThreads.isOne()) {
            return orDiscarded(offered(record));
        }
        if (!isAwaited || terms.ack() == Ack.ENQUEUED) {
            return orDiscarded(records().enqueue(record));
        }
        long begin = terms.ack() == Ack.COPIED ? System.nanoTime() : 0;
        long sequence = orDiscarded(records().append(record));
        if (terms.ack() == Ack.COPIED && sequence > 0) {
            awaitCopied(sequence, terms.config().blockTimeout(), begin);
        }
        return sequence;
    }

    /** Returns 0 as well if the ring has failed, or is closed. */
    private long offered(byte[] record) {
        try {
            return Math.max(0, records().offer(record));
        } catch (BurstException isNotLogged) {
            return 0;
        }
    }

    private long orDiscarded(long sequence) {
        if (sequence == 0) {
            discards.add(this::discarded);
        }
        return sequence;
    }

    /** Closes the log file as {@link RecordStream#close} does. */
    boolean close(Supplier<byte[]> lastBytes) {
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
