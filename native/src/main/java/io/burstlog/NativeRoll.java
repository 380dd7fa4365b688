// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.Engine;
import io.burstlog.binding.RollRequestStruct;
import io.burstlog.binding.RollStruct;
import java.util.Arrays;

/** Rolls as the engine reads and writes them. */
final class NativeRoll {

    private NativeRoll() {}

    /** Loads what a roll needs, so that the first one does not hold up the thread that logs. */
    static void prepare() {
        of(Roll.to(null));
        toRequest(new RollRequestStruct());
    }

    static RollStruct of(Roll roll) {
        RollStruct struct = new RollStruct();
        struct.footer = RollStruct.copyOf(roll.footer());
        struct.footerBytes = roll.footer().length;
        struct.header = RollStruct.copyOf(roll.header());
        struct.headerBytes = roll.header().length;
        struct.target = roll.target();
        struct.nextFile = roll.nextFile();
        struct.note = RollStruct.copyOf(roll.note());
        struct.noteBytes = roll.note().length;
        struct.nextTimeNanos = roll.nextTimeNanos();
        struct.nextFileBytes = roll.nextFileBytes();
        return struct;
    }

    static RollRequest toRequest(RollRequestStruct struct) {
        return new RollRequest(
                struct.sequence,
                struct.timeNanos,
                struct.fileBornNanos,
                struct.fileNumber,
                struct.fileBytes,
                Engine.terminated(struct.file),
                Engine.terminated(struct.target),
                Engine.terminated(struct.nextFile),
                Arrays.copyOf(struct.note, struct.noteBytes));
    }
}
