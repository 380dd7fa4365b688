// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.seen;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/** Aeron between processes of one host, with a subscriber that spins. Its driver is in the process that writes. */
final class AeronPassing implements Passing {

    private static final int STREAM = 1;
    private static final int FRAGMENTS = 10;

    private final Path memory;

    AeronPassing(Path memory) {
        this.memory = memory;
    }

    private String folder() {
        return memory.resolve("aeron").toString();
    }

    private Aeron connect() {
        return Aeron.connect(
                new Aeron.Context().aeronDirectoryName(folder()).idleStrategy(new SleepingMillisIdleStrategy(1)));
    }

    @Override
    public Writer writer() {
        // Its threads sleep: they carry no message between processes of one host.
        MediaDriver driver = MediaDriver.launchEmbedded(new MediaDriver.Context()
                .aeronDirectoryName(folder())
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(new SleepingMillisIdleStrategy(1)));
        Aeron aeron = connect();
        ExclusivePublication publication = aeron.addExclusivePublication(CommonContext.IPC_CHANNEL, STREAM);
        return new Writer() {
            private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);

            @Override
            public void write(ByteBuffer message) {
                buffer.wrap(message, 0, message.remaining());
                while (publication.offer(buffer, 0, message.remaining()) < 0) {
                    Thread.onSpinWait();
                }
            }

            @Override
            public void close() {
                publication.close();
                aeron.close();
                driver.close();
            }
        };
    }

    @Override
    public Reader reader() {
        Aeron aeron = connect();
        Subscription subscription = aeron.addSubscription(CommonContext.IPC_CHANNEL, STREAM);
        while (!subscription.isConnected()) {
            LockSupport.parkNanos(1_000_000);
        }
        return new Reader() {
            private Seen seen;
            private final FragmentAssembler assembler = new FragmentAssembler(
                    (buffer, offset, length, header) -> seen.at(buffer.getInt(offset, ByteOrder.BIG_ENDIAN)));

            @Override
            public void goToEnd() {
                // A subscriber gets each message, and has got all of them.
            }

            @Override
            public void poll(Seen each) {
                seen = each;
                subscription.poll(assembler, FRAGMENTS);
            }

            @Override
            public void close() {
                subscription.close();
                aeron.close();
            }
        };
    }
}
