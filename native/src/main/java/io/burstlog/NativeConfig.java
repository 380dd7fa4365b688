// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.ConfigStruct;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Set;

/** A configuration as the engine reads it. The order of each enum is that of its C counterpart. */
final class NativeConfig {

    private NativeConfig() {}

    static ConfigStruct of(BurstConfig config) {
        ConfigStruct struct = new ConfigStruct();
        struct.durability = config.durability().ordinal();
        struct.onFull = config.onFull().ordinal();
        struct.io = config.io().ordinal();
        struct.ring = config.ring();
        struct.fileName = config.fileName();
        struct.ringBytes = config.ringBytes();
        struct.maxRecordBytes = config.maxRecordBytes();
        struct.blockTimeoutNanos = nanosOf(config.blockTimeout());
        struct.drainIntervalNanos = nanosOf(config.drainInterval());
        struct.shutdownTimeoutNanos = nanosOf(config.shutdownTimeout());
        struct.fileOwner = config.fileOwner().orElse(null);
        struct.fileGroup = config.fileGroup().orElse(null);
        struct.fileMode = modeOf(config.filePermissions());
        struct.drainCpu = config.placement().drainCpu().orElse(null);
        struct.commitCpu = config.placement().commitCpu().orElse(null);
        struct.realtimePriority = config.placement().realtimePriority();
        struct.hugePages = config.placement().hugePages().ordinal();
        struct.commitSpin = config.placement().commitSpin() ? 1 : 0;
        struct.batchDelayNanos = nanosOf(config.batch().delay());
        struct.batchBytes = config.batch().bytes();
        return struct;
    }

    private static long nanosOf(Duration duration) {
        return NativeTime.isForever(duration) ? NativeTime.LONGEST_NANOS : duration.toNanos();
    }

    /** PosixFilePermission is declared from OWNER_READ, the highest of the nine mode bits, to OTHERS_EXECUTE. */
    private static int modeOf(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (PosixFilePermission permission : permissions) {
            mode |= 0400 >> permission.ordinal();
        }
        return mode;
    }
}
