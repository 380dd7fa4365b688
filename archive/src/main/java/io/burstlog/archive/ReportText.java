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
        report.findings().forEach(each -> text.append(each).append("\n"));
        return text.append(report.isIntact() ? "Nothing was changed.\n" : "This is not what was archived.\n")
                .toString();
    }

    static String json(Verification.Report report) {
        String head = report.head() == null
                ? "null"
                : "{\"origin\":%s,\"size\":%d}"
                        .formatted(quoted(report.head().origin()), report.head().size());
        String findings = report.findings().stream()
                .map(each -> "{\"kind\":\"%s\",\"fault\":%b,\"first\":%d,\"last\":%d,\"sentence\":%s}"
                        .formatted(
                                each.kind().name().toLowerCase(Locale.ROOT),
                                each.isFault(),
                                each.first(),
                                each.last(),
                                quoted(each.sentence())))
                .collect(Collectors.joining(",", "[", "]"));
        return "{\"intact\":%b,\"head\":%s,\"leaves\":%d,\"records\":%d,\"bytes\":%d,\"erased\":%d,\"expired\":%d,\"findings\":%s}%n"
                .formatted(
                        report.isIntact(),
                        head,
                        report.leaves(),
                        report.records(),
                        report.bytes(),
                        report.erased(),
                        report.expired(),
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
