// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jmx;

import io.burstlog.BurstStats;

/**
 * A log file of an open ring as a management client sees it, under
 * {@code io.burstlog:type=Stream,ring="<ring>",file="<file>"}. Each attribute is read when it is asked for.
 */
public interface StreamMXBean {

    /** {@return the file or device that holds the ring} */
    String getRing();

    /** {@return the log file that is written now} */
    String getLogFile();

    /** {@return what the stream is doing: STALLED if its own log file cannot be written} */
    BurstStats.State getState();

    /** {@return the sequence up to which every record of the stream is durable in the log file} */
    long getDrainedSequence();

    /** {@return records written to the log file since the ring was opened} */
    long getDrainedRecords();

    /** {@return bytes of these records} */
    long getDrainedBytes();

    /**
     * {@return bytes of the ring from the first record that waits for the log file; no stream gets them back until
     * then}
     */
    long getHeldBytes();

    /** {@return length of the log file as far as it has been written, in bytes} */
    long getFileBytes();

    /** {@return records dropped because the ring was full} */
    long getDiscarded();
}
