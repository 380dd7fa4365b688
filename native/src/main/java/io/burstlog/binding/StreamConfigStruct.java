// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Structure;
import java.nio.charset.StandardCharsets;

/** {@code burst_stream_config_t}. Zero and null are the defaults of the engine. */
@Structure.FieldOrder({
    "structBytes",
    "onFull",
    "name",
    "fileName",
    "blockTimeoutNanos",
    "fileOwner",
    "fileGroup",
    "fileMode",
    "rollsByCaller",
    "rolling",
    "segments",
    "segmentBytes",
    "segmentsKeepBytes",
    "segmentsKeepNanos",
    "segmentsLimitBytes",
    "segmentsLimitNanos",
    "segmentsOverLimit",
    "index"
})
public final class StreamConfigStruct extends Structure implements Structure.ByReference {

    public int structBytes;
    public int onFull;
    public String name;
    public String fileName;
    public long blockTimeoutNanos;
    public String fileOwner;
    public String fileGroup;
    public int fileMode;
    public int rollsByCaller;
    public RollingStruct rolling;
    public String segments;
    public long segmentBytes;
    public long segmentsKeepBytes;
    public long segmentsKeepNanos;
    public long segmentsLimitBytes;
    public long segmentsLimitNanos;
    public int segmentsOverLimit;
    public int index;

    public StreamConfigStruct() {
        setStringEncoding(StandardCharsets.UTF_8.name());
        structBytes = size();
    }
}
