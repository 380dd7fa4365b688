// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstConsumer;
import io.burstlog.BurstException;
import io.burstlog.ConsumedRecords;
import io.burstlog.jmx.Registration;
import io.burstlog.kafka.ShipperStats.State;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Ships the records of a folder of segments into a topic of Apache Kafka. A reader of the topic gets each record
 * exactly once, in order, if it reads with {@code isolation.level=read_committed}.
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
 * <p>The shipper needs no open log: it runs in the process of the log, or in one of its own. Each batch is a
 * transaction. After any failure the shipper reads the last shipped record from the topic itself, and goes on behind
 * it. Its acknowledged position in the folder counts only while the topic has none of its records. While the brokers
 * are away the records wait in the folder, and the shipper tries again, after a tenth of a second at first and ten
 * seconds at last. If the folder is deleted, moved away or begun anew, the shipper ships all that it can still read,
 * and then the folder in its place, as soon as a log has written that.
 *
 * <p>If a second shipper of the same folder and topic begins, it fences the first one, which ends as
 * {@link State#FAILED}.
 *
 * <p>Thread-safe. All work is done by one thread of its own, a daemon.
 */
public final class KafkaShipper implements AutoCloseable {

    private static final Duration LOOK = Duration.ofMillis(200);

    /** Each session begins with so small a transaction. */
    private static final int FIRST_TRANSACTION_BYTES = 4096;

    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_BACK_OFF_MILLIS = 100;
    private static final long LAST_BACK_OFF_MILLIS = 10_000;
    private static final Duration FAREWELL = Duration.ofSeconds(10);
    private static final Duration LAST_PATIENCE = Duration.ofSeconds(1);

    /** The errno of a consumer whose folder has been replaced. */
    private static final int ESTALE = 116;

    /** It needs no memory. */
    private static final String ENDED = "The shipper has ended, and there was no memory to say why.";

    private final ShipperConfig config;
    private final Announcements announcements;
    private final Figures figures = new Figures(System::currentTimeMillis);
    private final Thread thread;
    private Registration shown = Registration.NONE;
    private volatile boolean isStopping;
    private volatile boolean isFinishing;
    private volatile String failure;

    /** Null while there is no folder. The shipper's thread alone uses this and the fields below. */
    private BurstConsumer consumer;

    /** The number of the next record to ship. */
    private long next;

    private long acknowledged;
    private long noted;

    /** The highest number in the topic at the last look. The next look acknowledges it if the topic is the same. */
    private long settled;

    private Uuid topicId;
    private boolean isCaughtUp;

    private KafkaShipper(ShipperConfig config) {
        this.config = config;
        announcements = new Announcements(config);
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
        KafkaShipper shipper = new KafkaShipper(config);
        try {
            shipper.beginFolder(BurstConsumer.open(config.folder(), config.consumer()));
            if (isManaged) {
                shipper.shown = ShipperManagement.show(shipper, config, shipper.announcements::isNotShown);
            }
            shipper.thread.start();
            return shipper;
        } catch (Throwable failure) { // no memory for the thread, for instance
            // No caller has the shipper: unless it lets go here, no later start opens the consumer or shows itself.
            shipper.leaveFolder();
            shipper.shown.close();
            throw failure;
        }
    }

    /** {@return the figures of this moment} */
    public ShipperStats stats() {
        return figures.now();
    }

    /** {@return why it has ended by itself, in a sentence; null if it has not} */
    public String failure() {
        return failure;
    }

    /**
     * Waits until the shipper ends, by itself or because it is closed.
     *
     * @param timeout how long to wait at most
     * @return whether it has ended
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        thread.join(Math.max(1, timeout.toMillis()));
        return !thread.isAlive();
    }

    /** Ends the transaction under way, within ten seconds, and lets go of the folder. A second call does nothing. */
    @Override
    public void close() {
        isStopping = true;
        if (!hasEnded(FAREWELL)) {
            thread.interrupt();
            hasEnded(FAREWELL);
        }
        shown.close();
    }

    /**
     * Ships the records that are in the folder until something fails, and lets go of the folder. The listener is told
     * what is left; the next shipper ships it.
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
        shown.close();
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

    private void beginFolder(BurstConsumer opened) {
        consumer = opened;
        next = opened.position();
        acknowledged = next - 1;
        settled = next - 1;
    }

    private void leaveFolder() {
        if (consumer != null) {
            consumer.close();
            consumer = null;
        }
    }

    private static boolean isStale(Throwable reason) {
        return reason instanceof BurstException && ((BurstException) reason).errno() == ESTALE;
    }

    private void run() {
        try {
            for (long backOff = FIRST_BACK_OFF_MILLIS;
                    !isStopping;
                    backOff = Math.min(2 * backOff, LAST_BACK_OFF_MILLIS)) {
                long before = figures.transactions();
                Throwable reason = runSession();
                if (reason == null || isStopping) {
                    break;
                }
                if (Session.isFinal(reason)) {
                    fail(reason);
                    return;
                }
                if (isStale(reason) || figures.transactions() > before) {
                    backOff = FIRST_BACK_OFF_MILLIS;
                }
                tell(reason);
                rest(backOff);
                if (isFinishing && !isStale(reason)) { // there may be another folder, which is shipped, too
                    break;
                }
            }
            if (isFinishing) {
                tellWhatIsLeft();
            }
            setState(State.CLOSED);
        } catch (Throwable unexpected) {
            fail(unexpected);
        } finally {
            leaveFolder();
        }
    }

    /**
     * Tells why the session ended. If there is no memory for that it is passed over: the next session meets the same,
     * or goes on.
     */
    private void tell(Throwable reason) {
        try {
            if (isStale(reason)) {
                changeFolder(reason.getMessage());
            } else {
                tellFailure(reason);
            }
        } catch (BurstException | OutOfMemoryError ofTheTelling) {
            // The shipper rests before it tries again, as after any failure.
        }
    }

    /**
     * Leaves a folder whose consumer gives nothing more. Records that the topic still lacks are lost, or in the folder
     * under its new name.
     */
    private void changeFolder(String sentence) {
        leaveFolder();
        figures.leaveFolder();
        figures.add(State.WAITING, figures.now().shippedNumber(), 0, 0, 0, 1);
        announcements.changesFolder(sentence, next);
    }

    /** Returns why the session ended; null if the shipper was stopped. */
    private Throwable runSession() {
        try {
            if (consumer == null) {
                beginFolder(BurstConsumer.open(config.folder(), config.consumer()));
            }
            shipUntilStopped();
            return null;
        } catch (InterruptException | InterruptedException stopped) {
            return isStopping ? null : stopped;
        } catch (Exception | OutOfMemoryError failed) {
            return failed;
        }
    }

    private void shipUntilStopped() throws Exception {
        try (Session session = new Session(config, consumer)) {
            begin(session);
            // Each commit doubles it. So what stands before a record that the topic refuses gets there, and no try to
            // ship that record fills the topic with what is then aborted.
            int bytes = Math.min(FIRST_TRANSACTION_BYTES, config.transactionBytes());
            while (!isStopping) {
                // Read before the poll: records that were there when the shipper was told to finish must be found.
                boolean isLast = isFinishing;
                ConsumedRecords records = consumer.poll(bytes, isLast ? Duration.ZERO : LOOK);
                if (!records.isEmpty()) {
                    ship(session, records);
                    bytes = (int) Math.min(2L * bytes, config.transactionBytes());
                } else if (isLast) {
                    break;
                } else {
                    tellThatItShips();
                    tellThatItHasAll();
                }
                if (isDue()) {
                    acknowledge(session, settled);
                }
            }
            acknowledge(session, next - 1);
        }
    }

    private void begin(Session session) throws ExecutionException, InterruptedException {
        long last = session.shipped();
        if (last > 0 && last + 1 < next) {
            announcements.topicHasLost(last + 1, next - 1);
        }
        boolean isNewTopic = topicId != null && !session.topicId().equals(topicId);
        if (isNewTopic) {
            announcements.topicIsNew(acknowledged + 1);
        }
        topicId = session.topicId();
        next = last > 0 ? last + 1 : isNewTopic ? acknowledged + 1 : next;
        if (session.isOldBroker()
                && figures.now().state() == State.CONNECTING
                && figures.now().failures() == 0) {
            announcements.brokersAreOld();
        }
        consumer.seek(next);
        // An answer of the brokers is not enough: the topic may refuse the next record each time.
        figures.add(figures.now().state() == State.WAITING ? State.WAITING : State.SHIPPING, next - 1, 0, 0, 0, 0);
        isCaughtUp = false;
        acknowledge(session, next - 1);
    }

    /** Called when a transaction is committed, or when there is nothing to ship. */
    private void tellThatItShips() {
        boolean isAgain = figures.now().state() == State.WAITING;
        if (isAgain) {
            setState(State.SHIPPING);
        }
        announcements.ships(isAgain, next);
    }

    /** Called once a session, when the shipper has had to wait for a record. */
    private void tellThatItHasAll() {
        if (!isCaughtUp) {
            announcements.hasAll(next);
        }
        isCaughtUp = true;
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
        figures.add(State.SHIPPING, next - 1, count, bytes, 1, 0);
    }

    private void fail(Throwable reason) {
        failure = ENDED;
        announcements.ends(reason, Session.isFinal(reason), sentence -> {
            failure = sentence;
            setState(State.FAILED);
        });
    }

    private void tellFailure(Throwable reason) {
        boolean isNew = figures.now().state() != State.WAITING;
        figures.add(State.WAITING, figures.now().shippedNumber(), 0, 0, 0, 1);
        if (consumer != null) {
            consumer.seek(next); // so that the lag counts the records that were read and could not be shipped
        }
        announcements.waits(reason, isNew);
    }

    private void tellWhatIsLeft() {
        try {
            if (consumer == null) {
                throw new BurstException(BurstException.Code.OTHER, "there is no folder of segments now");
            }
            consumer.seek(next);
            announcements.isLeft(consumer.lag().records());
        } catch (BurstException | OutOfMemoryError failure) {
            announcements.nobodyKnowsWhatIsLeft(failure);
        }
    }

    private void rest(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!isStopping && !isFinishing && System.nanoTime() < end) {
            try {
                if (consumer != null && isDue()) {
                    measure();
                }
            } catch (BurstException | OutOfMemoryError told) {
                // The next session meets the same error.
            }
            try {
                Thread.sleep(Math.min(millis, LOOK.toMillis()));
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void setState(State state) {
        figures.add(state, figures.now().shippedNumber(), 0, 0, 0, 0);
    }

    /** Whether a second is over since the last look. */
    private boolean isDue() {
        return System.nanoTime() - noted >= NOTE_NANOS;
    }

    /**
     * Acknowledges to the folder what it need not keep. The newest commit may have gone to a topic that is being
     * deleted: it counts if the topic is still there, and the same, afterwards.
     */
    private void acknowledge(Session session, long number) throws ExecutionException, InterruptedException {
        if (measure() && acknowledged != number && session.hasItsTopic()) {
            consumer.ack(number);
            acknowledged = number;
        }
        settled = next - 1;
    }

    /** Measures how much waits in the folder. Returns false if the folder was replaced. */
    private boolean measure() {
        noted = System.nanoTime();
        try {
            figures.setLag(consumer.lag());
            return true;
        } catch (BurstException failure) {
            if (isStale(failure)) {
                return false; // The next poll throws it again, when all readable records are shipped.
            }
            throw failure;
        }
    }
}
