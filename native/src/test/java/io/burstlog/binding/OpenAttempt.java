// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/**
 * Opens a log in a directory with each of the named libraries, "" for the default; returns the result of the last one.
 */
public final class OpenAttempt implements Callable<String> {

    static final String OPENED = "opened";

    private final String[] directoryAndLibraries;

    public OpenAttempt(String[] directoryAndLibraries) {
        this.directoryAndLibraries = directoryAndLibraries;
    }

    @Override
    public String call() {
        Path directory = Path.of(directoryAndLibraries[0]);
        String outcome = "";
        for (int i = 1; i < directoryAndLibraries.length; i++) {
            String library = directoryAndLibraries[i];
            BurstConfig config = BurstConfig.builder()
                    .ring(directory.resolve("orders.ring").toString())
                    .fileName(directory.resolve("orders.log").toString())
                    .ringBytes(4 << 20)
                    .durability(Durability.PROCESS)
                    .library(library.isEmpty() ? null : library)
                    .build();
            try (BurstLog log = BurstLog.open(config)) {
                log.append(new byte[1]);
                outcome = OPENED;
            } catch (BurstException refused) {
                outcome = refused.code() + ": " + refused.getMessage();
            }
        }
        return outcome;
    }
}
