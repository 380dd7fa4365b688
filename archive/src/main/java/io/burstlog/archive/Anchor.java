// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;

/**
 * A place outside the host that confirms heads: whoever changes the archive later cannot change what it has. The
 * archive keeps each answer beside itself, as {@code anchors/NAME/SIZE}.
 *
 * <p>One thread calls an anchor. No commit waits for it: when it is slow it is asked for the newest head alone.
 */
public interface Anchor extends AutoCloseable {

    /** {@return its name, that of its folder: letters, digits, dots and hyphens, not beginning with a dot} */
    String name();

    /**
     * Asks for the confirmation of a head.
     *
     * @param head the signed head, durable on the disk
     * @return what is kept: bytes that prove later that this place has seen the head
     * @throws IOException if it has not answered: the archiver tells that, and asks again with the newest head
     */
    byte[] confirm(Checkpoint head) throws IOException;

    @Override
    default void close() {}
}
