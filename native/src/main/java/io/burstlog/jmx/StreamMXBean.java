// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jmx;

import io.burstlog.BurstStats;

/**
 * The view of a management client on a log file of an open ring, under
 * {@code io.burstlog:type=Stream,ring="<ring>",file="<file>"}. An attribute has the value of the moment at which a
 * client reads it.
 */
public interface StreamMXBean {

    /** {@return the file or device that holds the ring} */
    String getRing();

    /** {@return the log file that is written now} */
    String getLogFile();

    /** {@return the state of the stream; STALLED if its own log file cannot be written} */
    BurstStats.State getState();

    /** {@return the sequence up to which every record of the stream is durable in the log file} */
    long getDrainedSequence();

    /** {@return records written to the log file since the ring was opened} */
    long getDrainedRecords();

    /** {@return bytes of these records} */
    long getDrainedBytes();

    /**
     * {@return bytes of the ring from the first record that waits for the log file on; no stream can use them until the
     * file has that record}
     */
    long getHeldBytes();

    /** {@return length of the log file as far as it has been written, in bytes} */
    long getFileBytes();

    /** {@return records dropped because the ring was full} */
    long getDiscarded();
}
