// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it.crac;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Tells the one that was registered last first of a checkpoint, and last of the restore. */
public final class Context {

    private final List<Resource> resources = new ArrayList<>();

    public synchronized void register(Resource resource) {
        resources.add(resource);
    }

    synchronized List<Resource> inOrder() {
        return new ArrayList<>(resources);
    }

    synchronized List<Resource> inReverse() {
        List<Resource> reversed = inOrder();
        Collections.reverse(reversed);
        return reversed;
    }
}
