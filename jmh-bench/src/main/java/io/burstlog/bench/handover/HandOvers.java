// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import io.burstlog.bench.subject.Media;
import java.nio.file.Path;

/** Makes hand-overs by name. */
public final class HandOvers {

    /** All names, the ways of others first. */
    public static final String NAMES =
            "copy,mapped-copy,jctools-spsc,agrona-many-to-one,disruptor,offer@ssd,offer@device,offer@mapped";

    private HandOvers() {}

    /** @param producers threads that will offer */
    public static HandOver make(String name, int bytes, int producers, Media media) throws Media.NotPossible {
        return switch (name) {
            case "copy" -> Copies.toMemory();
            case "mapped-copy" -> Copies.toMappedFile(media.file("mapped-copy"));
            case "jctools-spsc" -> new SpscQueue(bytes);
            case "agrona-many-to-one" -> new ManyToOneRing(bytes);
            case "disruptor" -> new DisruptorRing(bytes, producers);
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
