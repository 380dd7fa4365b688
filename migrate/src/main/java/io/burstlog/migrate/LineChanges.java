// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import java.util.ArrayList;
import java.util.List;

/** Prints the changes of a migration as {@code diff -U0} does, so that {@code patch} reads them. */
final class LineChanges {

    private LineChanges() {}

    static String of(final String file, final String text, final List<Migration.Edit> edits) {
        final StringBuilder changes = new StringBuilder("--- " + file + "\n+++ " + file + "\n");
        int shift = 0;
        int next = 0;
        int at = 0;
        for (int line = 1; at <= text.length() && next < edits.size(); line++) {
            final int newLine = text.indexOf('\n', at);
            final int end = newLine < 0 ? text.length() + 1 : newLine + 1;
            final StringBuilder after = new StringBuilder();
            int from = at;
            while (next < edits.size() && edits.get(next).start() < end) {
                final Migration.Edit edit = edits.get(next++);
                after.append(text, from, edit.start()).append(edit.text());
                from = edit.end();
            }
            if (from > at || after.length() > 0) {
                final String before = text.substring(at, Math.min(end, text.length()));
                after.append(text, from, Math.min(end, text.length()));
                shift += change(changes, line, shift, lines(before), lines(after.toString()));
            }
            at = end;
        }
        return changes.toString();
    }

    /** Returns by how many lines the change moves the text behind it. */
    private static int change(
            final StringBuilder changes,
            final int line,
            final int shift,
            final List<String> old,
            final List<String> now) {
        final List<String> added = new ArrayList<>(now);
        final List<String> removed = new ArrayList<>(old);
        if (added.size() > 1
                && !removed.isEmpty()
                && added.get(added.size() - 1).equals(removed.get(0))) {
            added.remove(added.size() - 1);
            removed.clear();
        }
        changes.append("@@ -").append(removed.isEmpty() ? (line - 1) + ",0" : String.valueOf(line));
        changes.append(" +").append(line + shift).append(added.size() == 1 ? "" : "," + added.size());
        changes.append(" @@\n");
        removed.forEach(text -> changes.append('-').append(text).append('\n'));
        added.forEach(text -> changes.append('+').append(text).append('\n'));
        return added.size() - removed.size();
    }

    private static List<String> lines(final String text) {
        return text.isEmpty() ? List.of() : List.of(text.split("\n"));
    }
}
