// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Structure;

/** {@code burst_event_t}. */
@Structure.FieldOrder({"structBytes", "severity", "timeNanos", "text"})
public final class EventStruct extends Structure {

    private static final int TEXT_BYTES = 512;

    public int structBytes;
    public int severity;
    public long timeNanos;
    public byte[] text = new byte[TEXT_BYTES];

    public EventStruct() {
        structBytes = size();
    }

    public String sentence() {
        return Engine.terminated(text);
    }
}
