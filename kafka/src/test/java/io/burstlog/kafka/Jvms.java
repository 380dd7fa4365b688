// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Starts the processes of the kill rig: with the classes of their kind from an archive, since most of their time goes
 * into loading these; and with a clock that can be shifted while they run.
 *
 * @param clockShim a library that adds the number in a file to CLOCK_REALTIME
 * @param archives where they are; one that is missing is made when a process of its kind ends in order
 */
record Jvms(Path clockShim, Path archives) {

    void prepare(ProcessBuilder builder, String kind, Path clock) {
        Path archive = archives.resolve(kind + ".jsa");
        String use = Files.exists(archive) ? "-XX:SharedArchiveFile=" : "-XX:ArchiveClassesAtExit=";
        builder.command().addAll(1, List.of("-Xlog:disable", "-XX:-UsePerfData", use + archive));
        builder.environment().put("LD_PRELOAD", clockShim.toString());
        builder.environment().put("SHIFTED_CLOCK", clock.toString());
    }

    /** Shifts the clock of all processes that were started with this file, from now on. */
    static void shiftClock(Path clock, long nanos) throws IOException {
        ByteBuffer shift = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        Files.write(clock, shift.putLong(nanos).array(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }
}
