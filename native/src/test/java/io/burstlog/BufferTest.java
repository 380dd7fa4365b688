// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@EachBinding
class BufferTest {

    private final Binding binding;
    private TempLog temp;

    BufferTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, binding);
    }

    @Test
    void anyKindOfByteBufferIsWrittenFromPositionToLimitAndConsumed() throws IOException {
        ByteBuffer heap = ByteBuffer.wrap(line("heap"));
        ByteBuffer direct = ByteBuffer.allocateDirect(64).put(line("direct")).flip();
        ByteBuffer part = ByteBuffer.wrap(line("a part of it")).position(2);
        ByteBuffer slice = ByteBuffer.allocateDirect(64)
                .put(line("0123456789"))
                .flip()
                .position(4)
                .slice();
        ByteBuffer readOnly = ByteBuffer.wrap(line("read only")).asReadOnlyBuffer();
        try (BurstLog log = temp.open()) {
            for (ByteBuffer buffer : new ByteBuffer[] {heap, direct, part, slice, readOnly}) {
                int limit = buffer.limit();
                log.append(buffer);
                assertThat(buffer.position()).isEqualTo(limit);
                assertThat(buffer.limit()).isEqualTo(limit);
            }
            ByteBuffer enqueued = ByteBuffer.wrap(line("enqueued"));
            ByteBuffer offered = ByteBuffer.wrap(line("offered"));
            log.enqueue(enqueued);
            log.offer(offered);
            assertThat(enqueued.hasRemaining()).isFalse();
            assertThat(offered.hasRemaining()).isFalse();
        }
        assertThat(temp.lines())
                .containsExactly("heap", "direct", "part of it", "456789", "read only", "enqueued", "offered");
    }

    @Test
    void aByteBufferThatWasRefusedKeepsItsPosition() {
        try (BurstLog log = BurstLog.open(temp.config().maxRecordBytes(100).build())) {
            ByteBuffer tooLong = ByteBuffer.allocate(200).position(3);
            assertThatExceptionOfType(BurstException.class).isThrownBy(() -> log.append(tooLong));
            assertThat(tooLong.position()).isEqualTo(3);

            ByteBuffer late = ByteBuffer.wrap(line("late")).position(1);
            log.close();
            assertThatExceptionOfType(BurstException.class).isThrownBy(() -> log.append(late));
            assertThatExceptionOfType(BurstException.class).isThrownBy(() -> log.enqueue(late));
            assertThatExceptionOfType(BurstException.class).isThrownBy(() -> log.offer(late));
            assertThat(late.position()).isEqualTo(1);
        }
    }

    @Test
    void aRecordBufferIsWrittenUpToItsPositionAndLeftAsItIs() throws IOException {
        RecordBuffer record = RecordBuffer.allocate(8, 1024);
        try (BurstLog log = temp.open()) {
            record.put(line("grown beyond its first eight bytes"), 0, 35);
            log.append(record, 0);
            assertThat(record.length()).isEqualTo(35);
            log.enqueue(record, 0);
            record.clear().ensureRemaining(2).put((byte) 'x').put((byte) '\n');
            log.offer(record, 0);
        }
        assertThat(temp.lines())
                .containsExactly("grown beyond its first eight bytes", "grown beyond its first eight bytes", "x");
    }
}
