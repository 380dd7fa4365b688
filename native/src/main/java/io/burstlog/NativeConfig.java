// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.ConfigStruct;
import io.burstlog.binding.StreamConfigStruct;
import java.util.Set;

/** Configurations as the engine reads them. */
final class NativeConfig {

    /** What does not reach the engine. */
    private static final Set<String> OF_JAVA = Set.of("binding", "library", "listener");

    /** What the main stream does not have. */
    private static final Set<String> OF_STREAMS = Set.of("rollsByCaller");

    private NativeConfig() {}

    static ConfigStruct of(BurstConfig config) {
        ConfigStruct struct = new ConfigStruct();
        config.values().forEach((name, value) -> {
            if (!OF_JAVA.contains(name)) {
                ConfigValues.write(struct, name, value);
            }
        });
        return struct;
    }

    /** As if the stream were the main stream. */
    static ConfigStruct of(BurstConfig config, StreamConfig stream) {
        ConfigStruct struct = of(config);
        stream.values().forEach((name, value) -> {
            if (!OF_STREAMS.contains(name)) {
                ConfigValues.write(struct, name, value);
            }
        });
        return struct;
    }

    /** @param streamName null for that of the log file */
    static StreamConfigStruct of(String streamName, StreamConfig config) {
        StreamConfigStruct struct = new StreamConfigStruct();
        struct.name = streamName;
        config.values().forEach((name, value) -> ConfigValues.write(struct, name, value));
        return struct;
    }
}
