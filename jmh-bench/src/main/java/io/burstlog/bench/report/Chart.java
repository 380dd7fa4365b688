// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A picture of lines or of cells, as SVG: small, sharp at each size, and any browser shows it. */
final class Chart {

    private static final int WIDTH = 960;
    private static final int HEIGHT = 460;
    private static final int LEFT = 96;
    private static final int RIGHT = 34;
    private static final int TITLE = 40;
    private static final int NOTE_LINE = 18;
    private static final int LABELS = 66;
    private static final int LEGEND_LINE = 22;
    private static final int LEGEND_COLUMNS = 2;
    private static final int NUMBER_LINE = 12;
    private static final String SMALL = "font-size=\"13\" fill=\"#555\"";

    /** Colours that most people can tell apart, also with colour blindness. */
    private static final String[] COLOURS = {
        "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C6D00", "#56B4E9", "#000000", "#7F3FBF", "#999999", "#E69F00",
        "#5A8F00", "#A00000", "#00A0A0", "#603010"
    };

    private static final int EASY_COLOURS = 7;
    private static final String DASHED = "8 5";

    /** From pale to dark. */
    private static final double[] SHADES = {0.25, 0.4, 0.55, 0.7, 0.85, 1};

    /**
     * Lines that have something in common.
     *
     * @param heading above them in the legend; empty: none
     * @param dashes as in SVG; empty: solid
     */
    record Group(String heading, String dashes) {}

    /** A part of the area, darker the more it holds. */
    record Cell(double left, double right, double low, double high, long count) {}

    private static final Group SOLID = new Group("", "");

    private record Line(String name, String note, double[] x, double[] y, Group group, String colour) {}

    private record Cells(String name, List<Cell> cells, String colour) {}

    /** A bar at a point of the line before it. */
    private record Spread(double x, double low, double high, String colour) {}

    private final String title;
    private final Axis x;
    private final Axis y;
    private final List<String> notes = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();
    private final List<Cells> clouds = new ArrayList<>();
    private String rule = "";
    private final List<Spread> spreads = new ArrayList<>();

    Chart(String title, Axis x, Axis y) {
        this.title = title;
        this.x = x;
        this.y = y;
    }

    /** Below the title: the conditions. */
    Chart notes(List<String> texts) {
        notes.addAll(texts);
        return this;
    }

    /** Above the legend: how the picture is to be read. */
    Chart rule(String text) {
        rule = text;
        return this;
    }

    /** @param colour lines of the same number look alike, but for the dashes */
    Chart line(String name, double[] xs, double[] ys, boolean dashed, int colour) {
        lines.add(new Line(name, "", xs, ys, dashed ? new Group("", DASHED) : SOLID, colour(colour)));
        return this;
    }

    /** An upright bar from low to high, in the colour of the last line. */
    Chart spread(double at, double low, double high) {
        spreads.add(new Spread(at, low, high, lines.get(lines.size() - 1).colour()));
        return this;
    }

    /** @param note behind the name in the legend */
    Chart line(Group group, String name, String note, double[] xs, double[] ys, int colour) {
        lines.add(new Line(name, note, xs, ys, group, colour(colour)));
        return this;
    }

    Chart cells(String name, List<Cell> cells) {
        clouds.add(new Cells(name, cells, colour(clouds.size())));
        return this;
    }

    private static String colour(int number) {
        return COLOURS[number % COLOURS.length];
    }

