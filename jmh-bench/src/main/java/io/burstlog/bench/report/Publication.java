// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Puts results into benchmarks.md and prior-art.md. Each block of a page between {@code <!-- published: NAME -->} and
 * {@code <!-- end of NAME -->} becomes the result of the study of that name, if there is one; other blocks stay.
 * Pictures and raw histograms go to the folder pictures beside the page. The README beside the docs has the fast ring
 * in short.
 */
final class Publication {

    static final Pattern BLOCK = Pattern.compile("(?s)(<!-- published: ([a-z-]+) -->\n)(.*?)(<!-- end of \\2 -->\n)");

    /** Blocks with another name than the study whose results they show. */
    private static final Map<String, String> STUDIES = Map.of(
            "slower", "peers",
            "hand-over", "hand-over-64",
            "message-queues", "queue",
            "durable-logger", "queue");

    /** The first one has the losses that the others quote. */
    private static final List<String> PAGES = List.of("benchmarks.md", "prior-art.md");

    /** The block of README.md. */
    private static final String IN_SHORT = "fast-ring-in-short";

    private final Path docs;
    private final Path pictures;
    private final Results results;
    private Losses.Table losses = new Losses.Table("");
    private String page;

    private Publication(Path docs, Path out) throws IOException {
        this.docs = docs;
        pictures = Files.createDirectories(docs.resolve("pictures"));
        results = new Results(out);
    }

    /** {@code --docs} names the pages' folder, {@code --out} that of the results. */
    static void run(Options options) throws IOException {
        Publication publication = new Publication(options.path("docs", "docs"), options.path("out", "target/bench"));
        for (String page : PAGES) {
            if (Files.exists(publication.docs.resolve(page))) {
                publication.write(publication.docs.resolve(page));
            }
        }
        publication.writeInShort();
    }

    private void write(Path file) throws IOException {
        page = Files.readString(file);
        boolean hasLosses = file.endsWith(PAGES.get(0));
        for (String name : BLOCK.matcher(page)
                .results()
                .map(block -> block.group(2))
                .sorted((a, b) -> Boolean.compare(b.equals("syncs"), a.equals("syncs"))) // others quote its counts
                .toList()) {
            if (hasLosses) {
                losses = new Losses.Table(page);
            }
            String study = STUDIES.getOrDefault(name, name);
            if (results.study(study).isPresent()) {
                publish(name, results.study(study).get());
                System.out.println("pictures     " + file + ": " + name);
            }
        }
        Files.writeString(file, page);
    }

    private void writeInShort() throws IOException {
        Path readme = docs.toAbsolutePath().resolveSibling("README.md");
        if (results.study("fast-ring").isPresent() && Files.exists(readme)) {
            Map<String, Object> study = results.study("fast-ring").get();
            String block = PublishedStudy.inShort(study) + Conditions.inShort(study);
            Files.writeString(readme, replaced(Files.readString(readme), IN_SHORT, block));
            System.out.println("pictures     " + readme + ": " + IN_SHORT);
        }
    }

    private static String replaced(String page, String name, String block) {
        return Pattern.compile("(?s)(<!-- published: %1$s -->\n).*?(<!-- end of %1$s -->\n)".formatted(name))
                .matcher(page)
                .replaceFirst("$1" + Matcher.quoteReplacement("\n" + block + "\n\n") + "$2");
    }

    private void publish(String name, Map<String, Object> study) throws IOException {
        StringBuilder block = new StringBuilder();
        for (Map.Entry<String, String> picture :
                new TreeMap<>(PublishedStudy.pictures(name, study, losses)).entrySet()) {
            Files.writeString(pictures.resolve(picture.getKey() + ".svg"), picture.getValue());
            block.append(link(picture.getKey(), picture.getValue()));
        }
        block.append(PublishedStudy.text(name, study, losses));
        String histograms = PublishedStudy.histograms(study);
        block.append(Conditions.ofBlock(study)).append(skipped(study));
        if (!histograms.isEmpty()) {
            Path file = pictures.resolve(study.get("study") + ".histograms");
            Files.writeString(file, histograms);
            block.append(
                    " [Raw histograms](pictures/%s), SHA-256 `%s`.".formatted(file.getFileName(), sha256(histograms)));
        }
        page = replaced(page, name, block.toString());
    }

    static String link(String file, String svg) {
        return "![%s](pictures/%s.svg)\n\n".formatted(titleOf(svg), file);
    }

    private static String titleOf(String svg) {
        Matcher title = Pattern.compile("font-weight=\"bold\">([^<]*)<").matcher(svg);
        return title.find() ? title.group(1) : "";
    }

    private static String skipped(Map<String, Object> study) {
        StringBuilder text = new StringBuilder();
        for (Object each : Json.list(study.get("skipped"))) {
            Map<String, Object> skipped = Json.object(each);
            text.append("\nSkipped: %s: %s."
                    .formatted(TargetWords.of((String) skipped.get("name")), skipped.get("reason")));
        }
        return text.toString();
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException(never);
        }
    }
}
