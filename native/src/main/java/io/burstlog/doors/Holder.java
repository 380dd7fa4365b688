// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent;

/**
 * An appender or handler that asks for a log file. Its door says here what the core cannot know: who it is, whom it
 * replaces, and who hears sentences.
 */
public interface Holder {

    /** How one stands to another that has a log file of the same ring. */
    enum Relation {
        /** It takes the place of the other: both are there for a moment, one after the other. */
        REPLACES,
        /** One configuration has both. */
        TOGETHER,
        /** They are of different applications. */
        BESIDE
    }

    /** {@return its name in its configuration} */
    String name();

    /**
     * {@return who it is and where its configuration stands, for sentences: {@code Burst 'Orders' of /etc/log4j2.xml}}
     */
    String place();

    /** {@return how it stands to another} */
    default Relation relationTo(Holder other) {
        return Relation.BESIDE;
    }

    /** {@return whether it can write to a log file by what the other one has opened} */
    default boolean sharesFileWith(Holder other) {
        return false;
    }

    /** Tells the operator something about this one. */
    void tell(BurstEvent.Severity severity, String sentence);

    /** Tells the operator what the ring has to tell; it asks the one that has had it longest. */
    void hear(BurstEvent event);
}
