// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.jmx;

import io.burstlog.BurstStats;
import io.burstlog.BurstStream;
import javax.management.ObjectName;

/** What a log file of an open ring shows to management clients. */
public final class StreamManagement implements StreamMXBean {

    private final String ring;
    private final BurstStream stream;

    private StreamManagement(final String ring, final BurstStream stream) {
        this.ring = ring;
        this.stream = stream;
    }

    /**
     * Shows an open stream; if that fails a warning says so.
     *
     * @param ring the file or device that holds the ring
     * @param file the log file that the stream is known by
     * @param stream what is open
     * @return what ends that
     */
    public static Registration register(final String ring, final String file, final BurstStream stream) {
        return Registration.of(
                new StreamManagement(ring, stream),
                "type=Stream,ring=" + ObjectName.quote(ring) + ",file=" + ObjectName.quote(file),
                "the log file " + file);
    }

    @Override
    public String getRing() {
        return ring;
    }

    @Override
    public String getLogFile() {
        return stream.currentFile();
    }

    @Override
    public BurstStats.State getState() {
        return stream.stats().state();
    }

    @Override
    public long getDrainedSequence() {
        return stream.stats().drainedSequence();
    }

    @Override
    public long getDrainedRecords() {
        return stream.stats().drainedRecords();
    }

    @Override
    public long getDrainedBytes() {
        return stream.stats().drainedBytes();
    }

    @Override
    public long getHeldBytes() {
        return stream.stats().heldBytes();
    }

    @Override
    public long getFileBytes() {
        return stream.stats().fileBytes();
    }

    @Override
    public long getDiscarded() {
        return stream.stats().discarded();
    }
}
