// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

/**
 * The threads of BookKeeper's clients. They are no daemons, and cannot be made some: while one is there, a JVM does not
 * end whose application has returned from {@code main}. So a store closes its client when nothing else keeps the JVM
 * alive, and opens another one if the end of the application still wants records copied.
 */
final class ClientThreads {

    /** The group of the thread that calls the store. All threads of its clients are in it. */
    private static final String GROUP = "burstlog-copier";

    /** The thread that waits for the others after {@code main} has returned. */
    private static final String ENDING = "DestroyJavaVM";

    private static final long LOOK_MILLIS = 20;

    private ClientThreads() {}

    /** Waits until the application ends, or some of its threads keep it alive again. */
    static void awaitEndOfApplication() throws InterruptedException {
        while (keepTheJvmAlive() && !isEnding()) {
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** Whether shutdown hooks run. */
    private static boolean isEnding() {
        Thread probe = new Thread();
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (IllegalStateException ending) {
            return true;
        }
    }

    /** Whether the JVM would end if there were no client. */
    static boolean keepTheJvmAlive() {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) {
            top = top.getParent();
        }
        Thread[] all = new Thread[2 * top.activeCount() + 16];
        int count = top.enumerate(all);
        for (int i = 0; i < count; i++) {
            if (!all[i].isDaemon() && !all[i].getName().equals(ENDING) && !isOfClient(all[i])) {
                return false;
            }
        }
        return count < all.length;
    }

    private static boolean isOfClient(Thread thread) {
        for (ThreadGroup group = thread.getThreadGroup(); group != null; group = group.getParent()) {
            if (group.getName().equals(GROUP)) {
                return true;
            }
        }
        return false;
    }
}
