// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.core.appender.rolling.action.CompositeAction;

/**
 * The actions after one roll, in order. If the strategy has deleted the file meanwhile, that is no error: the actions
 * behind its compression still run. A second execution, after a compression that failed, runs only the actions that are
 * not done yet. For one thread.
 */
final class ActionsOfRoll extends CompositeAction {

    private final List<Action> left;
    private boolean hasBegun;

    ActionsOfRoll(final List<Action> actions, final boolean stopsOnError) {
        super(actions, stopsOnError);
        left = new ArrayList<>(actions);
    }

    @Override
    public boolean execute() throws IOException {
        hasBegun = true;
        Exception first = null;
        boolean succeeds = true;
        for (final Action action : List.copyOf(left)) {
            try {
                final boolean isDone = action.execute() || action instanceof CompressAction;
                left.remove(action);
                succeeds &= isDone;
                if (!isDone && isStopOnError()) {
                    left.clear();
                    return false;
                }
            } catch (final IOException | RuntimeException failure) {
                if (!(failure instanceof CompressAction.Failure)) {
                    left.remove(action);
                }
                first = isWorse(failure, first) ? failure : first;
                if (isStopOnError()) {
                    break;
                }
            }
        }
        if (first instanceof IOException failure) {
            throw failure;
        }
        if (first != null) {
            throw (RuntimeException) first;
        }
        return succeeds;
    }

    /**
     * Whether this failure replaces the first one. A failed compression does: it is tried again, whatever else fails.
     */
    private static boolean isWorse(final Exception failure, final Exception first) {
        return first == null || failure instanceof CompressAction.Failure && !(first instanceof CompressAction.Failure);
    }

    /**
     * Returns the actions without the compression, which is not due before the end. Null if there are none, or if one
     * has begun already.
     */
    ActionsOfRoll withoutCompression() {
        if (hasBegun) {
            return null;
        }
        final List<Action> others = new ArrayList<>();
        for (final Action action : getActions()) {
            final ActionsOfRoll inner = action instanceof ActionsOfRoll some ? some.withoutCompression() : null;
            if (inner != null) {
                others.add(inner);
            } else if (action instanceof GuardedAction) {
                others.add(action);
            }
        }
        return others.isEmpty() ? null : new ActionsOfRoll(others, isStopOnError());
    }

    /** Returns for how long an action has kept others from giving names; 0 if none does. */
    static long nanosOf(final Action action) {
        if (action instanceof GuardedAction guarded) {
            return guarded.nanos();
        }
        long longest = 0;
        if (action instanceof CompositeAction composite) {
            for (final Action one : composite.getActions()) {
                longest = Math.max(longest, nanosOf(one));
            }
        }
        return longest;
    }
}
