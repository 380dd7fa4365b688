// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.copy.CopyProvider;
import io.burstlog.copy.CopyStore;

/** Makes a store from the element {@code <BookKeeper>} of a configuration. {@link java.util.ServiceLoader} finds it. */
public final class BookKeeperCopyProvider implements CopyProvider {

    /** Called by {@link java.util.ServiceLoader}. */
    public BookKeeperCopyProvider() {}

    @Override
    public String element() {
        return "BookKeeper";
    }

    @Override
    public void check(Request request) {
        Cluster.configuration(request.properties());
    }

    @Override
    public CopyStore open(Request request) {
        return new BookKeeperStore(request.ringId(), request.properties());
    }
}
