// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.seen;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;

/** Chronicle Queue, without a sync, and a tailer that spins. */
final class ChroniclePassing implements Passing {

    static {
        // Without this Chronicle reports each run to its makers.
        System.setProperty("chronicle.analytics.disable", "true");
    }

    private final Path folder;

    ChroniclePassing(Path folder) {
        this.folder = folder;
    }

    private ChronicleQueue open() {
        return SingleChronicleQueueBuilder.binary(folder).build();
    }

    @Override
    public Writer writer() {
        ChronicleQueue queue = open();
        ExcerptAppender appender = queue.createAppender();
        return new Writer() {
            private Bytes<ByteBuffer> bytes;
            private ByteBuffer wrapped;

            @Override
            public void write(ByteBuffer message) {
                if (wrapped != message) {
                    wrapped = message;
                    bytes = Bytes.wrapForRead(message);
                }
                bytes.readPositionRemaining(0, message.remaining());
                appender.writeBytes(bytes);
            }

            @Override
            public void close() {
                appender.close();
                queue.close();
            }
        };
    }

    @Override
    public Reader reader() {
        ChronicleQueue queue = open();
        ExcerptTailer tailer = queue.createTailer();
        Bytes<ByteBuffer> bytes = Bytes.elasticByteBuffer(1024);
        return new Reader() {
            @Override
            public void goToEnd() {
                tailer.toEnd();
            }

            @Override
            public void poll(Seen seen) {
                bytes.clear();
                if (tailer.readBytes(bytes)) {
                    seen.at(bytes.readInt());
                }
            }

            @Override
            public void close() {
                tailer.close();
                queue.close();
            }
        };
    }
}
