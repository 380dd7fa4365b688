// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.config.AppenderControl;
import org.apache.logging.log4j.core.config.AppenderControlArraySet;
import org.apache.logging.log4j.core.config.Configuration;

/**
 * The mark by which Log4j's {@link AppenderControl} knows, in a ThreadLocal, that a thread is in an appender. Log4j
 * drops each event that finds the mark set. If the stack overflows just when Log4j removes the mark, the mark stays for
 * the life of the thread.
 */
final class RecursionMark {

    private static final StackWalker CALLERS = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private RecursionMark() {}

    /**
     * Tells whether this thread is already in a {@code <Burst>} appender, further down its stack. The answer is true in
     * doubt: two appenders that call each other look the same.
     */
    static boolean isOfThisCall() {
        return CALLERS.walk(frames -> isNested(frames.skip(1)
                .dropWhile(frame -> frame.getDeclaringClass() != AppenderControl.class)
                .dropWhile(frame -> frame.getDeclaringClass() == AppenderControl.class)
                .iterator()));
    }

    /**
     * Tells whether the frames show an earlier call. They begin with the caller of the AppenderControl that found the
     * mark.
     */
    private static boolean isNested(final Iterator<StackFrame> frames) {
        StackFrame called = null;
        while (frames.hasNext()) {
            final StackFrame frame = frames.next();
            if (called != null && frame.getDeclaringClass() == AppenderControl.class && !isAppendOfOthers(called)) {
                return true;
            }
            called = frame.getDeclaringClass() == AppenderControl.class ? null : frame;
        }
        return false;
    }

    /**
     * Tells whether the frame is an appender such as {@code Failover}, which calls this appender by another
     * AppenderControl.
     */
    private static boolean isAppendOfOthers(final StackFrame called) {
        return called.getMethodName().equals("append")
                && Appender.class.isAssignableFrom(called.getDeclaringClass())
                && called.getDeclaringClass() != BurstAppender.class;
    }

    /**
     * Removes the mark of this thread from every AppenderControl of the appender. The thread must be outside of the
     * appender.
     *
     * @return whether there was a mark, and it could be removed
     */
    static boolean remove(final BurstAppender appender) {
        final Configuration configuration = appender.configuration();
        if (configuration == null) {
            return false;
        }
        return holders(configuration)
                .map(holder -> removeFrom(holder, appender))
                .reduce(false, Boolean::logicalOr);
    }

    private static boolean removeFrom(final Object holder, final BurstAppender appender) {
        boolean isRemoved = false;
        try {
            for (final AppenderControl control : controlsOf(holder)) {
                isRemoved |= control.getAppender() == appender && removeFrom(control);
            }
        } catch (final ReflectiveOperationException | RuntimeException notAllowed) {
            // A module path that does not open Log4j to others refuses the access.
        }
        return isRemoved;
    }

    private static Stream<Object> holders(final Configuration configuration) {
        return Stream.concat(
                configuration.getLoggers().values().stream(), configuration.getAppenders().values().stream());
    }

    private static boolean removeFrom(final AppenderControl control) throws ReflectiveOperationException {
        boolean isRemoved = false;
        for (final Field field : fieldsOf(AppenderControl.class)) {
            if (ThreadLocal.class.isAssignableFrom(field.getType())) {
                final ThreadLocal<?> mark = (ThreadLocal<?>) valueOf(field, control);
                isRemoved |= mark.get() != null;
                mark.remove();
            }
        }
        return isRemoved;
    }

    private static List<AppenderControl> controlsOf(final Object holder) throws ReflectiveOperationException {
        Stream<?> found = Stream.of();
        for (Class<?> type = holder.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
            for (final Field field : fieldsOf(type)) {
                found = Stream.concat(
                        found, mayHold(field.getType()) ? elementsOf(valueOf(field, holder)) : Stream.of());
            }
        }
        return found.filter(AppenderControl.class::isInstance)
                .map(AppenderControl.class::cast)
                .toList();
    }

    private static boolean mayHold(final Class<?> type) {
        return Stream.of(AppenderControl.class, AppenderControlArraySet.class, Collection.class, Map.class)
                .anyMatch(kind -> kind.isAssignableFrom(type));
    }

    private static Stream<?> elementsOf(final Object value) {
        if (value instanceof AppenderControlArraySet set) {
            return Arrays.stream(set.get());
        }
        if (value instanceof Map<?, ?> map) {
            return map.values().stream();
        }
        if (value instanceof Collection<?> collection) {
            return collection.stream();
        }
        return Stream.ofNullable(value);
    }

    private static List<Field> fieldsOf(final Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .toList();
    }

    private static Object valueOf(final Field field, final Object object) throws ReflectiveOperationException {
        field.setAccessible(true);
        return field.get(object);
    }
}
