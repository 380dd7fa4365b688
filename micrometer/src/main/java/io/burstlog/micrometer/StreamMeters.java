// SPDX-License-Identifier: Apache-2.0
package io.burstlog.micrometer;

import io.burstlog.BurstStats;
import io.burstlog.jmx.StreamMXBean;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/** The meters of a log file. */
final class StreamMeters {

    private StreamMeters() {}

    static Meters of(MeterRegistry registry, Tags tags, StreamMXBean file) {
        Meters meters = new Meters(registry, tags);
        meters.counter("burstlog.file.records", null, "Records written to the log file", file::getDrainedRecords);
        meters.counter("burstlog.file.written", "bytes", "Bytes of these records", file::getDrainedBytes);
        meters.counter(
                "burstlog.file.discarded", null, "Records of the log file dropped, full ring", file::getDiscarded);
        meters.gauge("burstlog.file.length", "bytes", "Length of the log file that is written now", file::getFileBytes);
        meters.gauge(
                "burstlog.file.held",
                "bytes",
                "Bytes of the ring behind the first record that waits for the log file",
                file::getHeldBytes);
        meters.state("burstlog.file.state", BurstStats.State.class, "1: the log file is in this state", file::getState);
        return meters;
    }
}
