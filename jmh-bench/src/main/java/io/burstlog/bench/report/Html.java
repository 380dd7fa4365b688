// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/** One page that needs no other file. */
final class Html {

    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Burstlog benchmarks</title><style>
            body { font: 15px/1.5 sans-serif; max-width: 1200px; margin: 2em auto; padding: 0 1em; color: #222 }
            table { border-collapse: collapse; margin: 1em 0; font-size: 13px }
            th, td { border: 1px solid #ccc; padding: 3px 8px; text-align: right; vertical-align: top }
            th { background: #f0f0f0 } td:first-child, th:first-child { text-align: left }
            td.text { text-align: left } .yes { background: #d9f2d9 } .no { background: #f8d7d7 } .open { background: #eee }
            img { max-width: 100%; border: 1px solid #ddd } .loud { background: #fff3c4; padding: .5em 1em }
            figcaption { font-size: 13px; color: #555 } figure { margin: 1em 0 }
            </style></head><body>
            """;

    private final StringBuilder page = new StringBuilder(HEAD);

    Html heading(int level, String text) {
        page.append("<h%d>%s</h%d>\n".formatted(level, escape(text), level));
        return this;
    }

    Html paragraph(String text) {
        page.append("<p>").append(escape(text)).append("</p>\n");
        return this;
    }

    Html loud(String text) {
        page.append("<p class=\"loud\">").append(escape(text)).append("</p>\n");
        return this;
    }

    Html figure(String svg, String caption) {
        page.append("<figure><img alt=\"")
                .append(escape(caption))
                .append("\" src=\"data:image/svg+xml;base64,")
                .append(Base64.getEncoder().encodeToString(svg.getBytes(StandardCharsets.UTF_8)))
                .append("\"><figcaption>")
                .append(escape(caption))
                .append("</figcaption></figure>\n");
        return this;
    }

    /** Cells that are no numbers are aligned left; "yes" and "no" are coloured. */
    Html table(List<String> head, List<List<String>> rows) {
        page.append("<table><tr>");
        head.forEach(cell -> page.append("<th>").append(escape(cell)).append("</th>"));
        page.append("</tr>\n");
        for (List<String> row : rows) {
            page.append("<tr>");
            row.forEach(cell -> page.append(opening(cell)).append(escape(cell)).append("</td>"));
            page.append("</tr>\n");
        }
        page.append("</table>\n");
        return this;
    }

    private static String opening(String cell) {
        if (cell.equals("yes") || cell.equals("no")) {
            return "<td class=\"" + cell + "\">";
        }
        if (cell.equals("not measured")) {
            return "<td class=\"open\">";
        }
        return cell.length() > 24 ? "<td class=\"text\">" : "<td>";
    }

    String end() {
        return page + "</body></html>\n";
    }

    /** Nanoseconds as microseconds, with three significant digits. */
    static String micros(double nanos) {
        return digits(nanos / 1000);
    }

    static String digits(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        double size = Math.abs(value);
        return String.format(
                Locale.ROOT, size >= 1000 ? "%,.0f" : size >= 100 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", value);
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