    String svg() {
        lines.forEach(line -> {
            x.reach(line.x());
            y.reach(line.y());
        });
        spreads.forEach(spread -> y.reach(new double[] {spread.low(), spread.high()}));
        clouds.forEach(cloud -> cloud.cells().forEach(cell -> {
            x.reach(new double[] {cell.left(), cell.right()});
            y.reach(new double[] {cell.low(), cell.high()});
        }));
        int top = TITLE + notes.size() * NOTE_LINE + 8 + (x.hasSecond() ? LABELS - 12 : 0);
        int bottom = top + HEIGHT;
        StringBuilder below = new StringBuilder();
        int height = legend(below, bottom + LABELS + 6);
        StringBuilder out = new StringBuilder();
        out.append(("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"DejaVu Sans, Arial, sans-serif\" font-size=\"15\">\n")
                .formatted(WIDTH, height, WIDTH, height));
        out.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        text(out, WIDTH / 2.0, 28, "middle", "font-size=\"18\" font-weight=\"bold\"", title);
        for (int i = 0; i < notes.size(); i++) {
            text(out, WIDTH / 2.0, TITLE + 8 + i * NOTE_LINE, "middle", SMALL, notes.get(i));
        }
        grid(out, top, bottom);
        long most = clouds.stream()
                .flatMap(cloud -> cloud.cells().stream())
                .mapToLong(Cell::count)
                .max()
                .orElse(1);
        clouds.forEach(cloud -> draw(out, cloud, most, top, bottom));
        for (Spread spread : spreads) {
            out.append("<path d=\"M%s %sV%sm-4 0h8M%s %sm-4 0h8\" stroke=\"%s\" stroke-width=\"1.4\" fill=\"none\"/>\n"
                    .formatted(
                            pixel(across(spread.x())),
                            pixel(down(spread.low(), top, bottom)),
                            pixel(down(spread.high(), top, bottom)),
                            pixel(across(spread.x())),
                            pixel(down(spread.low(), top, bottom)),
                            spread.colour()));
        }
        lines.forEach(line -> draw(out, line, top, bottom));
        if (isNumbered()) {
            numbers(out, top, bottom);
        }
        return out.append(below).append("</svg>\n").toString();
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
        Set<String> seen = new LinkedHashSet<>(); // many values share a few hundred pixels
        for (int i = 0; i < line.x().length; i++) {
            seen.add(pixel(across(line.x()[i])) + " " + pixel(down(line.y()[i], top, bottom)));
        }
        if (!seen.isEmpty()) {
            out.append(
                    "<path d=\"M%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.2\" stroke-linejoin=\"round\"%s/>\n"
                            .formatted(String.join("L", seen), line.colour(), dashes(line.group())));
        }
    }

    private static String dashes(Group group) {
        return group.dashes().isEmpty() ? "" : " stroke-dasharray=\"" + group.dashes() + "\"";
    }

    /** Each shade is one path, and neighbours of one shade are one stroke of it. All cells are of one height. */
    private void draw(StringBuilder out, Cells cloud, long most, int top, int bottom) {
        Map<Integer, TreeMap<Double, TreeMap<Double, Cell>>> byShade = new TreeMap<>();
        for (Cell cell : cloud.cells()) {
            int shade = (int) Math.round((SHADES.length - 1) * Math.log(cell.count()) / Math.log(Math.max(2, most)));
            byShade.computeIfAbsent(shade, first -> new TreeMap<>())
                    .computeIfAbsent(cell.low(), first -> new TreeMap<>())
                    .put(cell.left(), cell);
        }
        byShade.forEach((shade, rows) -> {
            Cell any = rows.firstEntry().getValue().firstEntry().getValue();
            out.append("<path stroke=\"%s\" stroke-opacity=\"%s\" stroke-width=\"%s\" d=\""
                    .formatted(
                            cloud.colour(),
                            SHADES[shade],
                            pixel(down(any.low(), top, bottom) - down(any.high(), top, bottom))));
            for (TreeMap<Double, Cell> row : rows.values()) {
                Cell last = null;
                for (Cell cell : row.values()) {
                    if (last == null || last.right() != cell.left()) {
                        out.append(last == null ? "" : "H" + pixel(across(last.right())));
                        double middle = (down(cell.low(), top, bottom) + down(cell.high(), top, bottom)) / 2;
                        out.append("M%s %s".formatted(pixel(across(cell.left())), pixel(middle)));
                    }
                    last = cell;
                }
                out.append("H").append(pixel(across(last.right())));
            }
            out.append("\"/>\n");
        });
    }

    private boolean isNumbered() {
        return lines.size() > EASY_COLOURS;
    }

