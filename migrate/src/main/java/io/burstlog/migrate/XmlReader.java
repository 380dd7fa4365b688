// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds elements and attributes of XML; comments, CDATA and declarations are passed over. */
final class XmlReader {

    private static final Pattern TAG = Pattern.compile("<(/?)([\\w:.-]+)((?:[^>\"']|\"[^\"]*\"|'[^']*')*?)(/?)>");
    private static final Pattern ATTRIBUTE = Pattern.compile("([\\w:.-]+)\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)')");

    private final String text;
    private final Part root = new Part(null, 1);
    private final Deque<Part> open = new ArrayDeque<>();

    XmlReader(final String text) {
        this.text = text;
    }

    Part read() {
        open.push(root);
        int at = text.indexOf('<');
        while (at >= 0) {
            at = text.indexOf('<', markup(at));
        }
        if (open.size() > 1) {
            throw new Unreadable(open.peek().line(), "<" + open.peek().name() + "> is not closed");
        }
        return root;
    }

    /** Reads one piece of markup, and returns where it ends. */
    private int markup(final int at) {
        if (text.startsWith("<!--", at)) {
            return endOf("-->", at);
        }
        if (text.startsWith("<![CDATA[", at)) {
            return endOf("]]>", at);
        }
        if (text.startsWith("<?", at)) {
            return endOf("?>", at);
        }
        if (text.startsWith("<!", at)) {
            final int subset = text.indexOf('[', at);
            return subset >= 0 && subset < text.indexOf('>', at) ? endOf("]>", at) : endOf(">", at);
        }
        final Matcher tag = TAG.matcher(text).region(at, text.length());
        if (!tag.lookingAt()) {
            throw new Unreadable(Language.lineOf(text, at), "this is no tag of XML");
        }
        if (tag.group(1).isEmpty()) {
            begin(tag);
        } else {
            end(tag);
        }
        return tag.end();
    }

    private int endOf(final String mark, final int at) {
        final int end = text.indexOf(mark, at);
        if (end < 0) {
            throw new Unreadable(Language.lineOf(text, at), "what begins here does not end: " + mark + " is missing");
        }
        return end + mark.length();
    }

    private void begin(final Matcher tag) {
        final Part element = new Part(tag.group(2), Language.lineOf(text, tag.start()));
        element.named(tag.start(2), tag.end(2));
        element.takesAttributesAt(tag.end(2), " %s=\"%s\"");
        final Matcher attribute = ATTRIBUTE.matcher(text).region(tag.start(3), tag.end(3));
        while (attribute.find()) {
            final int group = attribute.group(2) != null ? 2 : 3;
            element.add(new Part(attribute.group(1), Language.lineOf(text, attribute.start()))
                    .valued(plain(attribute.group(group)), attribute.start(group), attribute.end(group)));
        }
        open.peek().add(element);
        if (tag.group(4).isEmpty()) {
            open.push(element);
        }
    }

    private void end(final Matcher tag) {
        if (open.size() == 1 || !open.peek().name().equals(tag.group(2))) {
            throw new Unreadable(
                    Language.lineOf(text, tag.start()), "</" + tag.group(2) + "> closes no element that is open");
        }
        open.pop().named(tag.start(2), tag.end(2));
    }

    private static String plain(final String value) {
        return value.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&apos;", "'")
                .replace("&amp;", "&");
    }
}
