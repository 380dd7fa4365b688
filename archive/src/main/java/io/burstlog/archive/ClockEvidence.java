// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The state of the clock of the day: what the kernel vouches for (adjtimex), and what chrony and PTP say where they
 * run.
 *
 * <pre>
 * source: chrony, kernel
 * bound-ns: 41250             the least distance from UTC that one of the sources vouches for; left out if none does
 * kernel: status 0x2001, maxerror 1500 us, esterror 0 us
 * chrony: the line of chronyc -c tracking
 * ptp: the lines of pmc about TIME_STATUS_NP, joined
 * </pre>
 */
final class ClockEvidence {

    private static final long PATIENCE_SECONDS = 2;
    private static final int MOST_TEXT = 2_000;

    /** {@code struct timex} of 64-bit Linux. */
    private static final int TIMEX_BYTES = 256;

    private static final int MAXERROR = 24;
    private static final int ESTERROR = 32;
    private static final int STATUS = 40;
    private static final int STA_UNSYNC = 0x40;

    private static final List<String> CHRONY = List.of("chronyc", "-c", "tracking");
    private static final List<String> PTP = List.of("pmc", "-u", "-b", "0", "GET TIME_STATUS_NP");

    /** Fields of chronyc's line. */
    private static final int REFERENCE = 0;

    private static final int SYSTEM_OFFSET = 4;
    private static final int ROOT_DELAY = 10;
    private static final int ROOT_DISPERSION = 11;
    private static final int LEAP_STATUS = 13;
    private static final int CHRONY_FIELDS = 14;

    private final StringBuilder lines = new StringBuilder();
    private final StringBuilder sources = new StringBuilder();
    private long bound = Long.MAX_VALUE;

    private ClockEvidence() {}

    /** {@return the lines about this host's clock} */
    static String take() {
        ClockEvidence evidence = new ClockEvidence();
        evidence.addKernel();
        evidence.addChrony(output(CHRONY));
        evidence.addPtp(output(PTP));
        return evidence.text();
    }

    static String of(int status, long maxErrorMicros, long estimatedErrorMicros, String chrony, String ptp) {
        ClockEvidence evidence = new ClockEvidence();
        evidence.addKernel(status, maxErrorMicros, estimatedErrorMicros);
        evidence.addChrony(chrony);
        evidence.addPtp(ptp);
        return evidence.text();
    }

    private String text() {
        return "source: " + (sources.length() == 0 ? "none" : sources)
                + (bound == Long.MAX_VALUE ? "" : "\nbound-ns: " + bound) + "\n" + lines;
    }

    private void add(String source, long boundNanos) {
        sources.append(sources.length() == 0 ? "" : ", ").append(source);
        bound = Math.min(bound, boundNanos);
    }

    private void addKernel() {
        try (Memory timex = new Memory(TIMEX_BYTES)) {
            timex.clear();
            // Its result is the state, of which status has the bits.
            if (Function.getFunction("c", "adjtimex").invokeInt(new Object[] {timex}) >= 0) {
                addKernel(timex.getInt(STATUS), timex.getLong(MAXERROR), timex.getLong(ESTERROR));
            }
        } catch (UnsatisfiedLinkError none) {
            lines.append("kernel: ").append(none.getMessage()).append("\n");
        }
    }

    private void addKernel(int status, long maxErrorMicros, long estimatedErrorMicros) {
        lines.append("kernel: status 0x%x, maxerror %d us, esterror %d us%n"
                .formatted(status, maxErrorMicros, estimatedErrorMicros));
        if ((status & STA_UNSYNC) == 0) {
            add("kernel", maxErrorMicros * 1_000);
        }
    }

    private void addChrony(String output) {
        if (output == null) {
            return;
        }
        lines.append("chrony: ").append(output).append("\n");
        String[] fields = output.split(",");
        try {
            if (fields.length >= CHRONY_FIELDS
                    && HexFormat.fromHexDigits(fields[REFERENCE]) != 0
                    && !fields[LEAP_STATUS].equals("Not synchronised")) {
                BigDecimal seconds = new BigDecimal(fields[SYSTEM_OFFSET])
                        .abs()
                        .add(new BigDecimal(fields[ROOT_DISPERSION]))
                        .add(new BigDecimal(fields[ROOT_DELAY]).divide(BigDecimal.valueOf(2)));
                add("chrony", seconds.movePointRight(9).longValue() + 1);
            }
        } catch (IllegalArgumentException otherOutput) {
            // The line itself is kept.
            return;
        }
    }

    /** PTP says how far the clock is from its master, and nothing of how far that is from UTC. */
    private void addPtp(String output) {
        if (output == null) {
            return;
        }
        lines.append("ptp: ").append(output).append("\n");
        Matcher present = Pattern.compile("gmPresent\\s+true").matcher(output);
        Matcher offset = Pattern.compile("master_offset\\s+(-?\\d{1,18})").matcher(output);
        if (present.find() && offset.find()) {
            sources.append(sources.length() == 0 ? "" : ", ").append("ptp");
        }
    }

    /** {@return what a program prints, in one line; null if it is not there, fails, or takes too long} */
    private static String output(List<String> command) {
        Process process = null;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                return null;
            }
            String text = new String(process.getInputStream().readNBytes(MOST_TEXT), UTF_8);
            return text.isBlank() ? null : text.strip().replaceAll("\\s+", " ");
        } catch (IOException none) {
            return null;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            if (process != null) {
                process.destroyForcibly();
            }
        }
    }
}
