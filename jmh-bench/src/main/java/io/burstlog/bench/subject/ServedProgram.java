// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A child process that does what a line of its input says, and answers with numbers of 64 bits in the order of the
 * machine. It times itself.
 */
final class ServedProgram implements Closeable {

    private static final int END_SECONDS = 60;

    private final String name;
    private final Process child;
    private final DataInputStream answers;
    private final Path said;

    private ServedProgram(String name, Process child, Path said) {
        this.name = name;
        this.child = child;
        this.said = said;
        answers = new DataInputStream(child.getInputStream());
    }

    /**
     * Starts it and waits until it has answered once.
     *
     * @param said gets what it says on its error stream
     */
    static ServedProgram start(String name, List<String> command, Path said) throws IOException, Media.NotPossible {
        Process child = new ProcessBuilder(command).redirectError(said.toFile()).start();
        ServedProgram started = new ServedProgram(name, child, said);
        try {
            started.drain();
        } catch (IOException ended) {
            started.close();
            throw new Media.NotPossible(ended.getMessage(), ended);
        }
        return started;
    }

    /** Returns when all work that goes on behind the calls has ended. */
    void drain() throws IOException {
        long drained = ask("drain", 1)[0];
        if (drained != 1) {
            throw new IOException(name + " could not end its work within a minute: it answers " + drained + ".");
        }
    }

    /** Sends a line, and returns so many numbers of its answer. */
    long[] ask(String line, int count) throws IOException {
        try {
            child.getOutputStream().write((line + '\n').getBytes(StandardCharsets.US_ASCII));
            child.getOutputStream().flush();
        } catch (IOException broken) {
            throw ended(broken);
        }
        return receive(count);
    }

    /** The next numbers of an answer. */
    long[] receive(int count) throws IOException {
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
        String reason = Files.readString(said).strip().replace('\n', ' ');
        return new IOException(name + " has ended: " + (reason.isEmpty() ? "it said nothing" : reason), cause);
    }

    /** SIGKILL: it ends without a farewell. */
    void kill() throws IOException {
        child.destroyForcibly();
        awaitEnd();
    }

    /** The child closes what it has opened when its input ends. */
    @Override
    public void close() throws IOException {
        try {
            child.getOutputStream().close();
        } catch (IOException alreadyEnded) {
            child.destroy();
        }
        awaitEnd();
    }

    private void awaitEnd() throws IOException {
        try {
            if (!child.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                child.destroyForcibly();
                throw new IOException(name + " did not end within " + END_SECONDS + " s and was killed.");
            }
        } catch (InterruptedException interrupted) {
            child.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
