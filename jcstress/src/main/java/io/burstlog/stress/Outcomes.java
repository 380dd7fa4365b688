// SPDX-License-Identifier: Apache-2.0
package io.burstlog.stress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.GradingResult;

/** Adds up what jcstress observed, over all rounds. */
final class Outcomes {

    private final SortedMap<String, Long> samplesOfTest = new TreeMap<>();
    private long violations;

    /** Reads a result file of jcstress and removes it. */
    void add(Path resultFile) throws IOException, ClassNotFoundException {
        DiskReadCollector results = new DiskReadCollector(resultFile.toString(), this::add);
        results.dump();
        results.close();
        Files.delete(resultFile);
    }

    synchronized void addHang(String test) {
        violations++;
        System.out.printf("VIOLATION %s hangs%n", test);
    }

    synchronized void add(TestResult result) {
        String test = result.getName();
        samplesOfTest.merge(test, result.getTotalCount(), Long::sum);
        long before = violations;
        for (GradingResult outcome : result.grading().gradingResults.values()) {
            if (outcome.expect == Expect.FORBIDDEN && outcome.count > 0) {
                violations += outcome.count;
                System.out.printf(
                        "VIOLATION %s: \"%s\" %d times: %s%n", test, outcome.id, outcome.count, outcome.description);
            }
        }
        if (result.status() != Status.NORMAL) {
            violations++;
            System.out.printf("VIOLATION %s: %s %s%n", test, result.status(), result.getMessages());
        }
        if (violations > before) {
            System.out.printf("    again: scripts/prove/jcstress --seconds 60 --test '%s$'%n", test);
        }
    }

    /** Prints which tests ran, and the last line; returns the exit code. */
    synchronized int report() {
        samplesOfTest.forEach((test, samples) -> System.out.printf("%,15d samples of %s%n", samples, test));
        long cases = samplesOfTest.values().stream().mapToLong(Long::longValue).sum();
        boolean nothingRan = cases == 0;
        if (nothingRan) {
            System.out.println("VIOLATION no test has run");
        }
        System.out.printf("PROOF jcstress cases=%d violations=%d seeds=-%n", cases, nothingRan ? 1 : violations);
        return violations == 0 && !nothingRan ? 0 : 1;
    }
}
