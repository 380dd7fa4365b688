// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

/**
 * Figures of a {@link KafkaShipper} since it was started.
 *
 * @param state what it is doing
 * @param shippedNumber the highest number that is known to be in the topic; 0: none yet
 * @param records how many records it has shipped
 * @param bytes the payload bytes of these records
 * @param transactions how many transactions carried them
 * @param failures how often the shipper had to begin anew
 * @param lagRecords how many records were in the folder and not known to be in the topic, when the shipper last looked
 * @param lagBytes the bytes of segments that hold these
 * @param lagSeconds the age now of the first of them that is neither lost nor missing, by its event time; if all are,
 *     of the first one at the look before; 0 if none waits, or nobody knows
 */
public record ShipperStats(
        State state,
        long shippedNumber,
        long records,
        long bytes,
        long transactions,
        long failures,
        long lagRecords,
        long lagBytes,
        double lagSeconds) {

    /** The state of a shipper. */
    public enum State {
        /** It asks the brokers where to go on. */
        CONNECTING,
        /** It ships, or waits for records. */
        SHIPPING,
        /** The last try failed; it waits, and then begins anew. */
        WAITING,
        /** Another shipper has taken over, or the brokers are refused. It does nothing any more. */
        FAILED,
        /** It was closed. */
        CLOSED
    }
}
