// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.jmh;

import io.burstlog.bench.harness.Options;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.RunFolder;
import io.burstlog.bench.subject.Zram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The folders for rings and log files of one fork: below the folder of the whole run, and removed at its end. */
final class JmhPlace implements AutoCloseable {

    private final RunFolder folder;
    private final int bytes;
    private Media media;

    JmhPlace(int bytes) throws IOException {
        this.bytes = bytes;
        folder = RunFolder.partOf(Path.of(System.getProperty(JmhRun.FOLDER, ".")));
        media = on("");
    }

    private Media on(String devices) throws IOException {
        return new Media(new Options(List.of(
                "--dir",
                folder.path().toString(),
                "--memory",
                folder.memory().toString(),
                "--devices",
                devices,
                "--bytes",
                Integer.toString(bytes))));
    }

    Media media() {
        return media;
    }

    /** Makes the medium if it must be made. */
    String medium(String ring) throws IOException, Media.NotPossible {
        return switch (ring) {
            case "zram" -> {
                media = on(Zram.make(1, folder.path()).get(0).toString());
                yield "device";
            }
            case "ssd-file" -> "ssd";
            case "tmpfs" -> "mapped";
            default -> ring;
        };
    }

    @Override
    public void close() {
        folder.close();
    }
}
