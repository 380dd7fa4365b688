// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Structure;
import java.nio.charset.StandardCharsets;

/** {@code burst_config_t}. Zero and null are the defaults of the engine. */
@Structure.FieldOrder({
    "structBytes",
    "durability",
    "onFull",
    "io",
    "ring",
    "fileName",
    "ringBytes",
    "maxRecordBytes",
    "blockTimeoutNanos",
    "drainIntervalNanos",
    "shutdownTimeoutNanos",
    "fileOwner",
    "fileGroup",
    "fileMode",
    "reserved",
    "drainCpu",
    "commitCpu",
    "realtimePriority",
    "hugePages",
    "commitSpin",
    "reserved2",
    "batchDelayNanos",
    "batchBytes",
    "rolling",
    "segments",
    "segmentBytes",
    "segmentsKeepBytes",
    "segmentsKeepNanos",
    "segmentsLimitBytes",
    "segmentsLimitNanos",
    "segmentsOverLimit",
    "reserved3"
})
public final class ConfigStruct extends Structure {

    public int structBytes;
    public int durability;
    public int onFull;
    public int io;
    public String ring;
    public String fileName;
    public long ringBytes;
    public long maxRecordBytes;
    public long blockTimeoutNanos;
    public long drainIntervalNanos;
    public long shutdownTimeoutNanos;
    public String fileOwner;
    public String fileGroup;
    public int fileMode;
    public int reserved;
    public String drainCpu;
    public String commitCpu;
    public int realtimePriority;
    public int hugePages;
    public int commitSpin;
    public int reserved2;
    public long batchDelayNanos;
    public long batchBytes;
    public RollingStruct rolling;
    public String segments;
    public long segmentBytes;
    public long segmentsKeepBytes;
    public long segmentsKeepNanos;
    public long segmentsLimitBytes;
    public long segmentsLimitNanos;
    public int segmentsOverLimit;
    public int reserved3;

    public ConfigStruct() {
        setStringEncoding(StandardCharsets.UTF_8.name());
        structBytes = size();
    }
}
