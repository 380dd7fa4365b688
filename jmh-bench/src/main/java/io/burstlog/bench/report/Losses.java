// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import java.util.Map;

/** What a crash of the kernel or a loss of power would lose, as far as system calls show it. */
final class Losses {

    private Losses() {}

    static String ofPower(Map<String, Object> target) {
        double events = Json.number(target.get("events"));
        double durable = Json.number(target.get("durableWrites"))
                + Json.number(target.get("syncs"))
                + Json.number(target.get("waitingMsyncs"));
        if (durable >= events) {
            return "nothing, if the disk honours flushes: a durable write or a sync for each event";
        }
        if (Json.number(target.get("directWrites")) >= events) {
            return "nothing, if the device keeps what it has acknowledged (zram does not): a direct write for each event, past"
                    + " the page cache";
        }
        if (Json.number(target.get("ioUringEnters")) >= events) {
            return "not seen: written through io_uring, which strace does not show";
        }
        if (((String) target.get("name")).endsWith("@mapped")) {
            return "everything, here: a file in tmpfs survives the process only. On persistent memory nothing: there the lines of"
                    + " each event are written back before its call returns";
        }
        if (durable > 0) {
            return "up to %,.0f events: %,.0f syncs for %,.0f events".formatted(events / durable, durable, events);
        }
        return "everything that the kernel has not written back by itself, for seconds: no sync at all";
    }
}
