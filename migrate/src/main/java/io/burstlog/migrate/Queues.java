// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Tells appenders that get their events through a queue of Log4j from those that get them within the logger's call.
 * Events in a queue are in no ring: they are lost with the process.
 */
final class Queues {

    private static final Set<String> ASYNC_LOGGERS = Set.of("asynclogger", "asyncroot");
    private static final Set<String> LOGGERS = Set.of("logger", "root");

    /**
     * An element that hands events on.
     *
     * @param type as it stands in the text
     * @param refs the names of the appenders that it hands them to
     * @param toParent whether the appenders of the parent loggers get them, too
     */
    record Source(Part part, String type, List<String> refs, boolean toParent) {

        boolean isAppender() {
            return type.equalsIgnoreCase("async");
        }

        private boolean isQueue() {
            return isAppender() || ASYNC_LOGGERS.contains(type.toLowerCase(Locale.ROOT));
        }

        /** Whether a reference has a lookup, which may stand for any name. */
        private boolean isOpen() {
            return toParent || refs.isEmpty() || refs.stream().anyMatch(ref -> ref.contains("${"));
        }
    }

    private final Map<String, Source> appenders = new HashMap<>();
    private final List<Source> sources = new ArrayList<>();

    /** Takes an element that stands below the appenders. */
    void appender(final Part part, final String type) {
        final Source source = new Source(part, type, refsOf(part), false);
        appenders.put(part.attribute("name"), source);
        if (source.isQueue()) {
            sources.add(source);
        }
    }

    /** Takes an element that stands elsewhere, if it is a logger. */
    void logger(final Part part, final String type) {
        final String known = type.toLowerCase(Locale.ROOT);
        if (ASYNC_LOGGERS.contains(known) || LOGGERS.contains(known)) {
            final boolean isFinal = known.endsWith("root") || "false".equalsIgnoreCase(part.attribute("additivity"));
            sources.add(new Source(part, type, refsOf(part), !isFinal));
        }
    }

    private static List<String> refsOf(final Part part) {
        final List<String> refs = new ArrayList<>();
        addRefs(part, refs);
        return refs;
    }

    private static void addRefs(final Part part, final List<String> refs) {
        Stream.of("ref", "primary")
                .map(part::attribute)
                .filter(ref -> ref != null)
                .forEach(refs::add);
        for (final Part below : part.parts()) {
            if (below.isElement()) {
                if (below.attribute("name") != null) {
                    // An appender within a route needs no reference: the route refers to it.
                    refs.add(below.attribute("name"));
                }
                addRefs(below, refs);
            }
        }
    }

    /** {@return in the order of the text, the queues in which events for one of these appenders wait, or may wait} */
    List<Source> before(final Set<String> names) {
        return sources.stream()
                .filter(Source::isQueue)
                .filter(source ->
                        source.isOpen() || reached(source, true).stream().anyMatch(names::contains))
                .toList();
    }

    /** Whether a logger's call reaches this appender before it returns. In doubt the answer is yes. */
    boolean isReachedInCalls(final String name) {
        final boolean isBehindQueue = sources.stream()
                .filter(Source::isQueue)
                .anyMatch(source -> reached(source, true).contains(name));
        return !isBehindQueue
                || sources.stream()
                        .filter(source -> !source.isQueue())
                        .anyMatch(source -> reached(source, false).contains(name));
    }

    private Set<String> reached(final Source from, final boolean throughQueues) {
        final Set<String> reached = new HashSet<>();
        final Deque<String> next = new ArrayDeque<>(from.refs());
        while (!next.isEmpty()) {
            final String name = next.pop();
            final Source appender = appenders.get(name);
            if (reached.add(name) && appender != null && (throughQueues || !appender.isQueue())) {
                next.addAll(appender.refs());
            }
        }
        return reached;
    }
}
