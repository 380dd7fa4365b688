// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent;

/**
 * An appender or handler that asks for a log file. Its door implements what the core cannot know: its name and place,
 * the holder that it replaces, and the receiver of its sentences.
 */
public interface Holder {

    /** The relations of a holder to another one that has a log file of the same ring. */
    enum Relation {
        /** The holder takes the place of the other one: the new one starts before the old one stops. */
        REPLACES,
        /** One configuration has both holders. */
        TOGETHER,
        /** The two holders belong to different applications. */
        BESIDE
    }

    /** {@return the name of the holder in its configuration} */
    String name();

    /**
     * {@return the holder and the place of its configuration, for sentences: {@code Burst 'Orders' of /etc/log4j2.xml}}
     */
    String place();

    /** {@return the relation of this holder to another one} */
    default Relation relationTo(Holder other) {
        return Relation.BESIDE;
    }

    /** {@return whether this holder can write by the stream that the other one has opened} */
    default boolean sharesFileWith(Holder other) {
        return false;
    }

    /** Tells the operator a sentence about this holder. */
    void tell(BurstEvent.Severity severity, String sentence);

    /**
     * Passes an event of the ring on to the operator. The ring calls this for the holder that has had it open longest.
     */
    void hear(BurstEvent event);
}
