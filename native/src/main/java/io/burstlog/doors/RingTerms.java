// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import static io.burstlog.doors.Settings.orDefault;

import io.burstlog.Binding;
import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
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
 * What is said of a ring. It is fixed while the ring is open, and each setting may stand wherever the ring is named:
 * who leaves it out takes what another says.
 *
 * @param ring the one name of the ring
 * @param texts the settings that it is opened with, as they stand in a configuration
 * @param own the names of those that stand in this very place
 * @param config what the ring is opened with; it names no log file
 * @param jmx whether management clients see it
 */
public record RingTerms(
        String ring, SortedMap<String, String> texts, Set<String> own, BurstConfig config, boolean jmx) {

    private static final String RING_PROPERTY = "burstlog.ring";

    /** Each log file's, or each door's own, or always the same. */
    private static final Set<String> NOT_OF_RING = Set.of("ring", "listener");

    /**
     * The ring that is named. All of a process that name none share one, or all with a log file in the same folder.
     *
     * @param reader where it stands
     * @param file the log file, or null
     * @param folder where the ring is if none is named; null: beside the log file
     * @return null if nothing says where it is
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

    /** What was read of settings, to be built once all of them were. Not thread-safe. */
    public static final class Reading {

        private final String ring;
        private final SortedMap<String, String> texts;
        private final BurstConfig.Builder config;
        private final boolean jmx;

        /**
         * Reads what is said of a ring. What cannot be understood is a complaint of the settings.
         *
         * @param reader where it stands
         * @param ring the ring as it is named there
         */
        public Reading(Settings reader, String ring) {
            this.ring = ring;
            texts = reader.unread();
            config = builder(reader).ring(ring);
            jmx = orDefault(reader.flag("jmx"), true);
            texts.keySet().removeAll(reader.unread().keySet());
        }

        /**
         * What was read.
         *
         * @return what is said of the ring
         * @throws BurstException if a value cannot be used
         */
        public RingTerms terms() {
            return terms(texts.keySet());
        }

        private RingTerms terms(Set<String> own) {
            Set<String> names = new TreeSet<>(texts.comparator());
            names.addAll(own);
            return new RingTerms(Location.of(ring, null).ring(), texts, names, config.build(), jmx);
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
                .library(reader.text("library"));
    }

    /**
     * What this place says, and where it says nothing, what other places of the same configuration say of the same
     * ring: the first of them that does.
     *
     * @param others the other places
     * @param door reads settings as they did
     * @return with {@link #own} as it is here
     * @throws BurstException if the values contradict each other
     */
    public RingTerms with(List<RingTerms> others, Settings door) {
        SortedMap<String, String> all = new TreeMap<>(texts);
        others.stream()
                .filter(other -> other.ring.equals(ring))
                .forEach(other -> other.texts.forEach(all::putIfAbsent));
        return all.size() == texts.size() ? this : new Reading(door.of(all), config.ring()).terms(own);
    }

    /** What of this ring, which is open, differs from what a configuration says. */
    String differencesTo(RingTerms wanted, String form, Predicate<String> counts) {
        // Without a size the ring is taken as it is.
        boolean isAnySize = wanted.config.values().get("ringBytes").equals(0L);
        Predicate<String> isOfRing = name -> !NOT_OF_RING.contains(name) && !(isAnySize && name.equals("ringSize"));
        Differences differences =
                new Differences(form).addAll(config.values(), wanted.config.values(), isOfRing.and(counts));
        return counts.test("jmx") ? differences.add("jmx", jmx, wanted.jmx).toString() : differences.toString();
    }
}
