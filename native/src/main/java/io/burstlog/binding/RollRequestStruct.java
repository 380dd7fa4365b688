// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Structure;

/** {@code burst_roll_request_t}. */
@Structure.FieldOrder({
    "structBytes",
    "noteBytes",
    "sequence",
    "timeNanos",
    "fileBornNanos",
    "fileNumber",
    "fileBytes",
    "file",
    "target",
    "nextFile",
    "note"
})
public final class RollRequestStruct extends Structure {

    private static final int NOTE_BYTES = 1024;

    public int structBytes;
    public int noteBytes;
    public long sequence;
    public long timeNanos;
    public long fileBornNanos;
    public long fileNumber;
    public long fileBytes;
    public byte[] file = new byte[Engine.PATH_BYTES];
    public byte[] target = new byte[Engine.PATH_BYTES];
    public byte[] nextFile = new byte[Engine.PATH_BYTES];
    public byte[] note = new byte[NOTE_BYTES];

    public RollRequestStruct() {
        structBytes = size();
    }
}
