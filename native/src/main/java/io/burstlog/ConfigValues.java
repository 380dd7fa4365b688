// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import com.sun.jna.Structure;
import io.burstlog.binding.RollingStruct;
import java.lang.reflect.Field;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reads the values of a configuration, which are the fields of its builder, and writes each to the engine's field of
 * the same name. A time becomes nanoseconds. A constant of an enum becomes its ordinal, since both enums have the same
 * order.
 */
final class ConfigValues {

    private static final Set<Class<?>> MAY_BE_NULL =
            Set.of(String.class, Consumer.class, Rolling.class, Segments.class, StreamConfig.class);

    private ConfigValues() {}

    /** Returns an unmodifiable map without null values, in the order of the names. */
    static Map<String, Object> of(Object builder) {
        Map<String, Object> values = new TreeMap<>();
        for (Field field : builder.getClass().getDeclaredFields()) {
            Object value = valueOf(builder, field);
            if (value != null) {
                values.put(field.getName(), value);
            }
        }
        return Collections.unmodifiableMap(values);
    }

    private static Object valueOf(Object builder, Field field) {
        try {
            field.setAccessible(true);
            Object value = field.get(builder);
            return MAY_BE_NULL.contains(field.getType()) ? value : Objects.requireNonNull(value, field.getName());
        } catch (IllegalAccessException impossibleInOneModule) {
            throw new LinkageError(field.getName(), impossibleInOneModule);
        }
    }

    static void write(Structure struct, String name, Object value) {
        if (value instanceof Duration time) {
            struct.writeField(name + "Nanos", nanosOf(time));
        } else if (value instanceof Enum<?> constant) {
            struct.writeField(name, constant.ordinal());
        } else if (value instanceof Boolean flag) {
            struct.writeField(name, flag ? 1 : 0);
        } else if (value instanceof StreamConfig stream) {
            struct.writeField(name, NativeConfig.of(null, stream));
        } else if (value instanceof Rolling rolling) {
            struct.writeField(name, structOf(rolling));
        } else if (value instanceof Segments segments) {
            write(struct, segments);
        } else if (value instanceof Set<?> permissions) {
            struct.writeField(name.replace("Permissions", "Mode"), modeOf(permissions));
        } else {
            struct.writeField(name, value);
        }
    }

    private static void write(Structure struct, Segments segments) {
        struct.writeField("segments", segments.folder());
        struct.writeField("segmentBytes", segments.bytes());
        struct.writeField("segmentsKeepBytes", segments.keepBytes());
        struct.writeField("segmentsKeepNanos", nanosOf(segments.keep()));
        struct.writeField("segmentsLimitBytes", segments.limitBytes());
        struct.writeField("segmentsLimitNanos", nanosOf(segments.limit()));
        struct.writeField("segmentsOverLimit", segments.release() ? 1 : 0);
    }

    private static RollingStruct structOf(Rolling rolling) {
        RollingStruct struct = new RollingStruct();
        struct.compress = rolling.compression().format().ordinal();
        struct.compressLevel = rolling.compression().level();
        struct.compressDelayNanos = nanosOf(rolling.compression().delay());
        struct.pattern = rolling.pattern();
        struct.size = rolling.size();
        struct.intervalNanos = nanosOf(rolling.interval());
        struct.keepFiles = rolling.keepFiles();
        struct.keepBytes = rolling.keepBytes();
        struct.keepNanos = nanosOf(rolling.keep());
        struct.newestByTime = rolling.newestByTime() ? 1 : 0;
        return struct;
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
