// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.ConfigStruct;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Set;

/**
 * A configuration as the engine reads it. Each value goes to the field of its name: a time in nanoseconds, a constant
 * of an enum, whose order is that of its C counterpart, as its ordinal.
 */
final class NativeConfig {

    /** What does not reach the engine. */
    private static final Set<String> OF_JAVA = Set.of("binding", "library", "listener");

    private NativeConfig() {}

    static ConfigStruct of(BurstConfig config) {
        ConfigStruct struct = new ConfigStruct();
        config.values().forEach((name, value) -> {
            if (!OF_JAVA.contains(name)) {
                write(struct, name, value);
            }
        });
        return struct;
    }

    private static void write(ConfigStruct struct, String name, Object value) {
        if (value instanceof Duration time) {
            struct.writeField(name + "Nanos", nanosOf(time));
        } else if (value instanceof Enum<?> constant) {
            struct.writeField(name, constant.ordinal());
        } else if (value instanceof Boolean flag) {
            struct.writeField(name, flag ? 1 : 0);
        } else if (value instanceof Set<?> permissions) {
            struct.writeField("fileMode", modeOf(permissions));
        } else {
            struct.writeField(name, value);
        }
    }

    private static long nanosOf(Duration duration) {
        return NativeTime.isForever(duration) ? NativeTime.LONGEST_NANOS : duration.toNanos();
    }

    /** PosixFilePermission is declared from OWNER_READ, the highest of the nine mode bits, to OTHERS_EXECUTE. */
    private static int modeOf(Set<?> permissions) {
        int mode = 0;
        for (Object permission : permissions) {
            mode |= 0400 >> ((PosixFilePermission) permission).ordinal();
        }
        return mode;
    }
}
