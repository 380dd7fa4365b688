// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.burstlog.jmx.Registration;
import io.burstlog.jmx.RingMXBean;
import io.burstlog.jmx.StreamMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log of the Java API as a management client sees it. The appender's tests show its beans. */
class ManagementTest {

    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

    /** So few are all timed on any medium. */
    private static final int APPENDS = 60;

    @TempDir
    private Path directory;

    private TempLog files;
    private String ring;
    private String file;
    private ObjectName ringName;
    private ObjectName fileName;

    @BeforeEach
    void chooseFiles() throws JMException {
        files = new TempLog(directory, Binding.AUTO);
        ring = files.ring().toString();
        file = files.file().toString();
        ringName = new ObjectName("io.burstlog:type=Ring,name=\"" + ring + "\"");
        fileName = new ObjectName("io.burstlog:type=Stream,ring=\"" + ring + "\",file=\"" + file + "\"");
    }

    private static void appendSome(BurstLog log) {
        for (int i = 0; i < APPENDS; i++) {
            log.append(TempLog.line("record " + i));
        }
        assertThat(log.awaitDrained(TempLog.LONG_ENOUGH)).isTrue();
    }

    @Test
    void aLogAndItsMainStreamAreShownUntilTheRegistrationIsClosed() {
        try (BurstLog log = files.open()) {
            // doc: shown
            try (Registration ofRing = Registration.ofRing(ring, log);
                    Registration ofFile = Registration.ofStream(ring, file, log.mainStream())) {
                // end
                appendSome(log);
                RingMXBean seen = JMX.newMXBeanProxy(SERVER, ringName, RingMXBean.class);
                BurstStats stats = log.stats();
                assertThat(seen.getState()).isEqualTo(BurstStats.State.OPEN);
                assertThat(seen.getAcceptedSequence()).isEqualTo(APPENDS);
                assertThat(seen.getCommits()).isEqualTo(stats.commits()).isPositive();
                assertThat(seen.getDeviceWrites()).isEqualTo(stats.deviceWrites());
                assertThat(seen.getDeviceBytes()).isEqualTo(stats.deviceBytes()).isPositive();
                StreamMXBean seenFile = JMX.newMXBeanProxy(SERVER, fileName, StreamMXBean.class);
                assertThat(seenFile.getDrainedRecords()).isEqualTo(APPENDS);
                assertThat(seenFile.getLogFile()).isEqualTo(log.currentFile());
                assertThat(ofRing).isNotSameAs(ofFile);
            }
            assertThat(SERVER.isRegistered(ringName) || SERVER.isRegistered(fileName))
                    .isFalse();
        }
    }

    @Test
    void eachFigureIsTheOneOfItsName() throws ReflectiveOperationException {
        BurstConfig config = files.config()
                .drainInterval(Duration.ofHours(1))
                .batchDelay(Duration.ofSeconds(1))
                .build();
        try (BurstLog log = BurstLog.open(config);
                Registration ofRing = Registration.ofRing(ring, log);
                Registration ofFile = Registration.ofStream(ring, file, log.mainStream())) {
            appendSome(log);
            log.append(TempLog.line("durable, and not in the log file"));
            log.enqueue(TempLog.line("not even durable"));
            RingMXBean seen = JMX.newMXBeanProxy(SERVER, ringName, RingMXBean.class);
            StreamMXBean seenFile = JMX.newMXBeanProxy(SERVER, fileName, StreamMXBean.class);
            BurstStats before;
            Map<String, Object> wanted;
            Map<String, Object> shown;
            do {
                before = log.stats();
                wanted = new TreeMap<>(numbersOf(seen, RingMXBean.class, before));
                wanted.putAll(
                        numbersOf(seenFile, StreamMXBean.class, log.mainStream().stats()));
                shown = new TreeMap<>(numbersOf(seen, RingMXBean.class, null));
                shown.putAll(numbersOf(seenFile, StreamMXBean.class, null));
            } while (!before.equals(log.stats()));
            assertThat(shown).isEqualTo(wanted).hasSizeGreaterThan(15);
            assertThat(ofRing).isNotSameAs(ofFile);
        }
    }

