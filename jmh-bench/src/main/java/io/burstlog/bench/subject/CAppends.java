// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.bench.harness.Target;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Appends in C, by a child process that also writes each append's block once more, bare. Both latencies come from the
 * same messages. The first of the two targets in a round lets the child work; the other one takes the latencies of that
 * work. The child times itself; a single {@link Target#write} costs two transfers through a pipe more.
 */
final class CAppends implements Closeable {

    private static final int END_SECONDS = 60;

    private enum Kind {
        APPEND,
        BARE
    }

    /** Latencies that the other target has not taken yet. */
    private record Block(int first, long[] nanos) {}

    private final Process child;
    private final DataInputStream answers;
    private final Path said;
    private final Map<Kind, Deque<Block>> waiting = new EnumMap<>(Kind.class);

    private CAppends(Process child, Path said) {
        this.child = child;
        this.said = said;
        answers = new DataInputStream(child.getInputStream());
    }

    static CAppends start(String medium, Media media) throws IOException, Media.NotPossible {
        if (!Files.isExecutable(media.appendBench())) {
            throw new Media.NotPossible(media.appendBench() + " is not built (cmake --build .. --target append_bench)");
        }
        Media.Ring ring = media.ring(medium, "c");
        Path bare = medium.equals("device") ? ring.path() : media.file("c-" + medium + ".bare");
        Path said = media.file("c-" + medium + ".err");
        Process child = new ProcessBuilder(
                        media.appendBench().toString(),
                        "--serve",
                        ring.path().toString(),
                        bare.toString(),
                        media.file("c-" + medium + ".log").toString(),
                        "" + media.bytes(),
                        ring.io())
                .redirectError(said.toFile())
                .start();
        CAppends started = new CAppends(child, said);
        try {
            started.drain();
        } catch (IOException ended) {
            started.close();
            throw new Media.NotPossible(ended.getMessage(), ended);
        }
        return started;
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
        send(Integer.toString(nanos.length));
        Map<Kind, long[]> measured = new EnumMap<>(Kind.class);
        for (Kind each : Kind.values()) {
            measured.put(each, receive(nanos.length));
        }
        System.arraycopy(measured.get(kind), 0, nanos, 0, nanos.length);
        Kind other = kind == Kind.APPEND ? Kind.BARE : Kind.APPEND;
        if (waiting.containsKey(other)) {
            waiting.get(other).add(new Block(first, measured.get(other)));
        }
    }

    private void drain() throws IOException {
        send("drain");
        long drained = receive(1)[0];
        if (drained != 1) {
            throw new IOException(
                    "append_bench could not drain its ring within a minute: burst_await_drained returned " + drained);
        }
    }

    private void send(String line) throws IOException {
        try {
            child.getOutputStream().write((line + '\n').getBytes(StandardCharsets.US_ASCII));
            child.getOutputStream().flush();
        } catch (IOException broken) {
            throw ended(broken);
        }
    }

    private long[] receive(int count) throws IOException {
        byte[] bytes = new byte[count * Long.BYTES];
        try {
            answers.readFully(bytes);
        } catch (EOFException end) {
            throw ended(end);
        }
        long[] values = new long[count];
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asLongBuffer().get(values);
        return values;
    }

    private IOException ended(IOException cause) throws IOException {
        String reason = Files.readString(said).strip();
        return new IOException("append_bench has ended: " + (reason.isEmpty() ? "it said nothing" : reason), cause);
    }

    /** The child closes its log when its input ends. */
    @Override
    public void close() throws IOException {
        try {
            child.getOutputStream().close();
        } catch (IOException alreadyEnded) {
            child.destroy();
        }
        try {
            if (!child.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                child.destroyForcibly();
                throw new IOException("append_bench did not end within " + END_SECONDS + " s and was killed.");
            }
        } catch (InterruptedException interrupted) {
            child.destroyForcibly();
            Thread.currentThread().interrupt();
        }
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
            drain();
        }
    }
}