    /** Numbers at the right ends of the lines, one below the other: colours alone do not tell so many apart. */
    private void numbers(StringBuilder out, int top, int bottom) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).y().length > 0) {
                order.add(i);
            }
        }
        order.sort((a, b) -> Double.compare(endOf(lines.get(b)), endOf(lines.get(a))));
        double[] at = new double[order.size()];
        double free = top;
        for (int i = 0; i < at.length; i++) {
            at[i] = Math.max(free, down(endOf(lines.get(order.get(i))), top, bottom));
            free = at[i] + NUMBER_LINE;
        }
        double last = bottom;
        for (int i = at.length - 1; i >= 0; i--) {
            at[i] = Math.min(last, at[i]);
            last = at[i] - NUMBER_LINE;
        }
        for (int i = 0; i < at.length; i++) {
            Line line = lines.get(order.get(i));
            out.append("<path d=\"M%s %sL%d %s\" stroke=\"%s\" stroke-width=\"0.7\"/>\n"
                    .formatted(
                            pixel(across(line.x()[line.x().length - 1])),
                            pixel(down(endOf(line), top, bottom)),
                            WIDTH - RIGHT + 10,
                            pixel(at[i]),
                            line.colour()));
            String number = Integer.toString(order.get(i) + 1);
            text(out, WIDTH - RIGHT + 12, at[i] + 4, "start", "font-size=\"12\"", number);
        }
    }

    private static double endOf(Line line) {
        return line.y()[line.y().length - 1];
    }

    /** Returns the height of the picture. */
    private int legend(StringBuilder out, int top) {
        int at = top;
        if (!rule.isEmpty()) {
            text(out, left(0), at, "start", SMALL, rule);
            at += LEGEND_LINE + 4;
        }
        Map<Group, List<Integer>> groups = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            Group group = lines.get(i).group();
            Group shown = group.heading().isEmpty() ? SOLID : group;
            groups.computeIfAbsent(shown, first -> new ArrayList<>()).add(i);
        }
        for (Map.Entry<Group, List<Integer>> group : groups.entrySet()) {
            if (!group.getKey().heading().isEmpty()) {
                text(
                        out,
                        left(0),
                        at + 5,
                        "start",
                        "font-size=\"14\" font-weight=\"bold\"",
                        group.getKey().heading());
                at += LEGEND_LINE;
            }
            int rows = (group.getValue().size() + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS;
            for (int i = 0; i < group.getValue().size(); i++) {
                int number = group.getValue().get(i);
                Line line = lines.get(number);
                int left = left(i / rows);
                int middle = at + i % rows * LEGEND_LINE;
                out.append("<path d=\"M%d %dh30\" stroke=\"%s\" stroke-width=\"3\"%s/>\n"
                        .formatted(left, middle, line.colour(), dashes(line.group())));
                text(out, left + 38, middle + 5, "start", "font-size=\"13\"", named(number, line.name()), line.note());
            }
            at += rows * LEGEND_LINE + 4;
        }
        for (int i = 0; i < clouds.size(); i++) {
            Cells cloud = clouds.get(i);
            out.append("<path d=\"M%d %dh30\" stroke=\"%s\" stroke-width=\"10\"/>\n"
                    .formatted(left(i % LEGEND_COLUMNS), at, cloud.colour()));
            text(out, left(i % LEGEND_COLUMNS) + 38, at + 5, "start", "font-size=\"13\"", cloud.name());
            at += i % LEGEND_COLUMNS == LEGEND_COLUMNS - 1 || i == clouds.size() - 1 ? LEGEND_LINE : 0;
        }
        return at + 2;
    }

    private static int left(int column) {
        return 40 + column * (WIDTH - 50) / LEGEND_COLUMNS;
    }

    private String named(int number, String name) {
        return isNumbered() ? number + 1 + "  " + name : name;
    }

    private static void text(StringBuilder out, double x, double y, String anchor, String more, String text) {
        text(out, x, y, anchor, more, text, "");
    }

    private static void text(
            StringBuilder out, double x, double y, String anchor, String more, String text, String note) {
        if (!text.isEmpty()) {
            String pale = note.isEmpty() ? "" : "<tspan fill=\"#666\">, %s</tspan>".formatted(Html.escape(note));
            out.append("<text x=\"%s\" y=\"%s\" text-anchor=\"%s\"%s>%s%s</text>\n"
                    .formatted(pixel(x), pixel(y), anchor, more.isEmpty() ? "" : " " + more, Html.escape(text), pale));
        }
    }

    private static String pixel(double value) {
        return String.format(Locale.ROOT, "%.1f", value).replaceFirst("\\.0$", "");
    }
}
