// SPDX-License-Identifier: Apache-2.0
package io.burstlog.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.MBeanServer;

/**
 * Figures of every ring and log file that this process has open and shows to management clients: those of the Log4j
 * appender {@code <Burst>}, unless it has {@code jmx="false"}, and those of {@link io.burstlog.jmx.Registration}. Rings
 * that are opened later get their meters then, and lose them when they are closed.
 *
 * <pre>{@code
 * new BurstMetrics().bindTo(registry);
 * }</pre>
 *
 * <p>Nothing is done for a record: a meter asks for its figure when it is published. docs/metrics.md lists the meters.
 *
 * <p>Safe for use by any thread.
 */
public final class BurstMetrics implements MeterBinder, AutoCloseable {

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final Tags tags;
    private final List<ShownLogs> bound = new CopyOnWriteArrayList<>();

    /** Meters with the tags {@code ring} and {@code file} of what they are about. */
    public BurstMetrics() {
        this(Tags.empty());
    }

    /**
     * Meters with further tags.
     *
     * @param tags what each meter has beside its own
     */
    public BurstMetrics(Iterable<Tag> tags) {
        this.tags = Tags.of(tags);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        bound.add(ShownLogs.listen(server, registry, tags));
    }

    /** Removes all meters, and adds none for rings that are opened from now on. */
    @Override
    public void close() {
        for (ShownLogs logs : bound) {
            logs.end();
        }
        bound.clear();
    }
}
