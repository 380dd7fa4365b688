// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.copy.CopyProvider;
import io.burstlog.copy.CopyStore;

/** Makes a store from the element {@code <KafkaCopy>} of a configuration. {@link java.util.ServiceLoader} finds it. */
public final class KafkaCopyProvider implements CopyProvider {

    /** Called by {@link java.util.ServiceLoader}. */
    public KafkaCopyProvider() {}

    @Override
    public String element() {
        return "KafkaCopy";
    }

    @Override
    public void check(Request request) {
        KafkaCopyStore.settings(request.settings().get("topic"), request.properties());
    }

    @Override
    public CopyStore open(Request request) {
        return new KafkaCopyStore(request.ringId(), request.settings().get("topic"), request.properties());
    }
}
