// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstConsumer;
import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.ConsumedRecords;
import io.burstlog.ConsumerLag;
import io.burstlog.kafka.ShipperStats.State;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;

/**
 * Ships the records of a folder of segments into a topic of Apache Kafka: whoever reads the topic with
 * {@code isolation.level=read_committed} gets each record exactly once, in order.
 *
 * <pre>{@code
 * ShipperConfig config = ShipperConfig.builder()
 *         .folder("orders.segments").topic("orders")
 *         .property("bootstrap.servers", "kafka-1:9092,kafka-2:9092")
 *         .build();
 * try (KafkaShipper shipper = KafkaShipper.start(config)) {
 *     ...
 * }
 * }</pre>
 *
 * <p>It needs no log: it runs in the process of the log, or in one of its own. Each batch is a transaction. After a
 * failure of any kind it reads from the topic itself which record is the last one, and goes on behind it; the place
 * that it acknowledges in the folder counts only while the topic has none of its records. While the brokers are away it
 * tries again, after a tenth of a second at first and ten seconds at last, and the records wait in the folder.
 *
 * <p>Two shippers of one folder and topic: the one that begins fences the other, which ends, {@link State#FAILED}.
 *
 * <p>Thread-safe. All work is done by one thread of its own, a daemon.
 */
public final class KafkaShipper implements AutoCloseable {

    private static final Duration LOOK = Duration.ofMillis(200);
    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_BACK_OFF_MILLIS = 100;
    private static final long LAST_BACK_OFF_MILLIS = 10_000;
    private static final Duration FAREWELL = Duration.ofSeconds(10);
    private static final Duration LAST_PATIENCE = Duration.ofSeconds(1);

    /** So many sessions behind each other that fail for the same reason. */
    private static final int LASTING = 3;

    private final ShipperConfig config;
    private final BurstConsumer consumer;
    private final Thread thread;
    private ShipperManagement shown;
    private volatile boolean isStopping;
    private volatile boolean isFinishing;
    private volatile String failure;
    private volatile ShipperStats stats = new ShipperStats(State.CONNECTING, 0, 0, 0, 0, 0, 0, 0, 0);

    /** The number that is shipped next. Of the shipper's thread, like what follows. */
    private long next;

    private long acknowledged;
    private long noted;

    /** The number that was shipped when it was noted last: no longer under way. */
    private long settled;

    private Uuid topicId;

    /** Why the last session failed, how many did for that one behind the other, and the reason that was told. */
    private String seen;

    private int timesSeen;
    private String told;

    private KafkaShipper(ShipperConfig config, BurstConsumer consumer) {
        this.config = config;
        this.consumer = consumer;
        next = consumer.position();
        acknowledged = next - 1;
        settled = next - 1;
        thread = new Thread(this::run, "burstlog-kafka " + config.topic());
        thread.setDaemon(true);
    }

    /**
     * Opens the consumer in the folder, and ships in the background from then on, as soon as the brokers answer.
     *
     * @param config what to ship, and where to
     * @return the running shipper
     * @throws BurstException if the folder or the consumer in it cannot be opened
     */
    public static KafkaShipper start(ShipperConfig config) {
        return start(config, true);
    }

    static KafkaShipper start(ShipperConfig config, boolean isManaged) {
        KafkaShipper shipper = new KafkaShipper(config, BurstConsumer.open(config.folder(), config.consumer()));
        shipper.shown = isManaged ? new ShipperManagement(shipper, config.folder(), config.topic()) : null;
        shipper.thread.start();
        return shipper;
    }

    /** {@return the figures of this moment} */
    public ShipperStats stats() {
        return stats;
    }

    /** {@return why it has ended by itself, in a sentence; null if it has not} */
    public String failure() {
        return failure;
    }

    /**
     * Waits until it ends, by itself or because it is closed.
     *
     * @param timeout how long to wait at most
     * @return whether it has ended
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        thread.join(Math.max(1, timeout.toMillis()));
        return !thread.isAlive();
    }

    /** Ends the transaction under way, within ten seconds, and lets go of the folder. Again it does nothing. */
    @Override
    public void close() {
        isStopping = true;
        if (!hasEnded(FAREWELL)) {
            thread.interrupt();
            hasEnded(FAREWELL);
        }
        hide();
    }

