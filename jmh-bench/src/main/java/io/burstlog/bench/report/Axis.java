// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One axis of a {@link Chart}: the place of each value, and the labels beside it. */
final class Axis {

    /** @param second the label at the other side of the picture, or empty */
    record Tick(double value, String label, String second) {}

    private enum Scale {
        LINEAR,
        LOGARITHMIC,
        NINES
    }

    /** A trading year: 8 hours on 252 days. */
    private static final double YEAR_SECONDS = 252 * 8 * 3600.0;

    private static final double MOST_DECADES_WITH_FIVES = 3;
    private static final int TICKS = 8;

    private final Scale scale;
    private final String title;
    private double least = Double.NaN;
    private double most = Double.NaN;

    private Axis(Scale scale, String title) {
        this.scale = scale;
        this.title = title;
    }

    /** From nothing on. */
    static Axis linear(String title) {
        Axis axis = new Axis(Scale.LINEAR, title);
        axis.least = 0;
        return axis;
    }

    static Axis logarithmic(String title) {
        return new Axis(Scale.LOGARITHMIC, title);
    }

    /** Percentiles, as {@link #nines}; on the other side, how much time of a trading year is beyond each. */
    static Axis percentiles() {
        Axis axis = new Axis(Scale.NINES, "percentile of messages (%)");
        axis.least = 0;
        return axis;
    }

    /** The number of nines in a percentile: 0 for 0, 2 for 99, 3 for 99.9. */
    static double nines(double percentile) {
        return Math.log10(100 / (100 - percentile));
    }

    String title() {
        return title;
    }

    boolean hasSecond() {
        return scale == Scale.NINES;
    }

    String second() {
        return "time in a trading year (8 h x 252 days) beyond this percentile";
    }

    void reach(double[] values) {
        for (double value : values) {
            least = Double.isNaN(least) ? value : Math.min(least, value);
            most = Double.isNaN(most) ? value : Math.max(most, value);
        }
    }

    /** 0 at one end of the axis, 1 at the other. */
    double part(double value) {
        return (position(value) - begin()) / (end() - begin());
    }

    private double position(double value) {
        return scale == Scale.LOGARITHMIC ? Math.log10(value) : value;
    }

    /** A logarithmic axis begins and ends at a 1, a 2 or a 5. */
    private double begin() {
        return scale == Scale.LOGARITHMIC ? Math.log10(round(least * 1.0001, false)) : least;
    }

    private double end() {
        if (scale == Scale.LOGARITHMIC) {
            return Math.log10(Math.max(round(most * 0.9999, true), round(least * 1.0001, false) * 2));
        }
        return most > least ? most : least + 1;
    }

    private static double round(double value, boolean up) {
        double decade = Math.pow(10, Math.floor(Math.log10(value)));
        double rounded = decade;
        for (double step : new double[] {2, 5, 10}) {
            if (up ? rounded < value : decade * step <= value) {
                rounded = decade * step;
            }
        }
        return rounded;
    }

    List<Tick> ticks() {
        List<Tick> ticks = new ArrayList<>();
        switch (scale) {
            case NINES -> {
                for (int nines = 0; nines <= end() + 1e-9; nines++) {
                    ticks.add(new Tick(nines, percentile(nines), nines == 0 ? "" : yearBeyond(Math.pow(10, -nines))));
                }
            }
            case LOGARITHMIC -> {
                boolean fives = end() - begin() <= MOST_DECADES_WITH_FIVES;
                for (int decade = (int) Math.floor(begin()); decade <= end() + 1e-9; decade++) {
                    for (double step : fives ? new double[] {1, 2, 5} : new double[] {1}) {
                        double value = Math.pow(10, decade) * step;
                        if (position(value) > begin() - 1e-9 && position(value) < end() + 1e-9) {
                            ticks.add(new Tick(value, number(value), ""));
                        }
                    }
                }
            }
            default -> {
                double step = round((end() - begin()) / TICKS, true);
                for (double value = begin(); value <= end() * (1 + 1e-9); value += step) {
                    ticks.add(new Tick(value, number(value), ""));
                }
            }
        }
        return ticks;
    }

    private static String percentile(int nines) {
        return BigDecimal.valueOf(100)
                .subtract(BigDecimal.ONE.movePointLeft(nines - 2))
                .toPlainString();
    }

    /** The time of a trading year that is worse, if that part of all time is: "12 min". */
    static String yearBeyond(double part) {
        double seconds = part * YEAR_SECONDS;
        if (seconds >= 3600) {
            return (seconds >= 36_000 ? number(Math.rint(seconds / 3600)) : one(seconds / 3600)) + " h";
        }
        if (seconds >= 60) {
            return (seconds >= 600 ? number(Math.rint(seconds / 60)) : one(seconds / 60)) + " min";
        }
        return (seconds >= 10 ? number(Math.rint(seconds)) : one(seconds)) + " s";
    }

    private static String one(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String number(double value) {
        String text = String.format(Locale.ROOT, value < 1 ? "%.6f" : "%,.3f", value);
        return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
    }
}
