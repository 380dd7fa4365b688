// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the keys of a properties file, and makes a tree of their dots. */
final class PropertiesReader {

    private static final Pattern ENTRY =
            Pattern.compile("[ \\t\\f]*((?:[^\\\\ \\t\\f=:]|\\\\.)+)[ \\t\\f]*[=:]?[ \\t\\f]*(.*)", Pattern.DOTALL);
    private static final Pattern COMMENT = Pattern.compile("[ \\t\\f]*[#!]");
    private static final Pattern CONTINUED = Pattern.compile("\\\\\\r?\\n[ \\t\\f]*");

    private final String text;
    private final Part root = new Part(null, 1);

    PropertiesReader(final String text) {
        this.text = text;
    }

    Part read() {
        int at = 0;
        while (at < text.length()) {
            final int end = endOfEntry(at);
            if (!text.substring(at, end).isBlank()
                    && !COMMENT.matcher(text).region(at, end).lookingAt()) {
                entry(at, end);
            }
            at = end;
        }
        return root;
    }

    /** Returns the offset behind the entry's last line. A comment has only one line. */
    private int endOfEntry(final int start) {
        final boolean comment =
                COMMENT.matcher(text).region(start, text.length()).lookingAt();
        int from = start;
        while (true) {
            final int end = text.indexOf('\n', from);
            if (end < 0) {
                return text.length();
            }
            if (comment || !isContinued(start, end)) {
                return end + 1;
            }
            from = end + 1;
        }
    }

    /** Whether an odd number of backslashes ends the line. */
    private boolean isContinued(final int start, final int end) {
        int last = end > start && text.charAt(end - 1) == '\r' ? end - 1 : end;
        int backslashes = 0;
        while (last > start && text.charAt(last - 1) == '\\') {
            backslashes++;
            last--;
        }
        return backslashes % 2 == 1;
    }

    private void entry(final int start, final int end) {
        final Matcher entry = ENTRY.matcher(text).region(start, end);
        if (!entry.matches()) {
            throw new Unreadable(Language.lineOf(text, start), "this is no line of a properties file");
        }
        final String key = entry.group(1);
        final String[] words = key.split("\\.");
        final int line = Language.lineOf(text, start);
        Part at = root;
        for (int i = 0; i < words.length - 1; i++) {
            at = child(at, words[i], line);
        }
        final String raw = entry.group(2).stripTrailing();
        at.add(new Part(words[words.length - 1], line)
                .valued(CONTINUED.matcher(raw).replaceAll(""), entry.start(2), entry.start(2) + raw.length()));
        if (words[words.length - 1].equals("type")) {
            final String newLine = text.contains("\r\n") ? "\r\n" : "\n";
            final boolean last = !text.startsWith("\n", end - 1);
            final String more = key.substring(0, key.length() - 4).replace("%", "%%") + "%s = %s";
            at.takesAttributesAt(end, last ? newLine + more : more + newLine);
        }
    }

    private static Part child(final Part of, final String name, final int line) {
        return of.parts().stream()
                .filter(part -> part.isElement() && part.name().equals(name))
                .findFirst()
                .orElseGet(() -> of.add(new Part(name, line)));
    }
}
