// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the keys and the members of lists in YAML of block style. Parts in flow style ({@code {..}}) stay opaque. */
final class YamlReader {

    private static final Pattern KEY =
            Pattern.compile("(\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'|[^\\s#:\"'\\[\\]{}][^:#]*?)\\s*:(?:\\s+|$)");

    private final String text;
    private final Deque<Level> levels = new ArrayDeque<>();

    /** Deeper lines than this belong to a text over several lines; -1: to none. */
    private int textDeeperThan = -1;

    /** @param column the column in which the level begins; -1 for the root */
    private record Level(int column, boolean member, Part part) {}

    YamlReader(final String text) {
        this.text = text;
    }

    Part read() {
        final Part root = new Part(null, 1);
        levels.push(new Level(-1, false, root));
        int at = 0;
        for (int line = 1; at < text.length(); line++) {
            final int end = text.indexOf('\n', at) < 0 ? text.length() : text.indexOf('\n', at);
            line(line, at, end);
            at = end + 1;
        }
        return root;
    }

    private void line(final int number, final int start, final int end) {
        int at = start;
        while (at < end && text.charAt(at) == ' ') {
            at++;
        }
        final String content = text.substring(at, end).strip();
        if (content.isEmpty() || (textDeeperThan >= 0 && at - start > textDeeperThan)) {
            return;
        }
        textDeeperThan = -1;
        if (content.startsWith("#") || content.startsWith("---") || content.startsWith("%")) {
            return;
        }
        if (text.charAt(at) == '\t') {
            throw new Unreadable(number, "YAML permits no tab before a key");
        }
        while (at < end && text.charAt(at) == '-' && (at + 1 == end || Character.isWhitespace(text.charAt(at + 1)))) {
            member(number, at - start);
            at++;
            while (at < end && text.charAt(at) == ' ') {
                at++;
            }
        }
        if (at < end && text.charAt(at) != '#' && text.charAt(at) != '\r') {
            key(number, start, at, end);
        }
    }

    private void member(final int line, final int column) {
        while (levels.peek().column > column || (levels.peek().member && levels.peek().column == column)) {
            levels.pop();
        }
        levels.push(new Level(column, true, levels.peek().part.add(new Part(null, line))));
    }

    private void key(final int line, final int start, final int at, final int end) {
        final Matcher key = KEY.matcher(text).region(at, end);
        if (!key.lookingAt()) {
            if ("{[".indexOf(text.charAt(at)) >= 0) {
                levels.peek().part.cannotBeRead();
            }
            return;
        }
        final int column = at - start;
        while (levels.peek().column >= column) {
            levels.pop();
        }
        final Part parent = levels.peek().part;
        if (parent.insertAt() < 0) {
            parent.takesAttributesAt(at, "%s: \"%s\"\n" + " ".repeat(column));
        }
        final boolean quoted = "\"'".indexOf(text.charAt(at)) >= 0;
        final int nameStart = quoted ? key.start(1) + 1 : key.start(1);
        final int nameEnd = quoted ? key.end(1) - 1 : key.end(1);
        final Part part = parent.add(new Part(text.substring(nameStart, nameEnd), line).named(nameStart, nameEnd));
        value(part, key.end(), end);
        if (part.isElement()) {
            levels.push(new Level(column, false, part));
        } else if ("|>".indexOf((part.value() + " ").charAt(0)) >= 0) {
            textDeeperThan = column;
        }
    }

    private void value(final Part part, final int from, final int end) {
        int at = from;
        while (at < end && text.charAt(at) == ' ') {
            at++;
        }
        if (at >= end || text.charAt(at) == '#' || text.charAt(at) == '\r') {
            return;
        }
        final char first = text.charAt(at);
        if (first == '{' || first == '[') {
            part.cannotBeRead();
            final String rest = text.substring(at, end).replaceAll("\\s#.*", "").strip();
            if (!rest.endsWith(first == '{' ? "}" : "]")) {
                textDeeperThan = levels.peek().column + 1;
            }
            return;
        }
        int last;
        if (first == '"' || first == '\'') {
            last = at + 1;
            while (last < end && text.charAt(last) != first) {
                last += text.charAt(last) == '\\' && first == '"' ? 2 : 1;
            }
            part.valued(text.substring(at + 1, Math.min(last, end)), at + 1, Math.min(last, end));
        } else {
            final String plain =
                    text.substring(at, end).replaceAll("\\s+#.*", "").stripTrailing();
            part.valued(plain, at, at + plain.length());
        }
    }
}