    /**
     * Ships what is in the folder, until something fails, and lets go of the folder. What is left then is told, and
     * shipped by the next one.
     *
     * @param limit how long that may take; it may be exceeded by a second
     */
    public void close(Duration limit) {
        isFinishing = true;
        if (!hasEnded(limit)) {
            isStopping = true;
            thread.interrupt();
            hasEnded(LAST_PATIENCE);
        }
        hide();
    }

    private void hide() {
        if (shown != null) {
            shown.close();
        }
    }

    private boolean hasEnded(Duration timeout) {
        try {
            return awaitEnd(timeout);
        } catch (InterruptedException stillToBeSeenByTheCaller) {
            Thread.currentThread().interrupt();
            return !thread.isAlive();
        }
    }

    @Override
    public String toString() {
        return "KafkaShipper[" + config.folder() + " to " + config.topic() + "]";
    }

    // ------------------------------------------------------------------------------------------------ its own thread

    private void run() {
        try (consumer) {
            for (long backOff = FIRST_BACK_OFF_MILLIS;
                    !isStopping;
                    backOff = Math.min(2 * backOff, LAST_BACK_OFF_MILLIS)) {
                long before = stats.transactions();
                Throwable reason = runSession();
                if (reason == null || isStopping) {
                    break;
                }
                if (isFinal(reason)) {
                    fail(reason);
                    return;
                }
                if (stats.transactions() > before) {
                    backOff = FIRST_BACK_OFF_MILLIS;
                }
                tellFailure(reason);
                rest(backOff);
                if (isFinishing) {
                    break;
                }
            }
            if (isFinishing) {
                tellWhatIsLeft();
            }
            setState(State.CLOSED);
        } catch (Throwable unexpected) {
            fail(unexpected);
        }
    }

    /** Null: it was stopped. */
    private Throwable runSession() {
        try (Session session = new Session(config, consumer)) {
            begin(session);
            while (!isStopping) {
                // Before the look: what is there when it is told to finish must be found.
                boolean isLast = isFinishing;
                ConsumedRecords records = consumer.poll(config.transactionBytes(), isLast ? Duration.ZERO : LOOK);
                if (!records.isEmpty()) {
                    ship(session, records);
                } else if (isLast) {
                    break;
                } else {
                    tellThatItShips();
                }
                note(false);
            }
            note(true);
            return null;
        } catch (InterruptException | InterruptedException stopped) {
            return isStopping ? null : stopped;
        } catch (Exception failed) {
            return failed;
        }
    }

    private void begin(Session session) {
        long last = session.shipped();
        if (last > 0 && last + 1 < next) {
            tell(
                    BurstEvent.Severity.WARN,
                    "topic " + config.topic() + " has lost the records with numbers " + (last + 1) + " to " + (next - 1)
                            + " again; those that the folder still has are shipped once more");
        }
        boolean isNewTopic = topicId != null && !session.topicId().equals(topicId);
        if (isNewTopic) {
            tell(
                    BurstEvent.Severity.WARN,
                    "topic " + config.topic() + " was made anew: what was under way to the old one, from number "
                            + (acknowledged + 1) + " on, is shipped once more unless the new one has later records");
        }
        topicId = session.topicId();
        next = last > 0 ? last + 1 : isNewTopic ? acknowledged + 1 : next;
        if (session.isOldBroker() && stats.state() == State.CONNECTING && stats.failures() == 0) {
            tell(
                    BurstEvent.Severity.WARN,
                    "topic " + config.topic()
                            + " is on brokers below Kafka 4.0: a record that comes late can be there twice");
        }
        consumer.seek(next);
        // That it answers is not enough: the topic may refuse the next record each time.
        update(stats.state() == State.WAITING ? State.WAITING : State.SHIPPING, next - 1, 0, 0, 0, 0);
        note(true);
    }

    /** Once after it failed: a transaction is committed, or there is nothing to ship. */
    private void tellThatItShips() {
        if (stats.state() == State.WAITING) {
            setState(State.SHIPPING);
            tell(
                    BurstEvent.Severity.WARN,
                    "topic " + config.topic() + " gets records again, from number " + next + " on");
        }
    }

