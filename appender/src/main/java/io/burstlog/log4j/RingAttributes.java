// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.Binding;
import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.Durability;
import io.burstlog.HugePages;
import io.burstlog.Io;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What elements say of the ring that they share. It is fixed while the ring is open, and each attribute may stand in
 * any of the elements: one that leaves it out takes what another says.
 *
 * @param ring the one name of the ring
 * @param texts the attributes that were given, as they stand in a configuration
 * @param config what the ring is opened with; it names no log file
 * @param jmx whether management clients see it
 */
record RingAttributes(String ring, Map<String, String> texts, BurstConfig config, boolean jmx) {

    /** Each log file's, or each appender's own, or always the same. */
    private static final Set<String> NOT_OF_RING = Set.of(
            "ring", "fileName", "onFull", "blockTimeout", "filePermissions", "fileOwner", "fileGroup", "listener");

    /** What was read of an element, to be built once all of it was. Not thread-safe. */
    static final class Reading {

        private final String ring;
        private final Map<String, String> texts;
        private final BurstConfig.Builder config;
        private final boolean jmx;

        /** What cannot be understood is a complaint of the reader. */
        Reading(final AttributeReader reader, final String ring) {
            this.ring = ring;
            texts = reader.unread();
            config = builder(reader).ring(ring);
            jmx = orDefault(reader.flag("jmx"), true);
            texts.keySet().removeAll(reader.unread().keySet());
        }

        /** @throws BurstException if a value cannot be used */
        RingAttributes attributes() {
            return new RingAttributes(Place.of(ring, null).ring(), texts, config.build(), jmx);
        }
    }

    private static BurstConfig.Builder builder(final AttributeReader reader) {
        final Duration delay = reader.time("batchDelay");
        final boolean delayIsUnreadable = delay == null && reader.has("batchDelay");
        final Long batchBytes = reader.size("batchSize");
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
                .library(reader.text("library"))
                .listener(OpenRing::report);
    }

    private static <T> T orDefault(final T value, final T unset) {
        return value != null ? value : unset;
    }

    /** What these say, and where they say nothing, what the others of the same ring do: the first of them that does. */
    RingAttributes with(final List<RingAttributes> others) {
        final Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(texts);
        others.stream()
                .filter(other -> other.ring.equals(ring))
                .forEach(other -> other.texts.forEach(all::putIfAbsent));
        return all.size() == texts.size() ? this : new Reading(new AttributeReader(all), config.ring()).attributes();
    }

    /** Where another set of attributes differs from this one, which is in force. */
    void differencesTo(final RingAttributes wanted, final Differences differences) {
        final Set<String> ignored = new TreeSet<>(NOT_OF_RING);
        if (wanted.config.values().get("ringBytes").equals(0L)) {
            // Without a size the ring is taken as it is.
            ignored.add("ringBytes");
        }
        differences.addAll(config.values(), wanted.config.values(), ignored).add("jmx", jmx, wanted.jmx);
    }
}
