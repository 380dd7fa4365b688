// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A disk on which a test does something before each call. */
final class WatchedDisk {

    private WatchedDisk() {}

    /** Gets each call before it is made. */
    interface Watcher {

        /** @param name the first argument */
        void before(String call, String name) throws IOException;
    }

    static Disk of(Disk disk, Watcher watcher) {
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, arguments) -> {
                    watcher.before(method.getName(), arguments == null ? "" : arguments[0].toString());
                    try {
                        return method.invoke(disk, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
