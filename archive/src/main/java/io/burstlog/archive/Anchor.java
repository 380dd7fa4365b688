// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;

/**
 * A place outside the host that confirms heads: whoever changes the archive later cannot change what it has. The
 * archive keeps each head that was confirmed as {@code anchors/NAME/SIZE.head}, and the answer as
 * {@code anchors/NAME/SIZE}.
 *
 * <p>One thread calls an anchor. No commit waits for it: it is asked for the newest head alone, as often as
 * {@link ArchiverConfig.Builder#sealedEvery} and {@link ArchiverConfig.Builder#sealedWithin} want it.
 */
public interface Anchor extends AutoCloseable {

    /** {@return its name, that of its folder: letters, digits, dots and hyphens, not beginning with a dot} */
    String name();

    /**
     * Asks for the confirmation of a head. An interrupt ends it.
     *
     * @param head the signed head, durable on the disk
     * @param archive reads the tree of that head, for proofs
     * @return what is kept: bytes that prove later that this place has seen the head
     * @throws IOException if it has not answered, or not as it should: the archiver tells that, and asks again with the
     *     newest head
     */
    byte[] confirm(Checkpoint head, ArchiveReader archive) throws IOException;

    @Override
    default void close() {}
}
