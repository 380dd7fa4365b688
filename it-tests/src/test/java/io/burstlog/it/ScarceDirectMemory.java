// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A child process with little memory outside its heap. It logs many long events, then takes all of that memory, and
 * logs many short events. It ends if a log call throws.
 */
final class ScarceDirectMemory {
    static final int LONG_EVENTS = 200;
    static final int SHORT_EVENTS = 3_000;

    private ScarceDirectMemory() {}

    public static void main(String[] arguments) {
        Logger logger = LogManager.getLogger("it");
        String longText = "x".repeat(300_000);
        for (int i = 0; i < LONG_EVENTS; i++) {
            logger.info(longText);
        }
        List<ByteBuffer> taken = takeAllMemory();
        for (int i = 0; i < SHORT_EVENTS; i++) {
            logger.info("short");
        }
        System.out.println(taken.isEmpty() ? "took nothing" : "took it all");
    }

    static List<ByteBuffer> takeAllMemory() {
        List<ByteBuffer> taken = new ArrayList<>();
        for (int bytes = 1 << 20; bytes > 0; ) {
            try {
                taken.add(ByteBuffer.allocateDirect(bytes));
            } catch (OutOfMemoryError none) {
                bytes /= 2;
            }
        }
        return taken;
    }
}
