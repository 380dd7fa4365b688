// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.bench.harness.Target;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Appends in C, by a child process that also writes each append's block once more, bare. Both latencies come from the
 * same messages. The first of the two targets in a round lets the child work; the other one takes the latencies of that
 * work. The child times itself; a single {@link Target#write} costs two transfers through a pipe more.
 */
final class CAppends implements Closeable {

    private enum Kind {
        APPEND,
        BARE
    }

    /** Latencies that the other target has not taken yet. */
    private record Block(int first, long[] nanos) {}

    private final ServedProgram child;
    private final Map<Kind, Deque<Block>> waiting = new EnumMap<>(Kind.class);

    private CAppends(ServedProgram child) {
        this.child = child;
    }

    static CAppends start(String medium, Media media) throws IOException, Media.NotPossible {
        if (!Files.isExecutable(media.appendBench())) {
            throw new Media.NotPossible(media.appendBench() + " is not built (cmake --build .. --target append_bench)");
        }
        Media.Ring ring = media.ring(medium, "c");
        Path bare = medium.equals("device") ? ring.path() : media.file("c-" + medium + ".bare");
        return new CAppends(ServedProgram.start(
                "append_bench",
                List.of(
                        media.appendBench().toString(),
                        "--serve",
                        ring.path().toString(),
                        bare.toString(),
                        media.file("c-" + medium + ".log").toString(),
                        "" + media.bytes(),
                        ring.io()),
                media.file("c-" + medium + ".err")));
    }

    Target appends(String name) {
        return new View(name, Kind.APPEND);
    }

    Target bareWrites(String name) {
        return new View(name, Kind.BARE);
    }

    private void measure(Kind kind, int first, long[] nanos) throws IOException {
        if (nanos.length == 0) {
            return;
        }
        Block known = waiting.get(kind).peek();
        if (known != null && known.first() == first && known.nanos().length == nanos.length) {
            System.arraycopy(waiting.get(kind).remove().nanos(), 0, nanos, 0, nanos.length);
            return;
        }
        waiting.get(kind).clear();
        Map<Kind, long[]> measured = new EnumMap<>(Kind.class);
        measured.put(Kind.APPEND, child.ask(Integer.toString(nanos.length), nanos.length));
        measured.put(Kind.BARE, child.receive(nanos.length));
        System.arraycopy(measured.get(kind), 0, nanos, 0, nanos.length);
        Kind other = kind == Kind.APPEND ? Kind.BARE : Kind.APPEND;
        if (waiting.containsKey(other)) {
            waiting.get(other).add(new Block(first, measured.get(other)));
        }
    }

    @Override
    public void close() throws IOException {
        child.close();
    }

    private final class View implements Target {
        private final String name;
        private final Kind kind;

        View(String name, Kind kind) {
            this.name = name;
            this.kind = kind;
            waiting.put(kind, new ArrayDeque<>());
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void write(int number) {
            try {
                measure(kind, number, new long[1]);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void run(int first, long[] nanos) throws IOException {
            measure(kind, first, nanos);
        }

        @Override
        public void settle() throws IOException {
            child.drain();
        }
    }
}
