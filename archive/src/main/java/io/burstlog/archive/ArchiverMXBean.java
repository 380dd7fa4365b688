// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

/**
 * Shows the {@link ArchiverStats} of an archiver to management clients, as
 * {@code io.burstlog:type=Archiver,folder="<folder>",archive="<archive>"}.
 */
public interface ArchiverMXBean {

    /** {@return how many leaves the newest signed head has} */
    long getLeaves();

    /** {@return the newest sequence under that head} */
    long getSequence();

    /** {@return when the archiver signed it, in seconds since 1970; 0: it has signed none yet} */
    double getHeadSeconds();

    /** {@return how many records it has archived} */
    long getRecords();

    /** {@return how many bytes these had} */
    long getBytes();

    /** {@return how often it had to begin anew} */
    long getFailures();

    /** {@return how many records wait in the folder} */
    long getLagRecords();

    /** {@return how many bytes of segments these have} */
    long getLagBytes();

    /** {@return all records that are older than so many seconds are in the archive} */
    double getLagSeconds();

    /** {@return why it has ended by itself; null if it has not} */
    String getFailure();
}
