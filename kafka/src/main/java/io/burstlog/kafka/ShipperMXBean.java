// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

/**
 * Shows a shipper's {@link ShipperStats} to management clients, as
 * {@code io.burstlog:type=Shipper,folder="<folder>",topic="<topic>",consumer="<consumer>"}.
 */
public interface ShipperMXBean {

    /** {@return what it is doing} */
    ShipperStats.State getState();

    /** {@return the highest number that is known to be in the topic} */
    long getShippedNumber();

    /** {@return how many records it has shipped} */
    long getRecords();

    /** {@return how many bytes these had} */
    long getBytes();

    /** {@return how many transactions these took} */
    long getTransactions();

    /** {@return how often it had to begin anew} */
    long getFailures();

    /** {@return how many records wait in the folder} */
    long getLagRecords();

    /** {@return how many bytes of segments these have} */
    long getLagBytes();

    /** {@return the age of the first of them, in seconds} */
    double getLagSeconds();

    /** {@return whether it has ended by itself} */
    boolean isEnded();

    /** {@return why it has ended by itself; null if it has not} */
    String getFailure();
}
