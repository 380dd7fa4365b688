// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Turns the texts of the settings of one appender or handler into values. It collects a complaint about each text that
 * it cannot understand: the setting, the value seen and what to write instead. It puts no default in its place, because
 * the promise of durability would then rest on a value that nobody chose.
 *
 * <p>A setting that is absent, empty or complained about is {@code null}. A setting that no call asked for is unknown.
 * Not thread-safe.
 */
public final class Settings {

    private final SortedMap<String, String> texts;
    private final Wording wording;
    private final SortedSet<String> unread;
    private final List<String> complaints = new ArrayList<>();

    /**
     * Makes a reader for the settings of one appender or handler.
     *
     * @param texts the texts by the names of the settings; the comparator says whether the case of letters counts
     * @param wording the door's words for the sentences
     */
    public Settings(SortedMap<String, String> texts, Wording wording) {
        this.texts = texts;
        this.wording = wording;
        unread = new TreeSet<>(texts.comparator());
        unread.addAll(texts.keySet());
    }

    /** {@return a reader of other texts, with the wording of this one} */
    public Settings of(SortedMap<String, String> others) {
        return new Settings(others, wording);
    }

    /** Adds a complaint; the sentence may end with a full stop or without one. */
    public void complain(String sentence) {
        complaints.add(sentence.endsWith(".") ? sentence : sentence + ".");
    }

    /** {@return all complaints as one text, numbered if there are several; null if there is none} */
    public String complaints() {
        if (complaints.size() <= 1) {
            return complaints.isEmpty() ? null : complaints.get(0);
        }
        StringBuilder text = new StringBuilder().append(complaints.size()).append(" things are wrong.");
        for (int i = 0; i < complaints.size(); i++) {
            text.append(" (").append(i + 1).append(") ").append(complaints.get(i));
        }
        return text.toString();
    }

    /**
     * Complains about a value.
     *
     * @return null
     */
    public <T> T refuse(String name, String text, String whatToDo) {
        complain(name + "=\"" + text + "\" cannot be used: " + whatToDo);
        return null;
    }

    /** Complains about each setting that no call has asked for, since a mistyped one would have no effect. */
    public void complainAboutWhatNobodyRead() {
        unread.forEach(
                name -> complain("the " + wording.setting() + " \"" + name + "\" is unknown: correct or remove it"));
    }

    /** {@return the settings that have a text and that no call has asked for} */
    SortedMap<String, String> unread() {
        SortedMap<String, String> left = new TreeMap<>(texts.comparator());
        unread.forEach(name -> left.put(name, texts.get(name)));
        left.values().removeIf(text -> text == null || text.isBlank());
        return left;
    }

    /** {@return whether the setting is there, whatever its value} */
    public boolean has(String name) {
        unread.remove(name);
        return texts.get(name) != null;
    }

    /** {@return the text, trimmed} */
    public String text(String name) {
        unread.remove(name);
        String text = texts.get(name);
        return text == null || text.isBlank() ? null : text.trim();
    }

    /**
     * {@return the name of a file; a name with an undefined variable is a complaint, because it would be another file
     * than the one meant}
     */
    public String requiredPath(String name, String meaning) {
        String text = text(name);
        if (text == null) {
            complain("the " + wording.setting() + " " + name + " is missing: set it to " + meaning);
        }
        if (text != null && (text.contains("${") || text.contains("_IS_UNDEFINED"))) {
            return refuse(name, text, wording.undefined());
        }
        return text;
    }

    /** {@return the log file} */
    public String requiredFile() {
        return requiredPath(wording.file(), "the log file");
    }

    /** {@return a constant of an enum; both {@code os-crash} and {@code OS_CRASH} name {@code OS_CRASH}} */
    public <E extends Enum<E>> E oneOf(String name, Class<E> type) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        E[] constants = type.getEnumConstants();
        for (E constant : constants) {
            if (spelling(constant).equalsIgnoreCase(text.replace('_', '-'))) {
                return constant;
            }
        }
        return refuse(
                name,
                text,
                "use " + oneOf(Arrays.stream(constants).map(Settings::spelling).toList()));
    }

    private static String oneOf(List<String> values) {
        int last = values.size() - 1;
        return values.subList(0, last).stream()
                        .map(value -> "\"" + value + "\"")
                        .collect(Collectors.joining(", ")) + " or \"" + values.get(last) + "\"";
    }

    static String spelling(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return a size in bytes: {@code 64 MB}, {@code 1.5G}, {@code 4096}} */
    public Long size(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        long bytes = Units.bytesOf(text);
        if (bytes <= 0) {
            return refuse(
                    name,
                    text,
                    "use a positive size such as \"64 MB\", \"1.5 GB\" or a number of bytes, without a comma");
        }
        return bytes;
    }

    /**
     * {@return a time span such as {@code 100 ms}, {@code 10 s}, {@code 500 us}, {@code 1 min}, {@code 12 h}, {@code 7
     * d}; without a unit milliseconds}
     */
    public Duration time(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        Duration time = Units.timeOf(text);
        if (time == null || time.isZero()) {
            return refuse(name, text, "use a positive time such as \"100 ms\", \"10 s\" or a number of milliseconds");
        }
        return time;
    }

    /** {@return a time span as {@link #time} does, but zero is allowed} */
    public Duration timeOrZero(String name) {
        String text = text(name);
        Duration time = text == null ? null : Units.timeOf(text);
        return time != null && time.isZero() ? time : time(name);
    }

    /** {@return a number, whose range the engine checks} */
    public Integer integer(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException noNumber) {
            return refuse(name, text, "use a whole number");
        }
    }

    /** {@return a positive number} */
    public Long count(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        return text.matches("[1-9]\\d{0,17}") ? Long.valueOf(text) : refuse(name, text, "use a positive whole number");
    }

    /** {@return {@code true} or {@code false}} */
    public Boolean flag(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            return refuse(name, text, "use \"true\" or \"false\"");
        }
        return Boolean.valueOf(text);
    }

    /**
     * Returns a value of a kind that only a door knows.
     *
     * @param parse returns null for a text that it cannot understand
     * @param whatToDo the advice in the complaint about such a text
     */
    public <T> T value(String name, Function<String, T> parse, String whatToDo) {
        String text = text(name);
        T value = text == null ? null : parse.apply(text);
        return text == null || value != null ? value : refuse(name, text, whatToDo);
    }

    /** {@return permissions such as {@code rw-r-----}; an empty set if the setting is absent} */
    public Set<PosixFilePermission> permissions(String name) {
        String text = text(name);
        if (text == null) {
            return Set.of();
        }
        Set<PosixFilePermission> permissions;
        try {
            permissions = PosixFilePermissions.fromString(text);
        } catch (IllegalArgumentException notPermissions) {
            return refuse(name, text, "use nine characters such as \"rw-r-----\"");
        }
        if (permissions.isEmpty()) {
            return refuse(name, text, "nobody could open the log file; use for instance \"rw-------\"");
        }
        return permissions;
    }

    /** {@return a value that was read, or {@code unset} if it is null} */
    public static <T> T orDefault(T value, T unset) {
        return value != null ? value : unset;
    }
}
