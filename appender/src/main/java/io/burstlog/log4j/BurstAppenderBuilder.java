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
import java.util.StringJoiner;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.apache.logging.log4j.core.config.ConfigurationException;
import org.apache.logging.log4j.core.config.Node;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.config.plugins.PluginNode;
import org.apache.logging.log4j.core.util.Builder;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * Makes an appender of the element {@code <Burst>}. A value that cannot be used makes {@link #build()} log one sentence
 * and return an appender that refuses to start, rather than one that quietly promises something else. Not thread-safe.
 */
public final class BurstAppenderBuilder extends BurstAttributes<BurstAppenderBuilder>
        implements Builder<BurstAppender> {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private enum Ack {
        DURABLE,
        ENQUEUED
    }

    @PluginNode
    private Node node;

    @PluginElement("Policy")
    private TriggeringPolicy policy;

    @PluginElement("Strategy")
    private RolloverStrategy strategy;

    BurstAppenderBuilder() {
        // What was not logged must be seen.
        setIgnoreExceptions(false);
    }

    /**
     * The appender, not yet started. If an attribute cannot be used, the reason is logged and the appender refuses to
     * start.
     */
    @Override
    public BurstAppender build() {
        final AttributeReader reader = new AttributeReader(getName());
        try {
            refuseWhatIsUnknown(reader);
            refuseWhatIsMissing(reader);
            final BurstAppender.Attributes attributes = attributes(reader);
            mentionWhatHasNoEffect();
            return new BurstAppender(
                    getName(),
                    getFilter(),
                    getOrCreateLayout(),
                    isIgnoreExceptions(),
                    getPropertyArray(),
                    getConfiguration(),
                    attributes);
        } catch (final ConfigurationException | BurstException refusal) {
            return BurstAppender.refused(
                    getName(),
                    getFilter(),
                    getOrCreateLayout(),
                    isIgnoreExceptions(),
                    getPropertyArray(),
                    refusal.getMessage());
        }
    }

    /** Log4j reports what it could not assign to a field and goes on; a mistyped attribute would have no effect. */
    private void refuseWhatIsUnknown(final AttributeReader reader) {
        if (node == null) {
            return;
        }
        for (final String attribute : node.getAttributes().keySet()) {
            throw reader.refusal("the attribute \"" + attribute + "\" is unknown: correct or remove it.");
        }
        for (final Node child : node.getChildren()) {
            throw reader.refusal("the element <" + child.getName() + "> is unknown here: correct or remove it.");
        }
    }

    private void refuseWhatIsMissing(final AttributeReader reader) {
        if (reader.text(filePattern) != null || policy != null || strategy != null) {
            throw reader.refusal("the log file cannot be rolled yet: remove filePattern, the triggering policies and the"
                    + " rollover strategy, and let all events go to fileName.");
        }
        final String appending = reader.text(append);
        if (appending != null && !appending.equalsIgnoreCase("true")) {
            throw reader.refusal("append=\"" + appending + "\" cannot be used: existing events are never overwritten;"
                    + " remove the attribute, or move the old file away.");
        }
    }

    private BurstAppender.Attributes attributes(final AttributeReader reader) {
        final BurstConfig config = config(reader);
        final boolean shown = orDefault(reader.flag("jmx", jmx), true);
        return new BurstAppender.Attributes(
                RingAttributes.of(config, shown), ackRule(reader), FullRingRule.of(config));
    }

    private AckRule ackRule(final AttributeReader reader) {
        final Level least = reader.level("ackLevel", ackLevel);
        if (reader.oneOf("ack", ack, Ack.class) == Ack.ENQUEUED) {
            if (least != null) {
                throw reader.refusal("ackLevel=\"" + least + "\" contradicts ack=\"enqueued\", under which no event is"
                        + " awaited: remove one of them.");
            }
            return AckRule.enqueued();
        }
        return least == null ? AckRule.durable() : AckRule.durableFrom(least);
    }

    private BurstConfig config(final AttributeReader reader) {
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
                .filePermissions(reader.permissions("filePermissions", filePermissions))
                .fileOwner(reader.text(fileOwner))
                .fileGroup(reader.text(fileGroup))
                .binding(orDefault(reader.oneOf("binding", binding, Binding.class), Binding.AUTO))
                .drainCpu(reader.text(drainCpu))
                .writerCpu(reader.text(writerCpu))
                .realtimePriority(orDefault(reader.integer("realtimePriority", realtimePriority), 0))
                .hugePages(orDefault(reader.oneOf("hugePages", hugePages, HugePages.class), HugePages.AUTO))
                .writerSpin(orDefault(reader.flag("writerSpin", writerSpin), false))
                .batchDelay(orDefault(reader.time("batchDelay", batchDelay), Duration.ZERO))
                .batchBytes(orDefault(reader.size("batchSize", batchSize), 0L))
                .library(reader.text(library))
                .listener(BurstManager::report)
                .build();
    }

    private static <T> T orDefault(final T value, final T unset) {
        return value != null ? value : unset;
    }

    private void mentionWhatHasNoEffect() {
        final StringJoiner present = new StringJoiner(", ");
        if (immediateFlush != null) {
            present.add("immediateFlush");
        }
        if (bufferedIO != null) {
            present.add("bufferedIO");
        }
        if (bufferSize != null) {
            present.add("bufferSize");
        }
        if (present.length() > 0) {
            LOGGER.info(
                    "Burst '{}': {} without effect: the ring decides when an event is durable, and the log file is"
                            + " written in batches from there.",
                    getName(),
                    present);
        }
    }
}
