// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.SleepingWaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.burstlog.bench.subject.Media;
import java.nio.file.Path;

/** Makes hand-overs by name. */
public final class HandOvers {

    /** All names; the ways of others come first. */
    public static final String NAMES =
            "copy,mapped-copy,jctools-spsc,agrona-many-to-one,disruptor,offer@ssd,offer@device,offer@mapped";

    /** More names: how the counter of a queue is stored, and how its consumer waits. */
    public static final String QUEUES = "copy,mapped-file,set-release+spin,set-release+yield,set-release+nap,"
            + "set-release+park,set-volatile+spin,set-volatile+yield,set-volatile+park,jctools-spsc,agrona-many-to-one,"
            + "disruptor+spin,disruptor+yield,disruptor,disruptor+block,offer@ssd,offer@device,offer@mapped";

    private HandOvers() {}

    /** @param producers threads that will offer */
    public static HandOver make(String name, int bytes, int producers, Media media) throws Media.NotPossible {
        return switch (name) {
            case "copy" -> Copies.toMemory();
            case "mapped-file" -> new MappedFile(media.file("mapped-file"));
            case "mapped-copy" -> Copies.toMappedFile(media.file("mapped-copy"));
            case "jctools-spsc" -> new SpscQueue(bytes);
            case "agrona-many-to-one" -> new ManyToOneRing(bytes);
            case "disruptor" -> new DisruptorRing(bytes, producers, new SleepingWaitStrategy());
            case "disruptor+spin" -> new DisruptorRing(bytes, producers, new BusySpinWaitStrategy());
            case "disruptor+yield" -> new DisruptorRing(bytes, producers, new YieldingWaitStrategy());
            case "disruptor+block" -> new DisruptorRing(bytes, producers, new BlockingWaitStrategy());
            case "set-release+spin" -> new SlotQueue(bytes, true, Consumer.Idle.SPIN);
            case "set-release+yield" -> new SlotQueue(bytes, true, Consumer.Idle.YIELD);
            case "set-release+nap" -> new SlotQueue(bytes, true, Consumer.Idle.NAP);
            case "set-release+park" -> new SlotQueue(bytes, true, Consumer.Idle.PARK);
            case "set-volatile+spin" -> new SlotQueue(bytes, false, Consumer.Idle.SPIN);
            case "set-volatile+yield" -> new SlotQueue(bytes, false, Consumer.Idle.YIELD);
            case "set-volatile+park" -> new SlotQueue(bytes, false, Consumer.Idle.PARK);
            default -> {
                if (!name.startsWith("offer@")) {
                    throw new IllegalArgumentException("There is no hand-over \"" + name + "\".");
                }
                Media.Ring ring = media.ring(name.substring("offer@".length()), "offer-" + producers);
                Path file = media.file(ring.path().getFileName() + ".log");
                yield new BurstOffer(ring.path(), ring.io(), file, bytes, producers);
            }
        };
    }
}
