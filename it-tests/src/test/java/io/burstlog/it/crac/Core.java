// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it.crac;

import java.util.List;

/** Tells the resources, and does between the two calls what a test wants to look at. */
public final class Core {

    private static final Context GLOBAL = new Context();

    private static Step image = () -> {};

    /** A step that may fail. */
    @FunctionalInterface
    public interface Step {
        void run() throws Exception;
    }

    private interface Call {
        void on(Resource resource) throws Exception;
    }

    private Core() {}

    /** Sets the step instead of which a JVM writes its image, ends, and starts again from it. */
    public static void setImage(Step step) {
        image = step;
    }

    public static Context getGlobalContext() {
        return GLOBAL;
    }

    public static void checkpointRestore() throws CheckpointException, RestoreException {
        CheckpointException checkpoint = new CheckpointException();
        RestoreException restore = new RestoreException();
        call(GLOBAL.inReverse(), resource -> resource.beforeCheckpoint(GLOBAL), checkpoint);
        if (checkpoint.getSuppressed().length == 0) {
            try {
                image.run();
            } catch (Exception failure) {
                checkpoint.addSuppressed(failure);
            }
        }
        call(GLOBAL.inOrder(), resource -> resource.afterRestore(GLOBAL), restore);
        if (checkpoint.getSuppressed().length > 0) {
            throw checkpoint;
        }
        if (restore.getSuppressed().length > 0) {
            throw restore;
        }
    }

    private static void call(List<Resource> resources, Call call, Exception failures) {
        for (Resource resource : resources) {
            try {
                call.on(resource);
            } catch (Exception failure) {
                failures.addSuppressed(failure);
            }
        }
    }
}
