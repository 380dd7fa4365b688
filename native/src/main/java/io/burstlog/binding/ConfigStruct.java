// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Structure;
import java.nio.charset.StandardCharsets;

/** {@code burst_config_t}. Zero and null are the defaults of the engine. */
@Structure.FieldOrder({
    "structBytes",
    "durability",
    "io",
    "hugePages",
    "ring",
    "main",
    "ringBytes",
    "maxRecordBytes",
    "drainIntervalNanos",
    "shutdownTimeoutNanos",
    "batchDelayNanos",
    "batchBytes",
    "drainCpu",
    "commitCpu",
    "realtimePriority",
    "commitSpin",
    "windowMode",
    "window",
    "drain",
    "copy"
})
public final class ConfigStruct extends Structure {

    public int structBytes;
    public int durability;
    public int io;
    public int hugePages;
    public String ring;
    public StreamConfigStruct main;
    public long ringBytes;
    public long maxRecordBytes;
    public long drainIntervalNanos;
    public long shutdownTimeoutNanos;
    public long batchDelayNanos;
    public long batchBytes;
    public String drainCpu;
    public String commitCpu;
    public int realtimePriority;
    public int commitSpin;
    public int windowMode;
    public String window;
    public int drain;
    public String copy;

    public ConfigStruct() {
        setStringEncoding(StandardCharsets.UTF_8.name());
        structBytes = size();
    }
}
