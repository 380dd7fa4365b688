// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A Postgres with a data folder of its own, with its usual settings (fsync, synchronous commit), that listens on a Unix
 * socket only. It refuses to be root: there it is the user {@code nobody}, who may enter the folders of the run.
 */
final class PostgresServer implements Closeable {

    private static final String USER = "bench";
    private static final String NOBODY = "65534";
    private static final Path INSTALLED = Path.of("/usr/lib/postgresql");
    private static final int END_SECONDS = 60;

    private final Process server;
    private final Path socket;

    private PostgresServer(Process server, Path socket) {
        this.server = server;
        this.socket = socket;
    }

    /** Starts it; it may be no earlier ready than its clients find it so. A folder that is not there is made. */
    static PostgresServer start(Path data, Media media) throws IOException, Media.NotPossible {
        Path programs = programs();
        Path socket = Files.createDirectories(media.memory());
        if (!Files.exists(data)) {
            Programs.run(asNobody(
                            programs.resolve("initdb"),
                            "--pgdata=" + data,
                            "--username=" + USER,
                            "--auth=trust",
                            "--encoding=UTF8",
                            "--locale=C",
                            "--no-instructions")
                    .toArray(String[]::new));
        }
        Process server = new ProcessBuilder(asNobody(
                        programs.resolve("postgres"),
                        "-D",
                        data.toString(),
                        "-k",
                        socket.toString(),
                        "-c",
                        "listen_addresses=",
                        "-c",
                        "fsync=on",
                        "-c",
                        "synchronous_commit=on"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        media.file("postgres.out").toFile()))
                .start();
        return new PostgresServer(server, socket);
    }

    /** The newest that is installed. */
    static Path programs() throws IOException, Media.NotPossible {
        if (Files.isDirectory(INSTALLED)) {
            try (Stream<Path> versions = Files.list(INSTALLED)) {
                return versions.map(version -> version.resolve("bin"))
                        .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
                        .max(Comparator.comparing(bin ->
                                Double.parseDouble(bin.getParent().getFileName().toString())))
                        .orElseThrow(() -> new Media.NotPossible(INSTALLED + " has no server"));
            }
        }
        throw new Media.NotPossible("Postgres is not installed (Debian's package postgresql)");
    }

    /** It may pass all folders: so it reads the programs, and writes below the run's. */
    private static List<String> asNobody(Path program, String... arguments) {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of(
                    "setpriv",
                    "--reuid=" + NOBODY,
                    "--regid=" + NOBODY,
                    "--clear-groups",
                    "--inh-caps=+dac_override",
                    "--ambient-caps=+dac_override"));
        }
        command.add(program.toString());
        command.addAll(List.of(arguments));
        return command;
    }

    /** For libpq. */
    String connection() {
        return "host=%s user=%s dbname=postgres".formatted(socket, USER);
    }

    /** SIGKILL to it and to all its processes. */
    void kill() throws IOException {
        List<ProcessHandle> all = new ArrayList<>(server.descendants().toList());
        all.add(server.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(all);
    }

    /** A fast shutdown: it ends its clients and writes a checkpoint. */
    @Override
    public void close() throws IOException {
        if (server.isAlive()) {
            try {
                Programs.run("kill", "-INT", Long.toString(server.pid()));
            } catch (Media.NotPossible ended) {
                server.destroy();
            }
            awaitEnd(List.of(server.toHandle()));
        }
    }

    private static void awaitEnd(List<ProcessHandle> all) throws IOException {
        try {
            for (ProcessHandle each : all) {
                each.onExit().get(END_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException interrupted) {
            all.forEach(ProcessHandle::destroyForcibly);
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException stays) {
            all.forEach(ProcessHandle::destroyForcibly);
            throw new IOException("Postgres did not end within " + END_SECONDS + " s and was killed.", stays);
        }
    }
}
