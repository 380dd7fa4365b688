// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Headers;

/**
 * Writes a copy's messages, from a producer's beginning to its first failure.
 *
 * <p>DESIGN. A message is stored when the brokers acknowledge it; whether its transaction commits does not matter. A
 * transaction is open all the same while messages are sent: a broker takes a message of a transaction only if it has
 * the newest epoch of its transactional id. So an older producer adds nothing once {@link #begin} has returned. The
 * transaction is committed long before the brokers would end it, since they would then refuse the next message.
 *
 * <p>No block may be stored behind one that is not. Kafka's client does not see to that: when the brokers refuse a
 * message it numbers the next ones, which are under way, as if that one had never been, and sends them again. So the
 * first refusal closes the producer, in the callback that tells it, also after another failure. Blocks have numbers,
 * too, by which {@link CopyTopic} finds a block that is missing.
 *
 * <p>One thread calls it, and the producer's thread acknowledges.
 */
final class CopyWriter implements AutoCloseable {

    static final int MOST_UNDER_WAY = 64;

    private static final long LOOK_MILLIS = 100;
    private static final Duration FAREWELL = Duration.ofMillis(500);

    private final Producer<byte[], byte[]> producer;
    private final TopicPartition partition;
    private final byte[] key;
    private final long commitNanos;
    private final LongSupplier nanoClock;
    private final Semaphore places = new Semaphore(MOST_UNDER_WAY);
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private volatile boolean isClosed;
    private volatile long lastOffset = -1;
    private long sent;
    private boolean isInTransaction;
    private long transactionBegan;

    /**
     * @param key of each message: the ring's id
     * @param commitNanos the age at which a transaction is committed
     */
    CopyWriter(
            Producer<byte[], byte[]> producer,
            TopicPartition partition,
            byte[] key,
            long commitNanos,
            LongSupplier nanoClock) {
        this.producer = producer;
        this.partition = partition;
        this.key = key;
        this.commitNanos = commitNanos;
        this.nanoClock = nanoClock;
    }

    /** Fences every older producer of the transactional id, and ends its transaction. */
    void begin() {
        producer.initTransactions();
    }

    /** Writes a message without a block, in a transaction of its own. Returns its offset when it is stored. */
    long note(Headers note) throws IOException, InterruptedException {
        try {
            enterTransaction();
            lastOffset = producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), key, null, note))
                    .get()
                    .offset();
            commit();
            return lastOffset;
        } catch (KafkaException | ExecutionException failed) {
            throw failed(failed);
        }
    }

    /**
     * Sends a block, and returns before it is stored. Waits while {@link #MOST_UNDER_WAY} are under way.
     *
     * @param acknowledged runs when this block and all before it are stored
     */
    void send(byte[] block, Runnable acknowledged) throws IOException, InterruptedException {
        check();
        while (!places.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
            check();
        }
        try {
            enterTransaction();
            producer.send(
                    new ProducerRecord<>(
                            partition.topic(), partition.partition(), key, block, CopyTopic.numbered(++sent)),
                    (metadata, refusal) -> end(metadata, refusal, acknowledged));
        } catch (KafkaException | IllegalStateException failed) { // the latter: a failure has closed the producer
            failure.compareAndSet(null, failed);
            check();
        }
    }

    private void enterTransaction() {
        if (!isInTransaction) {
            producer.beginTransaction();
            isInTransaction = true;
            transactionBegan = nanoClock.getAsLong();
        }
    }

    /** The producer calls it for each block, in the order of the blocks. */
    private void end(RecordMetadata stored, Exception refusal, Runnable acknowledged) {
        try {
            if (refusal != null) {
                fail(refusal);
            } else if (stored.offset() <= lastOffset) {
                fail(new KafkaException("offset " + stored.offset() + " came behind offset " + lastOffset
                        + ": the topic was made anew, or has lost messages from its end"));
            } else if (failure.get() == null) {
                lastOffset = stored.offset();
                acknowledged.run();
            }
        } finally {
            places.release();
        }
    }

    /** The producer sends nothing any more once this returns. */
    private void fail(Exception met) {
        failure.compareAndSet(null, met);
        if (!isClosed) {
            producer.close(Duration.ZERO);
            isClosed = true;
        }
    }

    /**
     * Throws what any block has met, and commits when it is time to. An idle writer must be checked several times
     * within the transaction's time.
     */
    void check() throws IOException, InterruptedException {
        if (failure.get() == null && isInTransaction && nanoClock.getAsLong() - transactionBegan >= commitNanos) {
            try {
                commit();
            } catch (KafkaException | IllegalStateException failed) {
                failure.compareAndSet(null, failed);
            }
        }
        Exception met = failure.get();
        if (met != null) {
            throw failed(met);
        }
    }

    /** Ends the transaction when all that was sent is acknowledged. */
    private void commit() throws InterruptedException {
        try {
            if (isInTransaction) {
                producer.commitTransaction();
            }
            isInTransaction = false;
        } catch (InterruptException stopped) {
            throw interrupted(stopped);
        }
    }

    private IOException failed(Exception met) throws InterruptedException {
        if (met instanceof InterruptException) {
            throw interrupted(met);
        }
        return new IOException("topic " + partition.topic() + ": " + Announcements.textOf(met), met);
    }

    /** Returns the exception of a thread that was interrupted while it waited for the brokers. */
    static InterruptedException interrupted(Exception cause) {
        Thread.interrupted(); // Kafka has set it again.
        InterruptedException stopped = new InterruptedException();
        stopped.initCause(cause);
        return stopped;
    }

    /** The offset of the newest message that is known to be stored; -1: none yet. */
    long lastOffset() {
        return lastOffset;
    }

    @Override
    public void close() {
        producer.close(FAREWELL);
    }
}
