// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes {@code <Burst>} of the file appenders of a configuration. All other text stays as it is, comments and blanks
 * included. An appender that would mean something else as {@code <Burst>} stays as it is, too, and the operator is
 * told.
 */
final class Migration {

    private static final Set<String> FILE_APPENDERS =
            Set.of("file", "randomaccessfile", "rollingfile", "rollingrandomaccessfile");
    private static final String BY_SIZE = "SizeBasedTriggeringPolicy";
    private static final List<String> WITHOUT_EFFECT = List.of("immediateFlush", "bufferedIO", "bufferSize", "locking");
    private static final Set<String> OF_ROLLING = Set.of("compressDelay", "maxTotalSize", "maxAge", "fileStamp");
    private static final Pattern INDEX = Pattern.compile("%-?0?\\d*i");
    private static final String BURST = "Burst";

    /** A change of the text: what stands between the offsets is replaced. */
    record Edit(int start, int end, String text) {}

    private final Language language;
    private final Map<String, String> added;
    private final List<Edit> edits = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final Map<String, String> files = new HashMap<>();
    private final Queues queues = new Queues();
    private final List<Part> migrated = new ArrayList<>();
    private final Set<String> bursts = new HashSet<>();
    private int changed;
    private int left;
    private boolean throwsNow;

    private Migration(final Language language, final Map<String, String> added) {
        this.language = language;
        this.added = added;
    }

    /** @param added attributes that each {@code <Burst>} gets, unless it has them */
    static Migration of(final String text, final Language language, final Map<String, String> added) {
        final Migration migration = new Migration(language, added);
        migration.below(language.read(text), false);
        migration.edits.sort(Comparator.comparingInt(Edit::start).thenComparingInt(Edit::end));
        if (migration.throwsNow) {
            migration.told.add("note: a call whose event was not logged throws now; ignoreExceptions=\"true\" at the"
                    + " element keeps Log4j's way");
        }
        migration.tellQueues();
        migration.tellCost();
        return migration;
    }

    /** Returns the edits in the order of the text; no two overlap. */
    List<Edit> edits() {
        return edits;
    }

    /** Returns the lines for the operator. */
    List<String> told() {
        return told;
    }

    int changed() {
        return changed;
    }

    /** Returns how many file appenders could not be changed. */
    int left() {
        return left;
    }

    String applyTo(final String text) {
        final StringBuilder result = new StringBuilder();
        int at = 0;
        for (final Edit edit : edits) {
            result.append(text, at, edit.start).append(edit.text);
            at = edit.end;
        }
        return result.append(text, at, text.length()).toString();
    }

    private void below(final Part parent, final boolean appenders) {
        final Set<Part> renamed = appenders ? renamedKeys(parent) : Set.of();
        for (final Part part : parent.parts()) {
            if (part.isElement()) {
                final boolean inside = appenders
                        || named(part, "appenders")
                        || language == Language.PROPERTIES && named(part, "appender");
                if (appenders) {
                    elementsOf(part).forEach(element -> element(part, element, renamed.contains(part)));
                } else if (!inside) {
                    elementsOf(part).forEach(element -> queues.logger(element, loggerType(parent, part, element)));
                }
                elementsOf(part).forEach(element -> below(element, inside));
            }
        }
    }

    /** Returns the type of a logger; empty for any other element. */
    private String loggerType(final Part parent, final Part key, final Part element) {
        final String type = element.attribute("type");
        if (language != Language.PROPERTIES) {
            return type != null ? type : String.valueOf(key.name());
        }
        final String usual = named(key, "rootLogger") ? "root" : named(parent, "logger") ? "logger" : "";
        return type != null && !usual.isEmpty() ? type : usual;
    }

    private static Stream<Part> elementsOf(final Part part) {
        return part.isList() ? part.parts().stream() : Stream.of(part);
    }

    private static boolean named(final Part part, final String name) {
        return name.equalsIgnoreCase(part.name());
    }

    /**
     * Returns the keys to rename. A key is renamed only if all its elements become {@code <Burst>}; in JSON and YAML an
     * object gets the new key only once.
     */
    private Set<Part> renamedKeys(final Part parent) {
        final Set<Part> renamed = new HashSet<>();
        boolean taken = language.namesAreUnique() && parent.parts().stream().anyMatch(part -> named(part, BURST));
        for (final Part part : parent.parts()) {
            if (part.isElement()
                    && !taken
                    && isFileAppender(part.name())
                    && elementsOf(part)
                            .allMatch(element -> element.attribute("type") == null && obstacle(element) == null)) {
                renamed.add(part);
                taken = language.namesAreUnique();
            }
        }
        return renamed;
    }

    private static boolean isFileAppender(final String type) {
        return type != null && FILE_APPENDERS.contains(type.toLowerCase(Locale.ROOT));
    }

