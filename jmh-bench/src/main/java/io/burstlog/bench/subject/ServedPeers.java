// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.bench.harness.ChildJvm;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Peers in processes of their own, by name. Their native programs are built by {@code scripts/bench/all} where the
 * library is there, into the folder {@code -Dbench.peers}; beside each one that could not be built a file says why.
 */
final class ServedPeers {

    private static final String ARCHIVE = "aeron-archive";
    private static final String PICOLOGGER = "picologger";

    /** A text file with a line for each message, or a store of its own format, which its program counts. */
    private enum Place {
        LOG(".log"),
        STORE(".store"),
        SERVER(".store");

        private final String suffix;

        Place(String suffix) {
            this.suffix = suffix;
        }
    }

    /** @param options of its program, behind the message */
    private record Peer(String program, Place place, List<String> options) {}

    private static final Map<String, Peer> PEERS = Map.of(
            "quill-flush",
            new Peer("quill_peer", Place.LOG, List.of("flush")),
            "quill-fsync",
            new Peer("quill_peer", Place.LOG, List.of("fsync")),
            "spdlog-flush",
            new Peer("spdlog_peer", Place.LOG, List.of()),
            "rocksdb-sync",
            new Peer("rocksdb_peer", Place.STORE, List.of()),
            "sqlite-full",
            new Peer("sqlite_peer", Place.STORE, List.of()),
            "postgres-commit",
            new Peer("postgres_peer", Place.SERVER, List.of()),
            ARCHIVE,
            new Peer(ARCHIVE, Place.STORE, List.of()),
            PICOLOGGER,
            new Peer(PICOLOGGER, Place.STORE, List.of()));

    private ServedPeers() {}

    static boolean has(String name) {
        return PEERS.containsKey(name);
    }

    static Target open(String name, Media media) throws IOException, Media.NotPossible {
        Peer peer = PEERS.get(name);
        List<String> program = program(peer, media);
        Path place = place(name, media);
        Path said = media.file(Study.fileName(name) + ".err");
        if (peer.place() != Place.SERVER) {
            ServedProgram child =
                    ServedProgram.start(name, command(program, "serve", place.toString(), peer, media), said);
            ServedTarget.Action settles = peer.place() == Place.LOG ? () -> LogFiles.sync(place) : () -> {};
            return new ServedTarget(name, child, settles, () -> {}, () -> {});
        }
        PostgresServer server = PostgresServer.start(place, media);
        try {
            ServedProgram child =
                    ServedProgram.start(name, command(program, "serve", server.connection(), peer, media), said);
            return new ServedTarget(name, child, () -> {}, server::kill, server::close);
        } catch (IOException | Media.NotPossible failure) {
            server.close();
            throw failure;
        }
    }

    /** Counts the messages that are left. */
    static long found(String name, Media media) throws IOException, Media.NotPossible {
        Peer peer = PEERS.get(name);
        Path place = place(name, media);
        if (peer.place() == Place.LOG) {
            return LogFiles.lines(place);
        }
        List<String> count = new ArrayList<>(program(peer, media));
        if (peer.place() == Place.STORE) {
            count.addAll(List.of("count", place.toString()));
            return Long.parseLong(Programs.output(count));
        }
        try (PostgresServer server = PostgresServer.start(place, media)) {
            count.addAll(List.of("count", server.connection()));
            return Long.parseLong(Programs.output(count));
        }
    }

    private static Path place(String name, Media media) {
        return media.file(Study.fileName(name) + PEERS.get(name).place().suffix);
    }

    private static List<String> command(List<String> program, String verb, String place, Peer peer, Media media) {
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of(verb, place, Message.text(media.bytes())));
        command.addAll(peer.options());
        return command;
    }

    /** The folder of native programs. */
    static Path programs() {
        return Path.of(System.getProperty("bench.peers", "target/peers"));
    }

    private static List<String> program(Peer peer, Media media) throws IOException, Media.NotPossible {
        if (peer.program().equals(ARCHIVE)) {
            List<String> command = new ArrayList<>(ChildJvm.command(ArchiveProgram.class.getName()));
            command.add(Files.createDirectories(media.memory()).toString());
            return command;
        }
        if (peer.program().equals(PICOLOGGER)) {
            return List.of(Picologger.build(media.bytes()).toString());
        }
        Path folder = programs();
        Path program = folder.resolve(peer.program());
        if (Files.isExecutable(program)) {
            return List.of(program.toAbsolutePath().toString());
        }
        Path why = folder.resolve(peer.program() + ".why");
        throw new Media.NotPossible(
                Files.exists(why)
                        ? Files.readString(why).strip().replace('\n', ' ')
                        : program + " is not built; scripts/bench/all builds it");
    }
}
