// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.seen;

import io.burstlog.bench.harness.Target;
import io.burstlog.bench.harness.TargetResult;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Message;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Writes messages that a child process reads. The child waits for a line of text between two blocks, so that it takes
 * no processor in the turns of others. Both use the same clock, CLOCK_MONOTONIC.
 */
public final class SeenTarget implements Target {

    private static final int LONG_BYTES = 8;

    private final String name;
    private final Passing.Writer writer;
    private final Process child;
    private final Writer orders;
    private final BufferedReader answers;
    private final LongBuffer seenAt;
    private final long pauseNanos;
    private final ByteBuffer message;
    private final List<Block> blocks = new ArrayList<>();

    /**
     * A block, as far as its latencies do not say it.
     *
     * @param calls how long each call took
     * @param sinceCalls from the begin of each call until the child had the message
     * @param readerNanos processor time of the child's thread
     * @param nanos from the child's first look to its last
     */
    private record Block(long[] calls, long[] sinceCalls, long readerNanos, long nanos) {}

    /**
     * @param reader the command of the child, which calls {@link #serve}
     * @param times the file that {@link #times} makes, for both
     */
    public SeenTarget(
            String name,
            Passing.Writer writer,
            ProcessBuilder reader,
            Path times,
            int blockMessages,
            long pauseNanos,
            int bytes)
            throws IOException, Media.NotPossible {
        this.name = name;
        this.writer = writer;
        this.pauseNanos = pauseNanos;
        seenAt = times(times, blockMessages);
        message = ByteBuffer.allocateDirect(bytes).put(Message.line(bytes)).flip();
        child = reader.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        orders = child.outputWriter();
        answers = new BufferedReader(new InputStreamReader(child.getInputStream()));
        if (!"ready".equals(answers.readLine())) {
            throw new IOException("The reader of " + name + " does not begin; it has said why.");
        }
    }

    /** The file in which the child notes when it saw each message of a block. */
    public static LongBuffer times(Path file, int messages) throws IOException {
        Files.createDirectories(file.getParent());
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) messages * LONG_BYTES)
                    .asLongBuffer();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void write(int number) throws Exception {
        throw new UnsupportedOperationException("messages are written in blocks");
    }

    private String ask(String order) throws IOException {
        orders.write(order + "\n");
        orders.flush();
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("The reader of " + name + " has ended at \"" + order + "\".");
        }
        return answer;
    }

    /** The time of each message from the return of its call, when a log has it durable, until the child had it. */
    @Override
    public void run(int first, long[] nanos) throws Exception {
        long[] began = new long[nanos.length];
        long[] returned = new long[nanos.length];
        ask("read %d %d".formatted(first, nanos.length));
        long next = System.nanoTime() + pauseNanos;
        for (int i = 0; i < nanos.length; i++) {
            while (System.nanoTime() < next) {
                Thread.onSpinWait();
            }
            message.putInt(0, first + i);
            message.rewind();
            began[i] = System.nanoTime();
            writer.write(message);
            returned[i] = System.nanoTime();
            next = returned[i] + pauseNanos;
        }
        String[] answer = ask("end").split(" "); // comes when the child has the last one
        long[] calls = new long[nanos.length];
        long[] sinceCalls = new long[nanos.length];
        for (int i = 0; i < nanos.length; i++) {
            long seen = seenAt.get(i);
            nanos[i] = Math.max(0, seen - returned[i]);
            calls[i] = returned[i] - began[i];
            sinceCalls[i] = seen - began[i];
        }
        blocks.add(new Block(calls, sinceCalls, Long.parseLong(answer[1]), Long.parseLong(answer[2])));
    }

    /**
     * The figures beside the latencies.
     *
     * @param messages the last so many were counted
     */
    public Map<String, Object> more(long messages) {
        Histogram calls = TargetResult.emptyHistogram();
        Histogram sinceCalls = TargetResult.emptyHistogram();
        long before = 0;
        long reader = 0;
        long wall = 0;
        for (int i = blocks.size() - 1; calls.getTotalCount() < messages; i--) {
            Block block = blocks.get(i);
            if (block.calls().length != seenAt.capacity()) {
                continue; // the lead-in of a block
            }
            for (int at = 0; at < block.calls().length; at++) {
                calls.recordValue(block.calls()[at]);
                sinceCalls.recordValue(block.sinceCalls()[at]);
                before += block.sinceCalls()[at] <= block.calls()[at] ? 1 : 0;
            }
            reader += block.readerNanos();
            wall += block.nanos();
        }
        Map<String, Object> more = new LinkedHashMap<>();
        more.put("call", TargetResult.figuresOf(name, calls));
        more.put("sinceCall", TargetResult.figuresOf(name, sinceCalls));
        more.put("seenBeforeReturn", (double) before / messages);
        more.put("readerCpu", (double) reader / wall);
        return more;
    }

    @Override
    public void settle() throws Exception {
        writer.settle();
    }

    @Override
    public void close() throws IOException {
        orders.close();
        try {
            if (!child.waitFor(10, TimeUnit.SECONDS)) {
                child.destroyForcibly();
            }
            writer.close();
        } catch (Exception failed) {
            throw failed instanceof IOException io ? io : new IOException(failed);
        }
    }

    /** The child's part: it obeys orders until there are none any more. */
    public static void serve(Passing.Reader reader, LongBuffer seenAt, BufferedReader orders) throws Exception {
        System.out.println("ready");
        List<String> words = new ArrayList<>();
        while (next(orders, words)) {
            int first = Integer.parseInt(words.get(1));
            int count = Integer.parseInt(words.get(2));
            reader.goToEnd();
            long cpu = cpuNanos();
            long begin = System.nanoTime();
            System.out.println("go");
            int[] last = {first - 1};
            while (last[0] < first + count - 1) {
                reader.poll(number -> {
                    if (number != last[0] + 1) {
                        throw new IllegalStateException("message " + number + " comes behind " + last[0]);
                    }
                    seenAt.put(number - first, System.nanoTime());
                    last[0] = number;
                });
            }
            long used = cpuNanos() - cpu;
            long took = System.nanoTime() - begin;
            next(orders, words);
            System.out.println("seen " + used + " " + took);
        }
    }

    private static boolean next(BufferedReader orders, List<String> words) {
        try {
            String line = orders.readLine();
            words.clear();
            if (line != null) {
                words.addAll(List.of(line.split(" ")));
            }
            return line != null;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
