// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.Binding;
import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.Durability;
import io.burstlog.HugePages;
import io.burstlog.Io;
import io.burstlog.OnFull;
import java.time.Duration;
import java.util.Set;
import java.util.StringJoiner;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.util.Builder;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * Makes an appender of the element {@code <Burst>}. A value that cannot be used makes {@link #build()} return an
 * appender that names all such values in one ERROR when it is started, and does not open its ring, rather than one that
 * quietly promises something else. Not thread-safe.
 */
public final class BurstAppenderBuilder extends BurstAttributes<BurstAppenderBuilder>
        implements Builder<BurstAppender> {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private enum Ack {
        DURABLE,
        ENQUEUED
    }

    /** The first field, so that it is filled before Log4j takes the elements that it knows. */
    @UnknownParts.Taken
    private UnknownParts unknown;

    @PluginElement("Policy")
    private TriggeringPolicy policy;

    @PluginElement("Strategy")
    private RolloverStrategy strategy;

    BurstAppenderBuilder() {
        // What was not logged must be seen.
        setIgnoreExceptions(false);
    }

    /** The appender, not yet started. If anything cannot be used, it says what when it is started. */
    @Override
    public BurstAppender build() {
        return new BurstAppender(
                getName(),
                getFilter(),
                getOrCreateLayout(),
                isIgnoreExceptions(),
                getPropertyArray(),
                getConfiguration(),
                element(new AttributeReader()));
    }

    private BurstAppender.Element element(final AttributeReader reader) {
        complainAboutWhatIsUnknown(reader);
        complainAboutWhatIsMissing(reader);
        final AckRule ackRule = ackRule(reader);
        final boolean shown = orDefault(reader.flag("jmx", jmx), true);
        final Advertisement advertisement =
                new Advertisement(orDefault(reader.flag("advertise", advertise), false), reader.text(advertiseUri));
        final BurstConfig.Builder builder = config(reader);
        final RingAttributes.Place place = RingAttributes.Place.of(reader.text(ring), reader.text(fileName));
        if (place.ring() == null || place.file() == null) {
            return new BurstAppender.Element(place, reader.complaints(), null);
        }
        try {
            final BurstConfig config = builder.build();
            if (reader.complaints() == null) {
                mentionWhatHasNoEffect();
                return new BurstAppender.Element(
                        place,
                        null,
                        new BurstAppender.Terms(
                                RingAttributes.of(config, shown), ackRule, FullRingRule.of(config), advertisement));
            }
            // What its start would find besides, to be corrected in one go.
            config.check();
        } catch (final BurstException refusal) {
            reader.complain(refusal.getMessage());
        }
        return new BurstAppender.Element(place, reader.complaints(), null);
    }

    /** A mistyped attribute would have no effect. */
    private void complainAboutWhatIsUnknown(final AttributeReader reader) {
        if (unknown != null) {
            unknown.attributes()
                    .forEach(
                            name -> reader.complain("the attribute \"" + name + "\" is unknown: correct or remove it"));
            unknown.elements()
                    .forEach(name ->
                            reader.complain("the element <" + name + "> is unknown here: correct or remove it"));
            unknown.unbuilt()
                    .forEach(name -> reader.complain("the element <" + name
                            + "> could not be built: correct what Log4j has said about it in the lines before"));
        }
    }

    private void complainAboutWhatIsMissing(final AttributeReader reader) {
        if (reader.text(filePattern) != null || policy != null || strategy != null) {
            reader.complain("the log file cannot be rolled yet: remove filePattern, the triggering policies and the"
                    + " rollover strategy, and let all events go to fileName");
        }
        final String appending = reader.text(append);
        if (appending != null && !appending.equalsIgnoreCase("true")) {
            reader.complain("append=\"" + appending + "\" cannot be used: existing events are never overwritten;"
                    + " remove the attribute, or move the old file away");
        }
    }

    private AckRule ackRule(final AttributeReader reader) {
        final Level least = reader.level("ackLevel", ackLevel);
        if (reader.oneOf("ack", ack, Ack.class) == Ack.ENQUEUED) {
            if (least != null) {
                reader.complain("ackLevel=\"" + least + "\" contradicts ack=\"enqueued\", under which no event is"
                        + " awaited: remove one of them");
            }
            return AckRule.enqueued();
        }
        return least == null ? AckRule.durable() : AckRule.durableFrom(least);
    }

    private BurstConfig.Builder config(final AttributeReader reader) {
        final Duration delay = reader.time("batchDelay", batchDelay);
        final boolean delayIsUnreadable = delay == null && reader.text(batchDelay) != null;
        final Long batchBytes = reader.size("batchSize", batchSize);
        return BurstConfig.builder()
                .ring(reader.requiredPath("ring", ring, "the block device or file that holds the ring"))
                .fileName(reader.requiredPath("fileName", fileName, "the log file"))
                .ringBytes(orDefault(reader.size("ringSize", ringSize), 0L))
                .durability(orDefault(reader.oneOf("durability", durability, Durability.class), Durability.POWER))
                .onFull(orDefault(reader.oneOf("onFull", onFull, OnFull.class), OnFull.BLOCK))
                .blockTimeout(orDefault(reader.time("blockTimeout", blockTimeout), Duration.ZERO))
                .maxRecordBytes(orDefault(reader.size("maxRecordSize", maxRecordSize), 0L))
                .io(orDefault(reader.oneOf("io", io, Io.class), Io.AUTO))
                .drainInterval(orDefault(reader.time("drainInterval", drainInterval), Duration.ZERO))
                .shutdownTimeout(orDefault(reader.time("shutdownTimeout", shutdownTimeout), Duration.ZERO))
                .filePermissions(orDefault(reader.permissions("filePermissions", filePermissions), Set.of()))
                .fileOwner(reader.text(fileOwner))
                .fileGroup(reader.text(fileGroup))
                .binding(orDefault(reader.oneOf("binding", binding, Binding.class), Binding.AUTO))
                .drainCpu(reader.text(drainCpu))
                .commitCpu(reader.text(commitCpu))
                .realtimePriority(orDefault(reader.integer("realtimePriority", realtimePriority), 0))
                .hugePages(orDefault(reader.oneOf("hugePages", hugePages, HugePages.class), HugePages.AUTO))
                .commitSpin(orDefault(reader.flag("commitSpin", commitSpin), false))
                .batchDelay(orDefault(delay, Duration.ZERO))
                .batchBytes(delayIsUnreadable ? 0 : orDefault(batchBytes, 0L))
                .library(reader.text(library))
                .listener(BurstManager::report);
    }

    private static <T> T orDefault(final T value, final T unset) {
        return value != null ? value : unset;
    }

    private void mentionWhatHasNoEffect() {
        final StringJoiner present = new StringJoiner(", ");
        mention(present, "immediateFlush", immediateFlush);
        mention(present, "bufferedIO", bufferedIO);
        mention(present, "bufferSize", bufferSize);
        mention(present, "createOnDemand", createOnDemand);
        mention(present, "locking", locking);
        if (present.length() > 0) {
            LOGGER.info(
                    "Burst '{}': {} without effect: the ring decides when an event is durable, and the log file is"
                            + " created and locked at start, and written in batches from the ring.",
                    getName(),
                    present);
        }
    }

    private static void mention(final StringJoiner present, final String attribute, final String value) {
        if (value != null) {
            present.add(attribute);
        }
    }
}