    private void element(final Part key, final Part element, final boolean renamed) {
        final Part typePart = element.attributePart("type");
        final String type = typePart != null ? typePart.value().trim() : key.name();
        queues.appender(element, String.valueOf(type));
        if (BURST.equalsIgnoreCase(type)) {
            bursts.add(element.attribute("name"));
        }
        if ("memorymappedfile".equalsIgnoreCase(type)) {
            left++;
            tell(element, type, "left as it is: Burst writes no file through memory");
        }
        if (!isFileAppender(type)) {
            return;
        }
        final String obstacle = obstacle(element);
        if (obstacle != null) {
            left++;
            tell(element, type, "left as it is: " + obstacle);
            return;
        }
        changed++;
        migrated.add(element);
        bursts.add(element.attribute("name"));
        final List<String> with = new ArrayList<>();
        if (typePart != null) {
            edits.add(
                    new Edit(typePart.valueSpan().start(), typePart.valueSpan().end(), BURST));
        } else if (renamed) {
            key.names().stream()
                    .map(span -> new Edit(span.start(), span.end(), BURST))
                    .filter(edit -> !edits.contains(edit))
                    .forEach(edits::add);
        } else {
            // A second key Burst in the same object would replace the first.
            insert(element, "type", BURST);
            with.add("type");
        }
        added.forEach((name, value) -> {
            final boolean fits = element.attribute("filePattern") != null || !OF_ROLLING.contains(name);
            if (fits && element.attribute(name) == null) {
                insert(element, name, value);
                with.add(name);
            }
        });
        tell(element, type, "is Burst now" + (with.isEmpty() ? "" : ", with " + String.join(", ", with)));
        notes(element, type);
    }

    private void insert(final Part element, final String name, final String value) {
        edits.add(new Edit(element.insertAt(), element.insertAt(), language.attribute(element, name, value)));
    }

    /** Returns why the element cannot be changed; null if it can. */
    private static String obstacle(final Part element) {
        if (element.isOpaque()) {
            return "it is written in flow style; write it in lines, or change it by hand";
        }
        if ("false".equalsIgnoreCase(element.attribute("append"))) {
            return "append=\"false\" empties the file at each start, and Burst never does";
        }
        if (element.attribute("fileName") == null && element.attribute("filePattern") == null) {
            return "it has neither fileName nor filePattern";
        }
        return null;
    }

    private void notes(final Part element, final String type) {
        final String without = WITHOUT_EFFECT.stream()
                .filter(name -> element.attribute(name) != null)
                .collect(Collectors.joining(", "));
        if (!without.isEmpty()) {
            tell(element, type, "note: " + without + " without effect, the ring decides when an event is durable");
        }
        final String pattern = element.attribute("filePattern");
        if (pattern != null
                && element.hasBelow(BY_SIZE)
                && !INDEX.matcher(pattern).find()) {
            tell(
                    element,
                    type,
                    "note: filePattern has no %i, and files end by size: an archive that has its name"
                            + " already is kept, and the next one gets a number behind its name");
        }
        final String file = element.attribute("fileName");
        if (file != null) {
            final String other = files.putIfAbsent(file, nameOf(element));
            if (other != null) {
                tell(element, type, "note: it writes to the file of " + other + "; let loggers refer to one of them");
            }
        }
        throwsNow |= element.attribute("ignoreExceptions") == null;
    }

    private void tellQueues() {
        if (bursts.isEmpty()) {
            return;
        }
        for (final Queues.Source queue : queues.before(bursts)) {
            final String way;
            if (queue.isAppender()) {
                way = "let loggers refer to "
                        + (queue.refs().isEmpty() ? "its appender" : String.join(", ", queue.refs())) + " itself";
            } else if (language == Language.PROPERTIES) {
                way = "remove its type";
            } else {
                way = "make it " + queue.type().substring("async".length());
            }
            final String name = queue.part().attribute("name");
            told.add("line " + queue.part().line() + ": " + queue.type() + (name == null ? "" : " \"" + name + "\"")
                    + " note: its events wait in a queue of Log4j before Burst gets them, and what is in there is lost"
                    + " when the process dies; to have each call return with its event durable, " + way);
        }
    }

    /**
     * Tells the cost of the appenders that this run changes. An appender with ack or ackLevel is left out: its author
     * knows.
     */
    private void tellCost() {
        if (migrated.isEmpty() || added.containsKey("ack") || added.containsKey("ackLevel")) {
            return;
        }
        final List<Part> waited = migrated.stream()
                .filter(element -> queues.isReachedInCalls(element.attribute("name")))
                .toList();
        if (waited.isEmpty()) {
            told.add("cost: none of " + changed + " makes a log call wait, as long as a queue of Log4j is before it");
            return;
        }
        final List<String> ofPeople = waited.stream()
                .filter(Readers::arePeople)
                .map(Migration::nameOf)
                .toList();
        told.add("cost: " + waited.size() + " of " + changed + " make a log call wait until its event is on the medium"
                + (ofPeople.isEmpty()
                        ? ""
                        : "; by name and layout people read " + ofPeople.size() + " of them ("
                                + String.join(", ", ofPeople)
                                + "): ack=\"enqueued\" there spares the wait, and the last"
                                + " events are lost when the process dies"));
    }

    private static String nameOf(final Part element) {
        final String name = element.attribute("name");
        return name == null ? "(without a name)" : "\"" + name + "\"";
    }

    private void tell(final Part element, final String type, final String what) {
        told.add("line " + element.line() + ": " + type + " " + nameOf(element) + " " + what);
    }
}
