// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of a copy on their way through Kafka's producer, which here is Kafka's own for tests. */
@Timeout(60)
class CopyWriterTest {

    private static final long COMMIT_NANOS = Duration.ofSeconds(20).toNanos();

    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final AtomicLong clock = new AtomicLong();
    private final List<Integer> acknowledged = new ArrayList<>();
    private CopyWriter writer;

    @BeforeEach
    void begin() {
        writer = writerOf(producer);
        writer.begin();
    }

    private CopyWriter writerOf(Producer<byte[], byte[]> to) {
        return new CopyWriter(to, new TopicPartition("copy", 0), new byte[] {1}, COMMIT_NANOS, clock::get);
    }

    private void send(int block) throws Exception {
        writer.send(new byte[] {(byte) block}, () -> acknowledged.add(block));
    }

    @Test
    void aBlockIsAcknowledgedWhenTheBrokersHaveItAndNotWhenItIsSent() throws Exception {
        send(1);
        send(2);
        assertThat(acknowledged).isEmpty();
        producer.completeNext();
        assertThat(acknowledged).containsExactly(1);
        producer.completeNext();
        assertThat(acknowledged).containsExactly(1, 2);
        assertThat(writer.lastOffset()).isEqualTo(1);
        assertThat(producer.commitCount())
                .as("an acknowledgement waits for no commit")
                .isZero();
    }

    @Test
    void nothingIsAcknowledgedBehindABlockThatFailed() throws Exception {
        send(1);
        send(2);
        send(3);
        producer.completeNext();
        producer.errorNext(new RecordTooLargeException("it is too large"));
        producer.completeNext();
        assertThat(acknowledged).containsExactly(1);
        assertThatThrownBy(writer::check).isInstanceOf(IOException.class).hasMessage("topic copy: it is too large");
        assertThatThrownBy(() -> send(4)).isInstanceOf(IOException.class);
        assertThat(producer.uncommittedRecords()).hasSize(3);
        assertThat(producer.closed()).as("it sends nothing again").isTrue();
    }

    /** Block 1 fails while another call is on its way to the producer. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCallThatComesToTheClosedProducerTellsWhatHasClosedIt(boolean isCommit) throws Exception {
        writer = writerOf(new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
            @Override
            public void commitTransaction() {
                errorNext(new TimeoutException("nobody answers"));
                super.commitTransaction();
            }

            @Override
            public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> message, Callback callback) {
                errorNext(new TimeoutException("nobody answers"));
                return super.send(message, callback);
            }
        });
        writer.begin();
        send(1);
        clock.addAndGet(isCommit ? COMMIT_NANOS : 0);
        assertThatThrownBy(() -> send(2)).isInstanceOf(IOException.class).hasMessage("topic copy: nobody answers");
    }

    @Test
    void aTransactionIsCommittedBeforeTheBrokersEndItAlsoWhenNothingIsSent() throws Exception {
        send(1);
        producer.completeNext();
        clock.addAndGet(COMMIT_NANOS - 1);
        writer.check();
        assertThat(producer.commitCount()).isZero();
        clock.incrementAndGet();
        writer.check();
        assertThat(producer.commitCount()).isEqualTo(1);
        assertThat(producer.transactionInFlight()).isFalse();
        clock.addAndGet(COMMIT_NANOS);
        writer.check();
        assertThat(producer.commitCount())
                .as("there is no transaction to commit")
                .isEqualTo(1);
    }

    @Test
    void theAgeOfATransactionIsThatOfItsFirstBlock() throws Exception {
        for (int block = 1; block <= 4; block++) {
            send(block);
            producer.completeNext();
            clock.addAndGet(COMMIT_NANOS / 2);
        }
        // At 1.0 of the time the third block came behind a commit, and began the second transaction.
        assertThat(producer.commitCount()).isEqualTo(1);
        writer.check();
        assertThat(producer.commitCount()).isEqualTo(2);
    }

    @Test
    void aCommitThatFailsIsTold() throws Exception {
        send(1);
        producer.completeNext();
        producer.commitTransactionException = new TimeoutException("nobody answers");
        clock.addAndGet(COMMIT_NANOS);
        assertThatThrownBy(writer::check).isInstanceOf(IOException.class).hasMessage("topic copy: nobody answers");
    }

    /** The copier's thread has seen a failure, and blocks are still under way. */
    @Test
    void aBlockThatIsRefusedAfterAnotherFailureClosesTheProducer() throws Exception {
        send(1);
        send(2);
        producer.commitTransactionException = new TimeoutException("nobody answers");
        clock.addAndGet(COMMIT_NANOS);
        assertThatThrownBy(writer::check).hasMessage("topic copy: nobody answers");
        assertThat(producer.closed()).isFalse();
        producer.errorNext(new RecordTooLargeException("it is too large"));
        assertThat(producer.closed()).isTrue();
        assertThatThrownBy(writer::check).hasMessage("topic copy: nobody answers");
    }

    @Test
    void aSendWaitsWhileTooManyBlocksAreUnderWay() throws Exception {
        for (int block = 1; block <= CopyWriter.MOST_UNDER_WAY; block++) {
            send(block);
        }
        Thread next = new Thread(() -> assertThatNoExceptionComesFrom(CopyWriter.MOST_UNDER_WAY + 1));
        next.start();
        while (next.isAlive() && next.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(producer.uncommittedRecords()).hasSize(CopyWriter.MOST_UNDER_WAY);
        producer.completeNext();
        next.join();
        assertThat(producer.uncommittedRecords()).hasSize(CopyWriter.MOST_UNDER_WAY + 1);
    }

    private void assertThatNoExceptionComesFrom(int block) {
        try {
            send(block);
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void aWaitingSendEndsWhenABlockFails() throws Exception {
        for (int block = 1; block <= CopyWriter.MOST_UNDER_WAY; block++) {
            send(block);
        }
        Thread failing = new Thread(() -> producer.errorNext(new TimeoutException("nobody answers")));
        failing.start();
        failing.join();
        assertThatThrownBy(() -> send(99)).hasMessage("topic copy: nobody answers");
    }

    @Test
    void aNoteIsStoredInATransactionOfItsOwn() throws Exception {
        MockProducer<byte[], byte[]> answering =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        writer = writerOf(answering);
        writer.begin();
        assertThat(writer.note(CopyTopic.begunBy("x"))).isZero();
        assertThat(answering.commitCount()).isEqualTo(1);
        ProducerRecord<byte[], byte[]> note = answering.history().get(0);
        assertThat(note.value()).isNull();
        assertThat(new String(note.headers().lastHeader("burst-note").value())).isEqualTo("begun x");
    }

    @Test
    void offsetsThatBeginAnewAreNoticed() throws Exception {
        AtomicLong offset = new AtomicLong(7);
        writer = writerOf(new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
            @Override
            public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> message, Callback callback) {
                callback.onCompletion(
                        new RecordMetadata(new TopicPartition("copy", 0), offset.getAndIncrement(), 0, 0, 0, 0), null);
                return null;
            }
        });
        writer.begin();
        send(1);
        send(2);
        offset.set(0);
        send(3);
        assertThat(acknowledged).containsExactly(1, 2);
        assertThatThrownBy(writer::check).hasMessageContaining("offset 0 came behind offset 8");
    }
}
