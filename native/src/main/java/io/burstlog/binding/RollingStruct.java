// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Structure;
import java.nio.charset.StandardCharsets;

/** {@code burst_rolling_t}, to which a configuration points. */
@Structure.FieldOrder({
    "structBytes",
    "compress",
    "pattern",
    "size",
    "intervalNanos",
    "keepFiles",
    "keepBytes",
    "keepNanos",
    "compressLevel",
    "newestByTime",
    "compressDelayNanos"
})
public final class RollingStruct extends Structure implements Structure.ByReference {

    public int structBytes;
    public int compress;
    public String pattern;
    public long size;
    public long intervalNanos;
    public long keepFiles;
    public long keepBytes;
    public long keepNanos;
    public int compressLevel;
    public int newestByTime;
    public long compressDelayNanos;

    public RollingStruct() {
        setStringEncoding(StandardCharsets.UTF_8.name());
        structBytes = size();
    }
}
