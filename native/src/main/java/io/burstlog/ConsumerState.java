// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Instant;

/**
 * How far a consumer of a folder of segments has got, at one moment: {@link BurstConsumer#look}.
 *
 * @param name what it is known by
 * @param acknowledged the number of the last record that it has acknowledged; 0: none
 * @param acknowledgedAt when it did so; null: never
 * @param lag how far that is behind the end of the folder
 */
public record ConsumerState(String name, long acknowledged, Instant acknowledgedAt, ConsumerLag lag) {}
