// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.TargetResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/**
 * Draws the pictures of benchmarks.md anew, from the raw histograms beside them: a better picture needs no new
 * measurement. Tables and conditions stay. So do pictures of which the histograms do not have everything: those of each
 * message, and the load spectrum with its quartiles.
 */
public final class Redrawing {

    private static final Pattern RAW = Pattern.compile("\\[Raw histograms]\\(pictures/(([^)]+)\\.histograms)\\)");
    private static final Pattern PICTURE = Pattern.compile("!\\[([^]]*)]\\(pictures/([^)]+)\\.svg\\)\n\n");
    private static final Pattern CONDITIONS = Pattern.compile(
            "Made by `(?<command>[^`]+)`; (?<time>[^;]+); (?:(?<bytes>\\d+) bytes; )?revision (?<revision>[^;]+);"
                    + " (?<kernel>[^;]+); (?<cpu>[^;]+?)(?<virtual>, virtual)?; (?<disk>[^;]+); (?<JVM>[^;]+);");
    private static final Pattern DISK = Pattern.compile("(\\S+) on (.+), ([^,]+)");

    private final Path pictures;
    private final Losses.Table losses;

    private Redrawing(Path pictures, Losses.Table losses) {
        this.pictures = pictures;
        this.losses = losses;
    }

    /** {@code --docs} names the page's folder. */
    public static void run(Options options) throws IOException {
        Path docs = options.path("docs", "docs");
        Path file = docs.resolve("benchmarks.md");
        String page = Files.readString(file);
        Redrawing redrawing = new Redrawing(docs.resolve("pictures"), new Losses.Table(page));
        StringBuilder drawn = new StringBuilder();
        Matcher block = Publication.BLOCK.matcher(page);
        while (block.find()) {
            String text = block.group(1) + redrawing.block(block.group(2), block.group(3)) + block.group(4);
            block.appendReplacement(drawn, Matcher.quoteReplacement(text));
        }
        Files.writeString(file, block.appendTail(drawn));
    }

    private String block(String name, String text) throws IOException {
        Matcher raw = RAW.matcher(text);
        Matcher first = PICTURE.matcher(text);
        if (!raw.find() || !first.find() || name.equals("load")) {
            return text;
        }
        Map<String, Object> study = study(raw.group(2), first.group(1), text);
        StringBuilder links = new StringBuilder("\n");
        Map<String, String> drawn = new TreeMap<>(PublishedStudy.pictures(name, study, losses));
        for (Map.Entry<String, String> picture : drawn.entrySet()) {
            Files.writeString(pictures.resolve(picture.getKey() + ".svg"), picture.getValue());
            links.append(Publication.link(picture.getKey(), picture.getValue()));
        }
        Matcher old = PICTURE.matcher(text);
        while (old.find()) {
            if (old.group(2).endsWith("-each-message")) {
                links.append(old.group());
            } else if (!drawn.containsKey(old.group(2))) {
                Files.deleteIfExists(pictures.resolve(old.group(2) + ".svg"));
            }
        }
        System.out.println("redraw       " + name + ": " + String.join(", ", drawn.keySet()));
        return links + PICTURE.matcher(text).replaceAll("").stripLeading();
    }

    /** The study as far as its block and its histograms have it. */
    private Map<String, Object> study(String name, String title, String block) throws IOException {
        Matcher conditions = CONDITIONS.matcher(block);
        if (!conditions.find()) {
            throw new IOException("benchmarks.md: the block of " + name + " has no conditions that can be read.");
        }
        Map<String, Object> facts = new HashMap<>();
        for (String fact : List.of("time", "kernel", "cpu", "JVM")) {
            facts.put(fact, conditions.group(fact));
        }
        facts.put("hypervisor", conditions.group("virtual") == null ? "not shown" : "yes");
        facts.put(
                "log files on",
                DISK.matcher(conditions.group("disk")).replaceFirst("$1 on a disk; model: $2, write cache: $3, "));
        Map<String, Object> study = new LinkedHashMap<>();
        study.put("title", title.replaceFirst("(: (the \\w+ half|ring|log)|, one producer)$", ""));
        study.put("environment", facts);
        if (conditions.group("bytes") == null) {
            study.put("orders", "in the text");
        } else {
            study.put("bytes", conditions.group("bytes"));
        }
        List<Object> targets = new ArrayList<>();
        for (String line : Files.readAllLines(pictures.resolve(name + ".histograms"))) {
            targets.add(target(line));
        }
        study.put("targets", targets);
        return study;
    }

    private static Map<String, Object> target(String line) {
        String name = line.substring(0, line.indexOf('\t'));
        Histogram histogram =
                TargetResult.histogramOf(Map.of("name", name, "histogram", line.substring(line.indexOf('\t') + 1)));
        Map<String, Object> target = TargetResult.figuresOf(name, histogram);
        target.put("jvm", name.replaceFirst(",.*", "")); // of the study of the JVMs
        target.put("pinned", name.contains(", pinned"));
        target.put("noisy", name.contains(", noisy"));
        return target;
    }
}
