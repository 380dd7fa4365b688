// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

/**
 * The threads of BookKeeper's clients. They are no daemons, and cannot be made some: while one is there, a JVM does not
 * end whose application has returned from {@code main}. So a copier closes its client when nothing else keeps the JVM
 * alive, and opens another one if the end of the application still wants records copied.
 */
final class ClientThreads {

    private static final String NAME = "burstlog-bookkeeper";

    /** The thread that waits for the others after {@code main} has returned. */
    private static final String ENDING = "DestroyJavaVM";

    private ClientThreads() {}

    /** Makes a daemon. All threads of the clients that it opens are known by its group. */
    static Thread daemon(Runnable work) {
        Thread thread = new Thread(new ThreadGroup(NAME), work, NAME);
        thread.setDaemon(true);
        return thread;
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
            if (group.getName().equals(NAME)) {
                return true;
            }
        }
        return false;
    }
}
