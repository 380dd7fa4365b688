// SPDX-License-Identifier: Apache-2.0

/** The handler {@link io.burstlog.jul.BurstHandler} for {@code java.util.logging}. */
module io.burstlog.jul {
    requires io.burstlog;
    requires transitive java.logging;

    exports io.burstlog.jul;
}
