// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as maps, lists, strings, numbers, booleans and null. That is enough for results, without a library. */
public final class Json {

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** The members of the object in this file. */
    public static Map<String, Object> readObject(Path file) throws IOException {
        return object(parse(Files.readString(file)));
    }

    public static void write(Path file, Object value) throws IOException {
        StringBuilder out = new StringBuilder();
        print(value, out, "");
        Files.writeString(file, out.append('\n'));
    }

    public static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.skipSpace();
        if (json.at < text.length()) {
            throw json.broken("the end");
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    public static List<Object> list(Object value) {
        return value == null ? List.of() : (List<Object>) value;
    }

    /** JMH writes "NaN" as a string. */
    public static double number(Object value) {
        if (value instanceof String string) {
            return Double.parseDouble(string);
        }
        return value == null ? Double.NaN : ((Number) value).doubleValue();
    }

    private static void print(Object value, StringBuilder out, String indent) {
        if (value instanceof Map<?, ?> map) {
            printAll(map.entrySet(), '{', '}', out, indent);
        } else if (value instanceof List<?> list) {
            if (list.stream().allMatch(each -> each instanceof Number)) {
                out.append(list.toString().replace(" ", ""));
            } else {
                printAll(list, '[', ']', out, indent);
            }
        } else if (value instanceof Map.Entry<?, ?> entry) {
            quote(entry.getKey().toString(), out);
            print(entry.getValue(), out.append(": "), indent);
        } else if (value instanceof Double number && !Double.isFinite(number)) {
            out.append("null");
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            quote(value.toString(), out);
        }
    }

    private static void printAll(Iterable<?> values, char begin, char end, StringBuilder out, String indent) {
        out.append(begin);
        String separator = "\n";
        for (Object value : values) {
            out.append(separator).append(indent).append(' ');
            print(value, out, indent + " ");
            separator = ",\n";
        }
        out.append(separator.equals("\n") ? "" : "\n" + indent).append(end);
    }

    private static void quote(String string, StringBuilder out) {
        out.append('"');
        for (char c : string.toCharArray()) {
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ') {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private Object value() {
        skipSpace();
        char c = at < text.length() ? text.charAt(at) : ' ';
        return switch (c) {
            case '{' -> members();
            case '[' -> elements();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        at++;
        while (!isNext('}')) {
            skipSpace();
            String key = string();
            expect(':');
            members.put(key, value());
            if (!isNext('}')) {
                expect(',');
            }
        }
        at++;
        return members;
    }

    private List<Object> elements() {
        List<Object> elements = new ArrayList<>();
        at++;
        while (!isNext(']')) {
            elements.add(value());
            if (!isNext(']')) {
                expect(',');
            }
        }
        at++;
        return elements;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        expect('"');
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at++);
            string.append(c == '\\' ? escaped() : c);
        }
        expect('"');
        return string.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        if (c != 'u') {
            int control = "nrtbf".indexOf(c);
            return control < 0 ? c : "\n\r\t\b\f".charAt(control);
        }
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
    }

    private Object number() {
        int begin = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String number = text.substring(begin, at);
        try {
            return number.matches("-?\\d+") ? (Object) Long.parseLong(number) : (Object) Double.parseDouble(number);
        } catch (NumberFormatException notANumber) {
            throw broken("a value");
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw broken(word);
        }
        at += word.length();
        return value;
    }

    private boolean isNext(char c) {
        skipSpace();
        return at < text.length() && text.charAt(at) == c;
    }

    private void expect(char c) {
        if (!isNext(c)) {
            throw broken("'" + c + "'");
        }
        at++;
    }

    private void skipSpace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private IllegalArgumentException broken(String expected) {
        String found = at < text.length() ? "'" + text.charAt(at) + "'" : "the end";
        return new IllegalArgumentException(
                "The JSON text has " + found + " at character " + at + " where " + expected + " is expected.");
    }
}
