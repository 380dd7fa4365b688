// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.util.Locale;
import java.util.stream.Collectors;

/** A report for people, and for programs. */
final class ReportText {

    private ReportText() {}

    static String plain(Verification.Report report) {
        StringBuilder text = new StringBuilder();
        if (report.head() != null) {
            text.append(report.head().origin())
                    .append(": ")
                    .append(report.leaves())
                    .append(" leaves, ");
            text.append(report.records())
                    .append(" records with ")
                    .append(report.bytes())
                    .append(" bytes; ");
            text.append(report.erased())
                    .append(" erased, ")
                    .append(report.expired())
                    .append(" expired\n");
        }
        report.anchors().forEach(each -> text.append(plain(each)));
        report.findings().forEach(each -> text.append(each).append("\n"));
        boolean isOnlyUnsealed =
                report.findings().stream().allMatch(each -> !each.isFault() || each.kind() == Finding.Kind.UNSEALED);
        return text.append(
                        report.isIntact()
                                ? "Nothing was changed.\n"
                                : isOnlyUnsealed
                                        ? "Nothing was changed, and not all of it was sealed as promised.\n"
                                        : "This is not what was archived.\n")
                .toString();
    }

    private static String plain(Verification.Anchored anchor) {
        String name = "anchor " + anchor.name() + ": ";
        if (anchor.size() == 0) {
            return name + "it confirms no head\n";
        }
        return name + "it confirms the head of " + anchor.size() + " leaves"
                + (anchor.time() == null ? "" : " at " + anchor.time()) + ", " + anchor.behind() + " lie behind it; "
                + (anchor.longest() == null
                        ? ""
                        : "it had the head of each leaf within "
                                + Math.max(0, anchor.longest().toSeconds()) + " s; ")
                + anchor.answers()
                + (anchor.isChecked()
                        ? " answers hold\n"
                        : " answers, not checked: give what --help says of anchors\n");
    }

    private static String json(Verification.Anchored anchor) {
        return String.format(
                Locale.ROOT,
                "{\"name\":%s,\"checked\":%b,\"answers\":%d,\"size\":%d,\"behind\":%d,\"time\":%s,\"longestSeconds\":%s}",
                quoted(anchor.name()),
                anchor.isChecked(),
                anchor.answers(),
                anchor.size(),
                anchor.behind(),
                anchor.time() == null ? "null" : quoted(anchor.time().toString()),
                anchor.longest() == null
                        ? "null"
                        : Long.toString(anchor.longest().toSeconds()));
    }

    static String json(Verification.Report report) {
        String head = report.head() == null
                ? "null"
                : String.format(
                        Locale.ROOT,
                        "{\"origin\":%s,\"size\":%d}",
                        quoted(report.head().origin()),
                        report.head().size());
        String findings = report.findings().stream()
                .map(each -> String.format(
                        Locale.ROOT,
                        "{\"kind\":\"%s\",\"fault\":%b,\"first\":%d,\"last\":%d,\"sentence\":%s}",
                        each.kind().name().toLowerCase(Locale.ROOT),
                        each.isFault(),
                        each.first(),
                        each.last(),
                        quoted(each.sentence())))
                .collect(Collectors.joining(",", "[", "]"));
        return String.format(
                Locale.ROOT,
                "{\"intact\":%b,\"head\":%s,\"leaves\":%d,\"records\":%d,\"bytes\":%d,\"erased\":%d,\"expired\":%d,\"anchors\":%s,\"findings\":%s}%n",
                report.isIntact(),
                head,
                report.leaves(),
                report.records(),
                report.bytes(),
                report.erased(),
                report.expired(),
                report.anchors().stream().map(ReportText::json).collect(Collectors.joining(",", "[", "]")),
                findings);
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                quoted.append('\\').append(each);
            } else if (each < ' ') {
                quoted.append("\\u%04x".formatted((int) each));
            } else {
                quoted.append(each);
            }
        }
        return quoted.append('"').toString();
    }
}
