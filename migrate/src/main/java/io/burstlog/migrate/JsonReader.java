// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

/** Finds objects and their members in JSON, with the comments that Log4j permits. */
final class JsonReader {

    private final String text;
    private int at;

    JsonReader(final String text) {
        this.text = text;
    }

    Part read() {
        final Part root = new Part(null, 1);
        object(root);
        blank();
        if (at < text.length()) {
            throw unexpected("the end");
        }
        return root;
    }

    private void object(final Part into) {
        expect('{');
        blank();
        if (next() != '}') {
            into.takesAttributesAt(at, "\"%s\": \"%s\", ");
        }
        while (next() != '}') {
            member(into);
            blank();
            if (next() == ',') {
                at++;
                blank();
            } else if (next() != '}') {
                throw unexpected("',' or '}'");
            }
        }
        at++;
    }

    private void member(final Part into) {
        final int line = Language.lineOf(text, at);
        final int start = at;
        final String name = string();
        final int end = at;
        expect(':');
        blank();
        final Part part = new Part(name, line);
        part.named(start + 1, end - 1);
        if (next() == '{') {
            object(part);
        } else if (next() == '[') {
            list(part, into);
        } else {
            scalar(part);
        }
        into.add(part);
    }

    private void list(final Part part, final Part into) {
        at++;
        blank();
        while (next() != ']') {
            if (next() == '{') {
                object(part.add(new Part(null, Language.lineOf(text, at))));
            } else if (next() == '[') {
                throw unexpected("an object: Log4j knows no list in a list");
            } else {
                scalar(new Part(null, 0));
            }
            blank();
            if (next() == ',') {
                at++;
                blank();
            } else if (next() != ']') {
                throw unexpected("',' or ']'");
            }
        }
        at++;
    }

    private void scalar(final Part part) {
        final int start = at;
        if (next() == '"') {
            final String value = string();
            part.valued(value, start + 1, at - 1);
            return;
        }
        while (at < text.length() && ",]} \t\r\n/".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        if (start == at) {
            throw unexpected("a value");
        }
        part.valued(text.substring(start, at), start, at);
    }

    private String string() {
        expect('"');
        final StringBuilder value = new StringBuilder();
        while (next() != '"') {
            if (next() == '\\') {
                at++;
            }
            value.append(next());
            at++;
        }
        at++;
        return value.toString();
    }

    private char next() {
        if (at >= text.length()) {
            throw unexpected("more");
        }
        return text.charAt(at);
    }

    private void expect(final char wanted) {
        blank();
        if (next() != wanted) {
            throw unexpected("'" + wanted + "'");
        }
        at++;
    }

    private void blank() {
        while (at < text.length()) {
            if (text.startsWith("//", at)) {
                at = text.indexOf('\n', at) < 0 ? text.length() : text.indexOf('\n', at);
            } else if (text.startsWith("/*", at)) {
                at = text.indexOf("*/", at) < 0 ? text.length() : text.indexOf("*/", at) + 2;
            } else if (Character.isWhitespace(text.charAt(at))) {
                at++;
            } else {
                return;
            }
        }
    }

    private Unreadable unexpected(final String wanted) {
        final int here = Math.min(at, text.length());
        return new Unreadable(Language.lineOf(text, here), "expected " + wanted);
    }
}
