// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.jmh;

import io.burstlog.bench.subject.Message;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.core.layout.ByteBufferDestination;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.message.SimpleMessage;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The part of a log call that each appender has: the layout writes the event into the appender's buffer. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LayoutBench {

    /** {@code heap}: as Log4j's file appenders have it; {@code direct}: as the Burst appender has it. */
    @Param({"heap", "direct"})
    public String buffer;

    /** Bytes of a message, with its line end. */
    @Param("256")
    public int size;

    private final PatternLayout layout =
            PatternLayout.newBuilder().withPattern("%m%n").build();
    private LogEvent event;
    private Buffer destination;

    @Setup
    public void begin() {
        event = Log4jLogEvent.newBuilder()
                .setLoggerName("bench")
                .setLevel(Level.INFO)
                .setMessage(new SimpleMessage(Message.text(size)))
                .build();
        destination = new Buffer(
                buffer.equals("heap") ? ByteBuffer.allocate(256 * 1024) : ByteBuffer.allocateDirect(4 * 1024));
    }

    @Benchmark
    public int encode() {
        destination.bytes.clear();
        layout.encode(event, destination);
        return destination.bytes.position();
    }

    private record Buffer(ByteBuffer bytes) implements ByteBufferDestination {

        @Override
        public ByteBuffer getByteBuffer() {
            return bytes;
        }

        @Override
        public ByteBuffer drain(ByteBuffer full) {
            throw new IllegalStateException("The event is longer than the buffer of " + bytes.capacity() + " bytes.");
        }

        @Override
        public void writeBytes(ByteBuffer data) {
            bytes.put(data);
        }

        @Override
        public void writeBytes(byte[] data, int offset, int length) {
            bytes.put(data, offset, length);
        }
    }
}
