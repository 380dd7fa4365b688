// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * Tells virtual threads from platform threads. A virtual thread that waits in native code holds its carrier, so a call
 * that may wait there runs on a platform thread, and the virtual thread waits in Java.
 */
final class VirtualThreads {

    private static final MethodHandle IS_VIRTUAL = findIsVirtual();

    private VirtualThreads() {}

    /** Tells whether the calling thread is a virtual one. Below JDK 21 this is a constant. */
    static boolean isCurrent() {
        return isVirtual(Thread.currentThread());
    }

    static boolean isVirtual(Thread thread) {
        try {
            return (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (Error outOfMemoryOrStack) {
            throw outOfMemoryOrStack;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Makes a call that may wait in native code: on the calling thread, or for a virtual one on a platform thread of
     * its own. An interrupt does not end the wait, and is not lost. For calls that come seldom.
     */
    static <T> T onPlatformThread(Supplier<T> call) {
        if (!isCurrent()) {
            return call.get();
        }
        FutureTask<T> task = new FutureTask<>(call::get);
        Thread thread = new Thread(task, "burstlog-call");
        thread.setDaemon(true);
        thread.start();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException seenAfterwards) {
                    interrupted = true;
                } catch (ExecutionException failure) {
                    throw rethrown(failure.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException rethrown(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return (RuntimeException) failure;
    }

    /**
     * Finds {@code Thread.isVirtual} by its name, because it is newer than the Java release that this is compiled for.
     */
    private static MethodHandle findIsVirtual() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException olderJdk) {
            return MethodHandles.dropArguments(MethodHandles.constant(boolean.class, false), 0, Thread.class);
        }
    }
}
