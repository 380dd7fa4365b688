// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jmx;

import io.burstlog.BurstStats;
import io.burstlog.BurstStream;

/** Shows a log file of an open ring to management clients. */
final class StreamManagement implements StreamMXBean {

    private final String ring;
    private final BurstStream stream;

    StreamManagement(String ring, BurstStream stream) {
        this.ring = ring;
        this.stream = stream;
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
