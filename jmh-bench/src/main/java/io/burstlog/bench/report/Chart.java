// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** A picture of lines or points, as SVG: small, sharp at each size, and any browser shows it. */
final class Chart {

    private static final int WIDTH = 960;
    private static final int HEIGHT = 460;
    private static final int LEFT = 96;
    private static final int RIGHT = 34;
    private static final int TITLE = 50;
    private static final int LABELS = 66;
    private static final int LEGEND_LINE = 24;
    private static final int LEGEND_COLUMNS = 2;

    /** Colours that most people can tell apart, also with colour blindness. */
    private static final String[] COLOURS = {
        "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C6D00", "#56B4E9", "#000000", "#7F3FBF", "#999999", "#E69F00",
        "#5A8F00", "#A00000", "#00A0A0", "#603010"
    };

    private static final int EASY_COLOURS = 7;

    private record Line(String name, double[] x, double[] y, boolean points, boolean dashed, String colour) {}

    private final String title;
    private final Axis x;
    private final Axis y;
    private final List<Line> lines = new ArrayList<>();

    Chart(String title, Axis x, Axis y) {
        this.title = title;
        this.x = x;
        this.y = y;
    }

    /** Each line looks different, up to twice the number of easy colours. */
    Chart line(String name, double[] xs, double[] ys) {
        return line(name, xs, ys, lines.size() >= EASY_COLOURS, lines.size());
    }

    /** @param colour lines of the same number look alike, but for the dashes */
    Chart line(String name, double[] xs, double[] ys, boolean dashed, int colour) {
        lines.add(new Line(name, xs, ys, false, dashed, COLOURS[colour % COLOURS.length]));
        return this;
    }

    Chart points(String name, double[] xs, double[] ys) {
        lines.add(new Line(name, xs, ys, true, false, COLOURS[lines.size() % COLOURS.length]));
        return this;
    }

    String svg() {
        lines.forEach(line -> {
            x.reach(line.x());
            y.reach(line.y());
        });
        int top = TITLE + (x.hasSecond() ? LABELS - 12 : 0);
        int bottom = top + HEIGHT;
        int legend = (lines.size() + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS * LEGEND_LINE;
        int height = bottom + LABELS + legend + 10;
        StringBuilder out = new StringBuilder();
        out.append(("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"DejaVu Sans, Arial, sans-serif\" font-size=\"15\">\n")
                .formatted(WIDTH, height, WIDTH, height));
        out.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        text(out, WIDTH / 2.0, 28, "middle", "font-size=\"18\" font-weight=\"bold\"", title);
        grid(out, top, bottom);
        for (Line line : lines) {
            draw(out, line, top, bottom);
        }
        legend(out, bottom + LABELS + 12);
        return out.append("</svg>\n").toString();
    }

    private double across(double value) {
        return LEFT + x.part(value) * (WIDTH - LEFT - RIGHT);
    }

    private double down(double value, int top, int bottom) {
        return bottom - y.part(value) * (bottom - top);
    }

    private void grid(StringBuilder out, int top, int bottom) {
        for (Axis.Tick tick : x.ticks()) {
            double at = across(tick.value());
            rule(out, at, top, at, bottom);
            text(out, at, bottom + 22, "middle", "", tick.label());
            if (x.hasSecond()) {
                text(out, at, top - 8, "middle", "fill=\"#555\"", tick.second());
            }
        }
        for (Axis.Tick tick : y.ticks()) {
            double at = down(tick.value(), top, bottom);
            rule(out, LEFT, at, WIDTH - RIGHT, at);
            text(out, LEFT - 8, at + 5, "end", "", tick.label());
        }
        out.append("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#777\"/>\n"
                .formatted(LEFT, top, WIDTH - LEFT - RIGHT, bottom - top));
        double middle = (LEFT + WIDTH - RIGHT) / 2.0;
        text(out, middle, bottom + 46, "middle", "", x.title());
        if (x.hasSecond()) {
            text(out, middle, top - 32, "middle", "fill=\"#555\"", x.second());
        }
        text(
                out,
                0,
                0,
                "middle",
                "transform=\"translate(20 %d) rotate(-90)\"".formatted((top + bottom) / 2),
                y.title());
    }

    private static void rule(StringBuilder out, double x1, double y1, double x2, double y2) {
        out.append(
                "<path d=\"M%s %sL%s %s\" stroke=\"#ddd\"/>\n".formatted(pixel(x1), pixel(y1), pixel(x2), pixel(y2)));
    }

    private void draw(StringBuilder out, Line line, int top, int bottom) {
        Set<String> seen = new LinkedHashSet<>(); // thousands of points share a few hundred pixels
        for (int i = 0; i < line.x().length; i++) {
            double at = across(line.x()[i]);
            double height = down(line.y()[i], top, bottom);
            seen.add(line.points() ? "M%.0f %.0fh0".formatted(at, height) : pixel(at) + " " + pixel(height));
        }
        out.append("<path d=\"")
                .append(line.points() ? String.join("", seen) : "M" + String.join("L", seen))
                .append("\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" %s/>\n"
                        .formatted(
                                line.colour(),
                                line.points() ? "3" : "2.2",
                                line.points()
                                        ? "stroke-linecap=\"round\" stroke-opacity=\"0.6\""
                                        : line.dashed() ? "stroke-dasharray=\"8 5\"" : "stroke-linejoin=\"round\""));
    }

    private void legend(StringBuilder out, int top) {
        int column = (WIDTH - LEFT - RIGHT) / LEGEND_COLUMNS;
        int rows = (lines.size() + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS;
        for (int i = 0; i < lines.size(); i++) {
            Line line = lines.get(i);
            int left = LEFT + i / rows * column;
            int middle = top + i % rows * LEGEND_LINE;
            out.append("<path d=\"M%d %dh30\" stroke=\"%s\" stroke-width=\"4\"%s/>\n"
                    .formatted(left, middle, line.colour(), line.dashed() ? " stroke-dasharray=\"8 5\"" : ""));
            text(out, left + 38, middle + 5, "start", "", line.name());
        }
    }

    private static void text(StringBuilder out, double x, double y, String anchor, String more, String text) {
        if (!text.isEmpty()) {
            out.append("<text x=\"%s\" y=\"%s\" text-anchor=\"%s\"%s>%s</text>\n"
                    .formatted(pixel(x), pixel(y), anchor, more.isEmpty() ? "" : " " + more, Html.escape(text)));
        }
    }

    private static String pixel(double value) {
        return String.format(Locale.ROOT, "%.1f", value).replaceFirst("\\.0$", "");
    }
}
