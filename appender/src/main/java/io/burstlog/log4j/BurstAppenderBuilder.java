// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import io.burstlog.StreamConfig;
import io.burstlog.copy.BurstCopier;
import io.burstlog.doors.Ack;
import io.burstlog.doors.CopyTerms;
import io.burstlog.doors.Location;
import io.burstlog.doors.RingTerms;
import io.burstlog.doors.Settings;
import io.burstlog.doors.StreamTerms;
import io.burstlog.doors.Wording;
import io.burstlog.log4j.rolling.RollingSettings;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.util.Builder;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * Makes an appender of the element {@code <Burst>}. If values cannot be used, {@link #build()} returns an appender that
 * names them all in one ERROR when it is started, and opens no ring. It never puts another value in their place, which
 * could quietly promise less.
 *
 * <p>A program sets an attribute of the element by its name, {@code set("ring", "/var/lib/app/orders.ring")}. Log4j's
 * own setters exist for the parts that every appender has (name, filter, layout), and there are setters for policy and
 * strategy. The other setters are those of {@code RollingFileAppender} and {@code FileAppender}, for programs that move
 * from these: each sets the attribute of its name. docs/configuration.md names all attributes. Not thread-safe.
 */
public final class BurstAppenderBuilder extends AbstractAppender.Builder<BurstAppenderBuilder>
        implements Builder<BurstAppender> {

    private static final Logger LOGGER = StatusLogger.getLogger();

    /** The words for sentences about an element. */
    static final Wording WORDING = new Wording(
            "attribute",
            "fileName",
            "a lookup in it found nothing; define what it names, or give it a default as in"
                    + " \"${env:NAME:-default}\"");

    /** Attributes of other file appenders that the element accepts, and that change nothing. */
    private static final List<String> WITHOUT_EFFECT =
            List.of("immediateFlush", "bufferedIO", "bufferSize", "createOnDemand", "locking");

    /**
     * Stands before all other fields, so that Log4j fills it before it takes the attributes and elements that it knows.
     */
    @ElementParts.Taken
    private ElementParts parts;

    @PluginElement("Policy")
    private TriggeringPolicy policy;

    @PluginElement("Strategy")
    private RolloverStrategy strategy;

    private final SortedMap<String, String> set = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    BurstAppenderBuilder() {
        // A program must see that an event was not logged.
        setIgnoreExceptions(false);
    }

    /**
     * Sets an attribute of the element.
     *
     * @param attribute the name of the attribute; the start of the appender complains about an unknown one
     * @param value the value as in a configuration file
     * @return this
     */
    public BurstAppenderBuilder set(final String attribute, final String value) {
        set.put(attribute, value);
        return this;
    }

    /**
     * Sets the policy that decides when the log file is rolled. It needs the attribute {@code filePattern}.
     *
     * @param triggeringPolicy a policy that is not started and belongs to this appender alone; null: the file is not
     *     rolled
     * @return this
     */
    public BurstAppenderBuilder setPolicy(final TriggeringPolicy triggeringPolicy) {
        policy = triggeringPolicy;
        return this;
    }

    /**
     * Sets the strategy that names the rolled files and acts on them.
     *
     * @param rolloverStrategy the strategy; null: the default one of Log4j's own rolling appenders
     * @return this
     */
    public BurstAppenderBuilder setStrategy(final RolloverStrategy rolloverStrategy) {
        strategy = rolloverStrategy;
        return this;
    }

    /** Sets the policy as {@link #setPolicy} does. */
    public BurstAppenderBuilder withPolicy(final TriggeringPolicy triggeringPolicy) {
        return setPolicy(triggeringPolicy);
    }

    /** Sets the strategy as {@link #setStrategy} does. */
    public BurstAppenderBuilder withStrategy(final RolloverStrategy rolloverStrategy) {
        return setStrategy(rolloverStrategy);
    }

    /** Returns the policy that was set, or null. */
    public TriggeringPolicy getPolicy() {
        return policy;
    }

    /** Returns the strategy that was set, or null. */
    public RolloverStrategy getStrategy() {
        return strategy;
    }

    /** Sets the attribute {@code fileName}. */
    public BurstAppenderBuilder setFileName(final String value) {
        return set("fileName", value);
    }

    /** Sets the attribute {@code fileName}. */
    public BurstAppenderBuilder withFileName(final String value) {
        return set("fileName", value);
    }

    /** Sets the attribute {@code filePattern}. */
    public BurstAppenderBuilder setFilePattern(final String value) {
        return set("filePattern", value);
    }

    /** Sets the attribute {@code filePattern}. */
    public BurstAppenderBuilder withFilePattern(final String value) {
        return set("filePattern", value);
    }

    /** Sets the attribute {@code filePermissions}. */
    public BurstAppenderBuilder setFilePermissions(final String value) {
        return set("filePermissions", value);
    }

    /** Sets the attribute {@code filePermissions}. */
    public BurstAppenderBuilder withFilePermissions(final String value) {
        return set("filePermissions", value);
    }

    /** Sets the attribute {@code fileOwner}. */
    public BurstAppenderBuilder setFileOwner(final String value) {
        return set("fileOwner", value);
    }

    /** Sets the attribute {@code fileOwner}. */
    public BurstAppenderBuilder withFileOwner(final String value) {
        return set("fileOwner", value);
    }

    /** Sets the attribute {@code fileGroup}. */
    public BurstAppenderBuilder setFileGroup(final String value) {
        return set("fileGroup", value);
    }

    /** Sets the attribute {@code fileGroup}. */
    public BurstAppenderBuilder withFileGroup(final String value) {
        return set("fileGroup", value);
    }

    /** Sets the attribute {@code advertiseUri}. */
    public BurstAppenderBuilder setAdvertiseUri(final String value) {
        return set("advertiseUri", value);
    }

    /** Sets the attribute {@code advertiseUri}. */
    public BurstAppenderBuilder withAdvertiseUri(final String value) {
        return set("advertiseUri", value);
    }

    /** Sets the attribute {@code advertise}. */
    public BurstAppenderBuilder setAdvertise(final boolean value) {
        return set("advertise", String.valueOf(value));
    }

    /** Sets the attribute {@code advertise}. */
    public BurstAppenderBuilder withAdvertise(final boolean value) {
        return set("advertise", String.valueOf(value));
    }

    /** Sets the attribute {@code append}. */
    public BurstAppenderBuilder setAppend(final boolean value) {
        return set("append", String.valueOf(value));
    }

    /** Sets the attribute {@code append}. */
    public BurstAppenderBuilder withAppend(final boolean value) {
        return set("append", String.valueOf(value));
    }

    /** Sets the attribute {@code locking}. */
    public BurstAppenderBuilder setLocking(final boolean value) {
        return set("locking", String.valueOf(value));
    }

    /** Sets the attribute {@code locking}. */
    public BurstAppenderBuilder withLocking(final boolean value) {
        return set("locking", String.valueOf(value));
    }

    /** Sets the attribute {@code createOnDemand}. */
    public BurstAppenderBuilder setCreateOnDemand(final boolean value) {
        return set("createOnDemand", String.valueOf(value));
    }

    /** Sets the attribute {@code createOnDemand}. */
    public BurstAppenderBuilder withCreateOnDemand(final boolean value) {
        return set("createOnDemand", String.valueOf(value));
    }

    /** Sets the attribute {@code immediateFlush}. */
    public BurstAppenderBuilder setImmediateFlush(final boolean value) {
        return set("immediateFlush", String.valueOf(value));
    }

    /** Sets the attribute {@code immediateFlush}. */
    public BurstAppenderBuilder withImmediateFlush(final boolean value) {
        return set("immediateFlush", String.valueOf(value));
    }

    /** Sets the attribute {@code bufferedIO}. */
    public BurstAppenderBuilder setBufferedIo(final boolean value) {
        return set("bufferedIO", String.valueOf(value));
    }

    /** Sets the attribute {@code bufferedIO}. */
    public BurstAppenderBuilder withBufferedIo(final boolean value) {
        return set("bufferedIO", String.valueOf(value));
    }

    /** Sets the attribute {@code bufferSize}. */
    public BurstAppenderBuilder setBufferSize(final int value) {
        return set("bufferSize", String.valueOf(value));
    }

    /** Sets the attribute {@code bufferSize}. */
    public BurstAppenderBuilder withBufferSize(final int value) {
        return set("bufferSize", String.valueOf(value));
    }

    /** Returns the appender, not yet started. Its start names all values that cannot be used. */
    @Override
    public BurstAppender build() {
        if (parts != null) {
            set.putAll(parts.attributes());
        }
        final Layout<? extends Serializable> layout = getOrCreateLayout();
        return new BurstAppender(
                getName(),
                getFilter(),
                layout,
                isIgnoreExceptions(),
                getPropertyArray(),
                getConfiguration(),
                element(new Settings(set, WORDING), layout));
    }

    private BurstElement element(final Settings reader, final Layout<? extends Serializable> layout) {
        complainAboutElements(reader);
        final RollingReading ofRolling = new RollingReading(reader, policy, strategy);
        final String file = ofRolling.file();
        final String ring = RingTerms.ring(reader, file, ofRolling.folder());
        final RollingSettings rolling = ofRolling.settings(getName(), layout, getConfiguration());
        final BurstCopier.Away away = reader.oneOf("copyAway", BurstCopier.Away.class);
        final CopyTerms copy = CopyReading.read(reader, away, parts == null ? List.of() : parts.copies());
        final RingTerms.Reading ofRing = new RingTerms.Reading(reader, ring, copy);
        final List<ShipperSettings> shippers = shippers(reader);
        final StreamConfig.Builder ofFile = StreamTerms.read(reader, file, segmentsUnset(reader, file, shippers));
        final Ack ack = Settings.orDefault(reader.oneOf("ack", Ack.class), Ack.DURABLE);
        final AckRule ackRule = ackRule(reader, ack);
        final Advertisement advertisement =
                new Advertisement(Settings.orDefault(reader.flag("advertise"), false), reader.text("advertiseUri"));
        final List<String> withoutEffect = WITHOUT_EFFECT.stream()
                .filter(reader::has)
                .filter(name -> !ofRolling.isWanted() || !name.equals("createOnDemand"))
                .collect(Collectors.toList());
        complainAboutOverwriting(reader);
        reader.complainAboutWhatNobodyRead();
        final Location location = Location.of(ring, file);
        if (ring == null || file == null) {
            return new BurstElement(location, reader.complaints(), null);
        }
        try {
            final RingTerms terms = ofRing.terms();
            final StreamConfig config = ofFile.build();
            if (reader.complaints() == null) {
                mention(withoutEffect);
                final StreamTerms stream =
                        StreamTerms.of(terms, config, rolling == null ? null : rolling.filePattern(), ack);
                return new BurstElement(
                        location, null, new BurstElement.Terms(stream, rolling, ackRule, advertisement, shippers));
            }
            // Adds what the open would refuse, so that a user can correct all of it in one go.
            terms.config().check(config);
        } catch (final BurstException refusal) {
            reader.complain(refusal.getMessage());
        }
        return new BurstElement(location, reader.complaints(), null);
    }

    /** Complains about elements that would have no effect, or not the intended one. */
    private void complainAboutElements(final Settings reader) {
        if (parts != null) {
            parts.elements()
                    .forEach(name ->
                            reader.complain("the element <" + name + "> is unknown here: correct or remove it"));
            parts.unbuilt()
                    .forEach(name -> reader.complain("the element <" + name
                            + "> could not be built: correct what Log4j has said about it in the lines before"));
        }
    }

    private List<ShipperSettings> shippers(final Settings reader) {
        if (parts == null) {
            return List.of();
        }
        final String jmx = set.get("jmx");
        final boolean isManaged = jmx == null || !jmx.trim().equalsIgnoreCase("false");
        final Map<String, ShipperSettings> read = new LinkedHashMap<>();
        for (final InnerElement<ShipperElement> element : parts.shippers()) {
            final ShipperSettings each = ShipperSettings.read(element, reader, isManaged);
            final ShipperSettings other = read.put(each.consumer(), each);
            if (other != null) {
                reader.complain("two elements, <" + other.element() + "> and <" + each.element()
                        + ">, have the consumer " + each.consumer()
                        + ": give one of them another one by the attribute consumer, or remove it");
            }
        }
        return List.copyOf(read.values());
    }

    /**
     * Returns the default folder for events that wait for a shipper: one beside the log file, if an element asks for a
     * shipper.
     */
    private static String segmentsUnset(
            final Settings reader, final String file, final List<ShipperSettings> shippers) {
        if (reader.text("segments") != null || shippers.isEmpty() || file == null) {
            return null;
        }
        if (reader.text("fileName") == null) {
            reader.complain("the attribute segments is missing, and there is no fileName beside which a folder could"
                    + " be: set it to a folder, in which records wait for <"
                    + shippers.get(0).element() + ">");
            return null;
        }
        return file + ".segments";
    }

    private static void complainAboutOverwriting(final Settings reader) {
        final String appending = reader.text("append");
        if (appending != null && !appending.equalsIgnoreCase("true")) {
            reader.complain("append=\"" + appending + "\" cannot be used: existing events are never overwritten;"
                    + " remove the attribute, or move the old file away");
        }
    }

    private AckRule ackRule(final Settings reader, final Ack ack) {
        final Level least = reader.value(
                "ackLevel",
                text -> Level.getLevel(text.toUpperCase(Locale.ROOT)),
                "use the name of a level such as TRACE, DEBUG, INFO, WARN or ERROR");
        if (ack == Ack.ENQUEUED) {
            if (least != null) {
                reader.complain("ackLevel=\"" + least + "\" contradicts ack=\"enqueued\", under which no event is"
                        + " awaited: remove one of them");
            }
            return AckRule.enqueued();
        }
        return least == null ? AckRule.durable() : AckRule.durableFrom(least);
    }

    private void mention(final List<String> withoutEffect) {
        if (!withoutEffect.isEmpty()) {
            LOGGER.info(
                    "Burst '{}': {} without effect: the ring decides when an event is durable, and the log file is"
                            + " created and locked at start, and written in batches from the ring.",
                    getName(),
                    String.join(", ", withoutEffect));
        }
    }
}
