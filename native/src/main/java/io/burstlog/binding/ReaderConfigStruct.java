// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Structure;
import java.nio.charset.StandardCharsets;

/** {@code burst_reader_config_t}. Zero and null are the defaults of the engine. */
@Structure.FieldOrder({"structBytes", "wait", "source", "window", "stream", "from", "reserved", "fromValue", "archives"
})
public final class ReaderConfigStruct extends Structure {

    public int structBytes;
    public int wait;
    public String source;
    public String window;
    public String stream;
    public int from;
    public int reserved;
    public long fromValue;
    public String archives;

    public ReaderConfigStruct() {
        setStringEncoding(StandardCharsets.UTF_8.name());
        structBytes = size();
    }
}
