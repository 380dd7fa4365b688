// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

/**
 * Shows an anchor of an archiver to management clients, as
 * {@code io.burstlog:type=Anchor,folder="<folder>",archive="<archive>",name="<name>"}.
 */
public interface AnchorMXBean {

    /** {@return how many leaves the newest head has that it has confirmed} */
    long getLeaves();

    /** {@return how often it did not confirm a head} */
    long getFailures();

    /** {@return whether it did not confirm the last one that it was asked for} */
    boolean isFailing();

    /** {@return the reason for that; null if it did} */
    String getFailure();
}
