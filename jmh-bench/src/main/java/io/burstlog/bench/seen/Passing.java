// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.seen;

import io.burstlog.bench.subject.Media;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A way from one process to another. The process that writes and the one that reads each have an object of it, made
 * with the same arguments.
 */
public interface Passing {

    /** The end that writes. Only one thread uses it. */
    interface Writer extends AutoCloseable {

        /** Passes a message on: its number is at its begin. A log returns when the message is durable. */
        void write(ByteBuffer message) throws Exception;

        /** Ends all work that has begun. */
        default void settle() throws Exception {}

        @Override
        void close() throws Exception;
    }

    /** The end that reads. Only one thread uses it. */
    interface Reader extends AutoCloseable {

        /** Goes to the end of what is there. */
        void goToEnd() throws Exception;

        /** Looks once, or waits as its way does, and gives the number of each message that it finds, in order. */
        void poll(Seen seen) throws Exception;

        @Override
        void close() throws Exception;
    }

    /** Takes the number of a message that the reader sees now. */
    @FunctionalInterface
    interface Seen {
        void at(int number);
    }

    Writer writer() throws Exception;

    Reader reader() throws Exception;

    /** Their names, as {@link #of} takes them; those of Burst stand before the medium of the ring. */
    String ALL = "burst-spin@device,burst-nap@device,burst-sleep@device,burst-spin@ssd,chronicle,aeron-ipc";

    /**
     * @param ring of a way with a medium, else null
     * @param folder of this way's own, on the disk
     * @param memory one on tmpfs
     */
    static Passing of(String name, Media.Ring ring, Path folder, Path memory) {
        String way = name.replaceFirst("@.*", "");
        return switch (way) {
            case "burst-spin", "burst-nap", "burst-sleep" ->
                new BurstPassing(way.replaceFirst("burst-", ""), ring, folder);
            case "chronicle" -> new ChroniclePassing(folder);
            case "aeron-ipc" -> new AeronPassing(memory);
            default -> throw new IllegalArgumentException("There is no way \"" + name + "\"; there are " + ALL + ".");
        };
    }
}
