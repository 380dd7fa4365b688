// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Instant;

/**
 * How far a consumer of a folder of segments has got, at one moment: {@link BurstConsumer#look}.
 *
 * @param name the name of the consumer
 * @param acknowledged the number of the last acknowledged record; 0: none
 * @param acknowledgedAt the time of the last acknowledgement; null: never
 * @param lag how far the last acknowledged record is behind the end of the folder
 */
public record ConsumerState(String name, long acknowledged, Instant acknowledgedAt, ConsumerLag lag) {}