    @Test
    void theFiguresOfASecondCopyAreThoseOfTheLog() {
        BurstConfig config = BurstConfig.builder()
                .ring(ring)
                .fileName(file)
                .ringBytes(8 << 20)
                .durability(Durability.PROCESS)
                .copy("elsewhere")
                .build();
        try (BurstLog log = BurstLog.open(config);
                Registration ofRing = Registration.ofRing(ring, log)) {
            RingMXBean seen = JMX.newMXBeanProxy(SERVER, ringName, RingMXBean.class);
            log.append(TempLog.line("record"));
            assertThat(seen.getCopyState()).isEqualTo(BurstStats.CopyState.EXPECTED);
            assertThat(seen.getCopyRecordsBehind()).isOne();
            assertThat(seen.getCopyRecordsMissing()).isZero();
            assertThat(seen.getCopiedSequence()).isZero();
            assertThat(ofRing).isNotNull();
        }
        try (BurstLog log = files.open();
                Registration ofRing = Registration.ofRing(ring, log)) {
            log.append(TempLog.line("record"));
            RingMXBean seen = JMX.newMXBeanProxy(SERVER, ringName, RingMXBean.class);
            assertThat(seen.getCopyState()).isNull();
            assertThat(seen.getCopyRecordsBehind()).isZero();
            assertThat(ofRing).isNotNull();
        }
    }

    /**
     * The numbers of a bean by the names of its getters, without those of a second copy; those of the statistics, if
     * they are given.
     */
    private static Map<String, Object> numbersOf(Object bean, Class<?> type, Record statistics)
            throws ReflectiveOperationException {
        Map<String, Object> numbers = new TreeMap<>();
        for (Method getter : type.getMethods()) {
            if (getter.getReturnType() == long.class && !getter.getName().matches("getCop(ied|yRec).*")) {
                String name = Character.toLowerCase(getter.getName().charAt(3))
                        + getter.getName().substring(4);
                numbers.put(
                        type.getSimpleName() + '.' + name,
                        statistics == null
                                ? getter.invoke(bean)
                                : statistics.getClass().getMethod(name).invoke(statistics));
            }
        }
        return numbers;
    }

    @Test
    void aClientCountsWhatTookAtMostSoLong() {
        try (BurstLog log = files.open();
                Registration shown = Registration.ofRing(ring, log)) {
            appendSome(log);
            RingMXBean seen = JMX.newMXBeanProxy(SERVER, ringName, RingMXBean.class);
            StageHistogram histogram = log.histogram(Stage.COMMIT_WAIT);
            long median = histogram.percentileNanos(50);
            long[] counts = seen.countsAtMost(Stage.COMMIT_WAIT, new long[] {0, median, Long.MAX_VALUE});
            assertThat(counts).isSorted().startsWith(0).endsWith(APPENDS);
            // A percentile is its bucket's end, unless the longest call is in that bucket.
            assertThat(counts[1]).isGreaterThanOrEqualTo(median < histogram.maxNanos() ? APPENDS / 2 : 0);
            assertThat(counts[1]).isLessThanOrEqualTo(APPENDS);
            assertThat(seen.totalNanos(Stage.COMMIT_WAIT))
                    .isEqualTo(histogram.totalNanos())
                    .isPositive();
            assertThat(shown).isNotNull();
        }
    }

    @Test
    void aNameThatIsTakenIsRefusedAndTheLogWorks() {
        try (BurstLog log = files.open()) {
            Registration first = Registration.ofRing(ring, log);
            assertThatIllegalStateException()
                    .isThrownBy(() -> Registration.ofRing(ring, log))
                    .withMessageContainingAll("the ring " + ring, "InstanceAlreadyExists");
            assertThat(SERVER.isRegistered(ringName)).isTrue();
            first.close();
            first.close();
            assertThat(SERVER.isRegistered(ringName)).isFalse();
            appendSome(log);
        }
    }

    @Test
    void aSecondCloseLeavesASuccessorOfTheSameNameInSight() {
        try (BurstLog log = files.open()) {
            Registration first = Registration.ofRing(ring, log);
            first.close();
            try (Registration successor = Registration.ofRing(ring, log)) {
                first.close();
                assertThat(SERVER.isRegistered(ringName)).isTrue();
            }
            assertThat(SERVER.isRegistered(ringName)).isFalse();
        }
    }
}
