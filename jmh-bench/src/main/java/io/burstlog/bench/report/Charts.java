// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.TargetResult;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The pictures, as PNG. Time is always on a logarithmic axis, in microseconds; nothing is cut off. */
final class Charts {

    /** A phone shows these at a third of their size: hence the size of the letters. */
    private static final int WIDTH = 1080;

    private static final int HEIGHT = 760;
    private static final int LEGEND_LINE = 34;
    private static final int LETTERS = 23;
    private static final double LAST_PERCENTILE = 99.9999;

    /** Colours that can be told apart, also by those who see fewer. */
    private static final Color[] COLOURS = {
        new Color(0x0072B2), new Color(0xD55E00), new Color(0x009E73), new Color(0xCC79A7), new Color(0x8C6D00),
        new Color(0x56B4E9), new Color(0x000000), new Color(0x7F3FBF), new Color(0x999999), new Color(0xE69F00),
        new Color(0x5A8F00), new Color(0xA00000), new Color(0x00A0A0), new Color(0x603010)
    };

    private Charts() {}

    /** Latency by percentile; the axis counts nines. */
    static byte[] percentiles(String title, List<Map<String, Object>> targets) {
        XYChart chart = chart(title, "percentile of messages (%)", "latency (us)", targets.size());
        // XChart's own logarithmic axis has no labels of one's own.
        chart.setCustomXAxisTickLabelsFormatter(Charts::percentileOf);
        chart.getStyler().setXAxisMin(0.0);
        int index = 0;
        for (Map<String, Object> target : targets) {
            Histogram histogram = TargetResult.histogramOf(target);
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (HistogramIterationValue value : histogram.percentiles(10)) {
                double percentile = Math.min(value.getPercentileLevelIteratedTo(), lastOf(histogram));
                x.add(Math.log10(100 / (100 - percentile)));
                y.add(micros(value.getValueIteratedTo()));
            }
            line(chart, (String) target.get("name"), x, y, index++);
        }
        return png(chart);
    }

    /** The maximum stands where one message of all stands: 100% has no place on an axis of nines. */
    private static double lastOf(Histogram histogram) {
        return Math.min(LAST_PERCENTILE, 100 - 100.0 / Math.max(2, histogram.getTotalCount()));
    }

    private static String percentileOf(double nines) {
        if (Math.abs(nines - Math.rint(nines)) > 1e-9) {
            return "";
        }
        return BigDecimal.valueOf(100)
                .subtract(BigDecimal.ONE.movePointLeft((int) Math.rint(nines) - 2))
                .toPlainString();
    }

    /** Each message's latency in the order of the messages. */
    static byte[] series(String title, List<Map<String, Object>> targets) {
        XYChart chart =
                chart(title, "number of the message after warm-up, in thousands", "latency (us)", targets.size());
        chart.getStyler().setDefaultSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
        chart.getStyler().setMarkerSize(4);
        chart.getStyler().setXAxisTickMarkSpacingHint(200);
        chart.getStyler().setXAxisMin(0.0);
        int index = 0;
        for (Map<String, Object> target : targets) {
            List<Object> points = Json.list(target.get("series"));
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (int i = 0; i < points.size(); i += 2) {
                x.add(Json.number(points.get(i)) / 1000);
                y.add(micros(Json.number(points.get(i + 1))));
            }
            XYSeries added = chart.addSeries((String) target.get("name"), x, y);
            added.setMarker(SeriesMarkers.CIRCLE);
            added.setMarkerColor(COLOURS[index++ % COLOURS.length]);
        }
        return png(chart);
    }

    /** Which part of the messages took how long, in steps of a tenth of an octave. */
    static byte[] distributions(String title, List<Map<String, Object>> targets) {
        XYChart chart = chart(title, "latency (us)", "messages in each step of 7% (%)", targets.size());
        chart.getStyler().setXAxisLogarithmic(true);
        int index = 0;
        for (Map<String, Object> target : targets) {
            Histogram histogram = TargetResult.histogramOf(target);
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            double step = Math.pow(2, 0.1);
            double none = 100.0 / histogram.getTotalCount() * NO_MESSAGE;
            long from = Math.max(1, histogram.getMinValue() * 9 / 10);
            x.add(micros(from));
            y.add(none);
            while (from <= histogram.getMaxValue()) {
                long to = Math.max(from + 1, (long) (from * step));
                double percent = 100.0 * histogram.getCountBetweenValues(from, to - 1) / histogram.getTotalCount();
                x.add(micros(Math.sqrt((double) from * to)));
                y.add(Math.max(percent, none));
                from = to;
            }
            line(chart, (String) target.get("name"), x, y, index++);
        }
        return png(chart);
    }

    /** In messages: a logarithm wants more than nothing. */
    private static final double NO_MESSAGE = 0.5;

    /** Lines over the load. */
    static byte[] load(String title, String yTitle, Map<String, List<double[]>> lines) {
        XYChart chart = chart(title, "load (% of the capacity of each)", yTitle, lines.size());
        int index = 0;
        for (Map.Entry<String, List<double[]>> line : lines.entrySet()) {
            List<Double> x = line.getValue().stream().map(point -> point[0]).toList();
            List<Double> y =
                    line.getValue().stream().map(point -> micros(point[1])).toList();
            XYSeries added = line(chart, line.getKey(), x, y, index / 2);
            added.setMarker(SeriesMarkers.CIRCLE);
            added.setMarkerColor(COLOURS[index / 2 % COLOURS.length]);
            if (index++ % 2 == 1) {
                added.setLineStyle(SeriesLines.DASH_DASH);
            }
        }
        return png(chart);
    }

    private static XYSeries line(XYChart chart, String name, List<Double> x, List<Double> y, int index) {
        XYSeries series = chart.addSeries(name, x, y);
        series.setMarker(SeriesMarkers.NONE);
        series.setLineColor(COLOURS[index % COLOURS.length]);
        series.setLineStyle(new BasicStroke(index < COLOURS.length / 2 ? 3f : 2f));
        return series;
    }

    private static double micros(double nanos) {
        // A logarithm wants more than nothing.
        return Math.max(nanos, 1) / 1000;
    }

    private static XYChart chart(String title, String x, String y, int lines) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT + lines * LEGEND_LINE)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
        Styler styler = chart.getStyler();
        styler.setLegendPosition(Styler.LegendPosition.OutsideS);
        styler.setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, LETTERS));
        styler.setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, LETTERS + 2));
        chart.getStyler().setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, LETTERS));
        styler.setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, LETTERS));
        chart.getStyler().setPlotGridLinesColor(new Color(0xDDDDDD));
        chart.getStyler().setYAxisDecimalPattern("#,##0.#####");
        chart.getStyler().setXAxisDecimalPattern("#,##0.#####");
        return chart;
    }

    private static byte[] png(XYChart chart) {
        try {
            return BitmapEncoder.getBitmapBytes(chart, BitmapEncoder.BitmapFormat.PNG);
        } catch (IOException inMemory) {
            throw new UncheckedIOException(inMemory);
        }
    }
}
