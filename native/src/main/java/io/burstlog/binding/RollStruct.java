// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import java.nio.charset.StandardCharsets;

/** {@code burst_roll_t}. */
@Structure.FieldOrder({
    "structBytes",
    "reserved",
    "footer",
    "footerBytes",
    "header",
    "headerBytes",
    "target",
    "nextFile",
    "note",
    "noteBytes",
    "nextTimeNanos",
    "nextFileBytes"
})
public final class RollStruct extends Structure {

    public int structBytes;
    public int reserved;
    public Pointer footer;
    public long footerBytes;
    public Pointer header;
    public long headerBytes;
    public String target;
    public String nextFile;
    public Pointer note;
    public long noteBytes;
    public long nextTimeNanos;
    public long nextFileBytes;

    public RollStruct() {
        setStringEncoding(StandardCharsets.UTF_8.name());
        structBytes = size();
    }

    /** Returns a copy outside the heap, which lives as long as the returned object is reachable. */
    public static Pointer copyOf(byte[] bytes) {
        if (bytes.length == 0) {
            return Pointer.NULL;
        }
        Memory copy = new Memory(bytes.length);
        copy.write(0, bytes, 0, bytes.length);
        return copy;
    }
}
