// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.util.concurrent.Callable;

/** Virtual threads, which are newer than the Java release that the tests are compiled for. */
final class VirtualThreads {

    private VirtualThreads() {}

    static boolean areThere() {
        return Runtime.version().feature() >= 21;
    }

    /** Starts one. A failure of the task ends the process. */
    static Thread start(Callable<?> task) throws ReflectiveOperationException {
        Runnable orExit = () -> {
            try {
                task.call();
            } catch (Throwable failure) {
                failure.printStackTrace();
                Runtime.getRuntime().halt(3);
            }
        };
        return (Thread)
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, orExit);
    }
}
