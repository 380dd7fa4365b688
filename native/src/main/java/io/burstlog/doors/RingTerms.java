// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import static io.burstlog.doors.Settings.orDefault;

import io.burstlog.Binding;
import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.Drain;
import io.burstlog.Durability;
import io.burstlog.HugePages;
import io.burstlog.Io;
import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The settings of a ring. They are fixed while the ring is open. Each may stand in any place that names the ring: a
 * place that leaves a setting out takes it from another place.
 *
 * @param ring the canonical name of the ring
 * @param texts the settings as they stand in a configuration
 * @param own the names of the settings that stand in this place
 * @param config the configuration that opens the ring; it names no log file
 * @param jmx whether management clients see the ring
 * @param copy the settings of its copy; null: it has none
 */
public record RingTerms(
        String ring,
        SortedMap<String, String> texts,
        Set<String> own,
        BurstConfig config,
        boolean jmx,
        CopyTerms copy) {

    private static final String RING_PROPERTY = "burstlog.ring";

    /** The value that names the copy. */
    private static final String COPY = "copy";

    /**
     * Values that two places of a ring need not agree on: the ring is always the same, and each door has a listener of
     * its own.
     */
    private static final Set<String> NOT_OF_RING = Set.of("ring", "listener");

    /**
     * Returns the ring that a place uses. Places that name none share the ring of the system property, or else the one
     * in the folder of their log files.
     *
     * @param reader the texts of the place
     * @param file the log file, or null
     * @param folder the folder of a ring that nobody names; null: the folder of the log file
     * @return the path of the ring; null if neither ring nor log file is named
     */
    public static String ring(Settings reader, String file, String folder) {
        if (reader.text("ring") != null) {
            return reader.requiredPath("ring", "the block device or file that holds the ring");
        }
        String ofProcess = System.getProperty(RING_PROPERTY);
        if (ofProcess != null && !ofProcess.isBlank()) {
            return ofProcess.trim();
        }
        if (file == null) {
            return null;
        }
        File parent = folder != null
                ? new File(folder)
                : new File(file).getAbsoluteFile().getParentFile();
        return new File(parent, "burstlog.ring").getPath();
    }

    /**
     * The settings of a ring as they were read, from which {@link #terms()} builds the values later. Not thread-safe.
     */
    public static final class Reading {

        private final String ring;
        private final SortedMap<String, String> texts;
        private final BurstConfig.Builder config;
        private final boolean jmx;
        private final CopyTerms copy;

        /**
         * Reads the settings of a ring. A value that cannot be understood becomes a complaint of the reader.
         *
         * @param reader the texts
         * @param ring the ring as the texts name it
         * @param copy the settings of its copy, which stand in this place; null: none
         */
        public Reading(Settings reader, String ring, CopyTerms copy) {
            this.ring = ring;
            texts = reader.unread();
            this.copy = copy;
            config = builder(reader).ring(ring).copy(copy == null ? null : copy.element());
            jmx = orDefault(reader.flag("jmx"), true);
            texts.keySet().removeAll(reader.unread().keySet());
        }

        /**
         * Returns the settings that were read.
         *
         * @return the settings of the ring
         * @throws BurstException if a value cannot be used
         */
        public RingTerms terms() {
            Set<String> own = new TreeSet<>(texts.keySet());
            if (copy != null) {
                own.add(COPY);
            }
            return terms(own);
        }

        private RingTerms terms(Set<String> own) {
            Set<String> names = new TreeSet<>(texts.comparator());
            names.addAll(own);
            return new RingTerms(Location.of(ring, null).ring(), texts, names, config.build(), jmx, copy);
        }
    }

    private static BurstConfig.Builder builder(Settings reader) {
        Duration delay = reader.time("batchDelay");
        boolean delayIsUnreadable = delay == null && reader.has("batchDelay");
        Long batchBytes = reader.size("batchSize");
        return BurstConfig.builder()
                .ringBytes(orDefault(reader.size("ringSize"), 0L))
                .durability(orDefault(reader.oneOf("durability", Durability.class), Durability.POWER))
                .maxRecordBytes(orDefault(reader.size("maxRecordSize"), 0L))
                .io(orDefault(reader.oneOf("io", Io.class), Io.AUTO))
                .drainInterval(orDefault(reader.time("drainInterval"), Duration.ZERO))
                .shutdownTimeout(orDefault(reader.time("shutdownTimeout"), Duration.ZERO))
                .binding(orDefault(reader.oneOf("binding", Binding.class), Binding.AUTO))
                .drainCpu(reader.text("drainCpu"))
                .commitCpu(reader.text("commitCpu"))
                .realtimePriority(orDefault(reader.integer("realtimePriority"), 0))
                .hugePages(orDefault(reader.oneOf("hugePages", HugePages.class), HugePages.AUTO))
                .commitSpin(orDefault(reader.flag("commitSpin"), false))
                .batchDelay(orDefault(delay, Duration.ZERO))
                .batchBytes(delayIsUnreadable ? 0 : orDefault(batchBytes, 0L))
                .window(reader.text("window"))
                .windowPermissions(orDefault(reader.permissions("windowPermissions"), Set.of()))
                .drain(orDefault(reader.oneOf("drain", Drain.class), Drain.INNER))
                .library(reader.text("library"));
    }

    /**
     * Adds settings that this place leaves out, from other places of the same configuration that name the same ring.
     * The first place that has a setting wins.
     *
     * @param others the other places
     * @param door makes readers of settings, as the other places used
     * @return the combined settings, with the same {@link #own}
     * @throws BurstException if the values contradict each other
     */
    public RingTerms with(List<RingTerms> others, Settings door) {
        SortedMap<String, String> all = new TreeMap<>(texts);
        others.stream()
                .filter(other -> other.ring.equals(ring))
                .forEach(other -> other.texts.forEach(all::putIfAbsent));
        CopyTerms copyOfAll = copy != null
                ? copy
                : others.stream()
                        .filter(other -> other.ring.equals(ring) && other.copy != null)
                        .map(RingTerms::copy)
                        .findFirst()
                        .orElse(null);
        return all.size() == texts.size() && copyOfAll == copy
                ? this
                : new Reading(door.of(all), config.ring(), copyOfAll).terms(own);
    }

    /** {@return whether another process moves the records to the log files, as long as there is one} */
    public boolean isDrainedElsewhere() {
        return config.values().get("drain") == Drain.EXTERNAL;
    }

    /** Names the values in which this open ring differs from a configuration. */
    String differencesTo(RingTerms wanted, String form, Predicate<String> counts) {
        // A configuration without a size accepts a ring of any size.
        boolean isAnySize = wanted.config.values().get("ringBytes").equals(0L);
        Predicate<String> isOfRing = name -> !NOT_OF_RING.contains(name) && !(isAnySize && name.equals("ringSize"));
        Differences differences =
                new Differences(form).addAll(config.values(), wanted.config.values(), isOfRing.and(counts));
        if (copy != null && wanted.copy != null && copy.element().equals(wanted.copy.element()) && counts.test(COPY)) {
            copy.differencesTo(wanted.copy, differences);
        }
        return counts.test("jmx") ? differences.add("jmx", jmx, wanted.jmx).toString() : differences.toString();
    }
}
