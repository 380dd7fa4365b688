// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.ConfigStruct;
import io.burstlog.binding.StreamConfigStruct;
import java.util.Set;

/** Configurations as the engine reads them. */
final class NativeConfig {

    /** The values that the engine does not get. */
    private static final Set<String> OF_JAVA = Set.of("binding", "library", "listener");

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

    /** @param streamName null for a stream that is named by its log file, and for the main stream */
    static StreamConfigStruct of(String streamName, StreamConfig config) {
        StreamConfigStruct struct = new StreamConfigStruct();
        struct.name = streamName;
        config.values().forEach((name, value) -> ConfigValues.write(struct, name, value));
        return struct;
    }
}