    private void ship(Session session, ConsumedRecords records) throws Exception {
        long count = 0;
        long bytes = 0;
        while (records.next()) {
            count++;
            bytes += records.length();
        }
        records.rewind();
        session.ship(records);
        tellThatItShips();
        next = consumer.position();
        update(State.SHIPPING, next - 1, count, bytes, 1, 0);
    }

    private static boolean isFinal(Throwable reason) {
        for (Throwable cause = reason; cause != null; cause = cause.getCause()) {
            if (cause instanceof ProducerFencedException
                    || cause instanceof InvalidProducerEpochException
                    || cause instanceof Session.RefusedException) {
                return true;
            }
        }
        return false;
    }

    private void fail(Throwable reason) {
        String topic = config.topic();
        if (reason instanceof Session.RefusedException) {
            end("topic " + topic + " gets no records: " + reason.getMessage() + ".");
        } else if (isFinal(reason)) {
            end("topic " + topic
                    + " gets no more records from here: another shipper of this folder has begun, or this one"
                    + " stood still for longer than transaction.timeout.ms. Start it again if there is no other.");
        } else {
            end("topic " + topic + " gets no more records from here, which is a bug: " + reason);
        }
    }

    private void end(String sentence) {
        failure = sentence;
        setState(State.FAILED);
        tell(BurstEvent.Severity.ERROR, sentence);
    }

    /** Once each time that it begins to fail, and when what keeps it from going on has become another reason. */
    private void tellFailure(Throwable reason) {
        boolean isNew = stats.state() != State.WAITING;
        consumer.seek(next); // so that the lag counts what it had got and could not ship
        update(State.WAITING, stats.shippedNumber(), 0, 0, 0, 1);
        Throwable cause = reason.getCause() == null ? reason : reason.getCause();
        String why = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        timesSeen = why.equals(seen) ? timesSeen + 1 : 1;
        seen = why;
        if (isNew || (timesSeen == LASTING && !why.equals(told))) {
            told = why;
            tell(
                    BurstEvent.Severity.WARN,
                    "topic " + config.topic() + " gets no records for the moment: " + why + "; they wait in "
                            + config.folder());
        }
    }

    private void tellWhatIsLeft() {
        consumer.seek(next);
        long left = consumer.lag().records();
        if (left > 0) {
            tell(
                    BurstEvent.Severity.WARN,
                    "topic " + config.topic() + " lacks the last " + left + " records of " + config.folder()
                            + "; they are shipped at the next start");
        }
    }

    private void rest(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!isStopping && !isFinishing && System.nanoTime() < end) {
            try {
                note(false);
            } catch (BurstException told) {
                // The next session meets it, too.
            }
            try {
                Thread.sleep(Math.min(millis, LOOK.toMillis()));
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void tell(BurstEvent.Severity severity, String text) {
        config.listener().accept(new BurstEvent(severity, Instant.now(), text));
    }

    private void setState(State state) {
        update(state, stats.shippedNumber(), 0, 0, 0, 0);
    }

    private void update(State state, long shipped, long records, long bytes, long transactions, long failures) {
        ShipperStats old = stats;
        stats = new ShipperStats(
                state,
                shipped,
                old.records() + records,
                old.bytes() + bytes,
                old.transactions() + transactions,
                old.failures() + failures,
                old.lagRecords(),
                old.lagBytes(),
                old.lagSeconds());
    }

    /**
     * Once a second: says to the folder what it need not keep, and looks how much waits there. What was committed just
     * now may have gone to a topic that is being deleted: it is kept until the next time.
     */
    private void note(boolean now) {
        long time = System.nanoTime();
        if (!now && time - noted < NOTE_NANOS) {
            return;
        }
        noted = time;
        long old = now ? next - 1 : settled;
        settled = next - 1;
        if (acknowledged != old) {
            consumer.ack(old);
            acknowledged = old;
        }
        ConsumerLag lag = consumer.lag();
        long oldest = lag.oldestEventTimeNanos();
        double seconds = oldest == 0 ? 0 : Math.max(0, System.currentTimeMillis() / 1e3 - oldest / 1e9);
        ShipperStats before = stats;
        stats = new ShipperStats(
                before.state(),
                before.shippedNumber(),
                before.records(),
                before.bytes(),
                before.transactions(),
                before.failures(),
                lag.records(),
                lag.bytes(),
                seconds);
    }
}
