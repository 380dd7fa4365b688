// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bridge;

import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.Durability;
import io.burstlog.Io;
import io.burstlog.OnFull;
import io.burstlog.Rolling;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import java.io.File;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What one appender says of its ring and of its log file, as it stands in a configuration. What cannot be used is
 * collected, so that one sentence names all of it: a default in its place would be no base for a promise of durability.
 *
 * <p>A setting that is absent or blank has its default. Not thread-safe.
 */
public final class Settings {

    /** What a log call promises when it returns. */
    public enum Ack {
        /** The event is durable. */
        DURABLE,
        /** The event is accepted, and made durable in the background. */
        ENQUEUED
    }

    /**
     * What is asked for.
     *
     * @param ring what the ring is opened with; it names no log file
     * @param ringTexts what was said of the ring, by the names of the settings
     * @param stream what the log file is opened with
     * @param ack what a log call promises
     */
    public record Terms(BurstConfig ring, Map<String, String> ringTexts, StreamConfig stream, Ack ack) {

        /** Where another one contradicts this one, which is in force; empty if nowhere. */
        String differencesTo(Terms other) {
            List<String> differences = new ArrayList<>();
            other.ringTexts.forEach((name, text) -> {
                String inForce = ringTexts.getOrDefault(name, "");
                if (!inForce.equalsIgnoreCase(text)) {
                    differences.add(name + "=\"" + text + "\", where it was opened "
                            + (inForce.isEmpty() ? "without " + name : "with \"" + inForce + "\""));
                }
            });
            return String.join("; ", differences);
        }
    }

    private static final String RING_PROPERTY = "burstlog.ring";

    private static final List<String> OF_RING = List.of(
            "ringSize",
            "durability",
            "maxRecordSize",
            "io",
            "drainInterval",
            "shutdownTimeout",
            "drainCpu",
            "commitCpu",
            "library");

    private static final List<String> OF_FILE = List.of(
            "ring",
            "file",
            "ack",
            "onFull",
            "blockTimeout",
            "filePermissions",
            "fileOwner",
            "fileGroup",
            "segments",
            "segmentsLimit",
            "segmentsOverLimit",
            "failClosed");

    private static final List<String> OF_ROLLING =
            List.of("rollPattern", "rollSize", "rollInterval", "compress", "keepFiles", "keepBytes", "keep");

    private final Map<String, String> texts = new TreeMap<>();
    private final List<String> complaints = new ArrayList<>();
    private Rolling rolling;

    /** Every setting by its name: of the ring, of the log file, and of rolling. */
    public static List<String> names() {
        List<String> names = new ArrayList<>(OF_FILE);
        names.addAll(OF_RING);
        names.addAll(OF_ROLLING);
        return names;
    }

    /**
     * Says one thing.
     *
     * @param name of the setting; one that is unknown is complained about
     * @param text null or blank: nothing is said
     */
    public void set(String name, String text) {
        if (!names().contains(name)) {
            complain("the setting " + name + " is unknown: correct or remove it");
        } else if (text == null || text.isBlank()) {
            texts.remove(name);
        } else {
            texts.put(name, text.trim());
        }
    }

    /** {@return what was said, trimmed; null: nothing} */
    public String text(String name) {
        return texts.get(name);
    }

    /** In place of the settings of rolling. */
    public void setRolling(Rolling choice) {
        rolling = choice;
    }

    /** Adds something that cannot be used. */
    public void complain(String sentence) {
        complaints.add(sentence.endsWith(".") ? sentence : sentence + ".");
    }

    /** {@return all that cannot be used in one text, numbered if there are several; null if there is nothing} */
    public String complaints() {
        if (complaints.size() <= 1) {
            return complaints.isEmpty() ? null : complaints.get(0);
        }
        StringBuilder text = new StringBuilder().append(complaints.size()).append(" things are wrong.");
        for (int i = 0; i < complaints.size(); i++) {
            text.append(" (").append(i + 1).append(") ").append(complaints.get(i));
        }
        return text.toString();
    }

    /** {@return what is asked for; null if {@link #complaints()} says why that cannot be} */
    public Terms terms() {
        String file = path("file");
        if (file == null) {
            complain("file is missing: set it to the log file");
            return null;
        }
        try {
            Terms terms = readTerms(file);
            terms.ring.check(terms.stream);
            return complaints.isEmpty() ? terms : null;
        } catch (BurstException refusal) {
            complain(refusal.getMessage());
            return null;
        }
    }

    private Terms readTerms(String file) {
        String name = ring(file);
        BurstConfig ring = BurstConfig.builder()
                .ring(name)
                .listener(event -> SharedRing.tell(name, event))
                .ringBytes(size("ringSize"))
                .durability(oneOf("durability", Durability.POWER))
                .maxRecordBytes(size("maxRecordSize"))
                .io(oneOf("io", Io.AUTO))
                .drainInterval(time("drainInterval"))
                .shutdownTimeout(time("shutdownTimeout"))
                .drainCpu(text("drainCpu"))
                .commitCpu(text("commitCpu"))
                .library(text("library"))
                .build();
        StreamConfig stream = StreamConfig.builder()
                .fileName(file)
                .onFull(oneOf("onFull", OnFull.BLOCK))
                .blockTimeout(time("blockTimeout"))
                .filePermissions(permissions("filePermissions"))
                .fileOwner(text("fileOwner"))
                .fileGroup(text("fileGroup"))
                .segments(segments())
                .rolling(rolling != null ? rolling : rolling())
                .build();
        Map<String, String> said = new TreeMap<>(texts);
        said.keySet().retainAll(OF_RING);
        return new Terms(ring, said, stream, oneOf("ack", Ack.DURABLE));
    }

    /** What becomes of segments that a consumer has not passed, once they are beyond the limit. */
    private enum OverLimit {
        HOLD,
        RELEASE
    }

    private Segments segments() {
        long limit = size("segmentsLimit");
        OverLimit over = oneOf("segmentsOverLimit", OverLimit.HOLD);
        if (text("segments") == null && text("segmentsLimit") != null) {
            complain("segmentsLimit says nothing without segments: set that to a folder, or remove segmentsLimit");
        }
        if (text("segmentsLimit") == null && text("segmentsOverLimit") != null) {
            complain("segmentsOverLimit says nothing without segmentsLimit: set that to a size, or remove"
                    + " segmentsOverLimit");
        }
        return text("segments") == null
                ? null
                : Segments.in(text("segments")).limitBytes(limit).release(over == OverLimit.RELEASE);
    }

    private Rolling rolling() {
        if (text("rollPattern") == null) {
            OF_ROLLING.stream()
                    .filter(texts::containsKey)
                    .forEach(name -> complain(name + " says nothing without rollPattern: set it to what rolled files"
                            + " are called, or remove " + name));
            return null;
        }
        return new Rolling(
                text("rollPattern"),
                size("rollSize"),
                time("rollInterval"),
                flag("compress", false),
                count("keepFiles"),
                size("keepBytes"),
                time("keep"));
    }

    /** All that name no ring share one, or all with a log file in the same folder. */
    private String ring(String file) {
        String ring = path("ring");
        if (ring == null) {
            ring = System.getProperty(RING_PROPERTY, "").trim();
        }
        File beside = new File(new File(file).getAbsoluteFile().getParentFile(), "burstlog.ring");
        return canonical(ring.isEmpty() ? beside.getPath() : ring);
    }

    /** The one name of a ring, whatever links lead there. */
    private static String canonical(String path) {
        try {
            // Where the locale lacks a character, a canonical path has "?" for it, whichever it is.
            return requireCharactersOf(requireCharactersOf(new File(path)).getCanonicalFile())
                    .getPath();
        } catch (IOException | InvalidPathException unreadable) {
            // The engine, which takes any name, opens it or says why not.
            return path;
        }
    }

    private static File requireCharactersOf(File file) {
        return file.toPath().toFile();
    }

    /** A name in which a variable was not replaced would be another than the one meant. */
    private String path(String name) {
        String path = text(name);
        if (path != null && (path.contains("${") || path.contains("_IS_UNDEFINED"))) {
            refuse(name, "a variable in it is not defined; define it, or give it a default");
        }
        return path;
    }

    private void refuse(String name, String whatToDo) {
        complain(name + "=\"" + text(name) + "\" cannot be used: " + whatToDo);
    }

    private <E extends Enum<E>> E oneOf(String name, E unset) {
        String text = text(name);
        List<String> spellings = new ArrayList<>();
        for (E constant : unset.getDeclaringClass().getEnumConstants()) {
            String spelling = constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
            if (spelling.equalsIgnoreCase(text)) {
                return constant;
            }
            spellings.add(spelling);
        }
        if (text != null) {
            refuse(name, "use one of " + String.join(", ", spellings));
        }
        return unset;
    }

    /** {@return what a flag says} */
    public boolean flag(String name, boolean unset) {
        String text = text(name);
        if (text != null && !text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            refuse(name, "use true or false");
        }
        return text == null ? unset : Boolean.parseBoolean(text);
    }

    private long size(String name) {
        String text = text(name);
        long bytes = text == null ? 0 : Units.bytesOf(text);
        if (text != null && bytes <= 0) {
            refuse(name, "use a positive size such as 64 MB, 1.5 GB or a number of bytes, without a comma");
            return 0;
        }
        return bytes;
    }

    private long count(String name) {
        String text = text(name);
        if (text != null && !text.matches("[1-9]\\d{0,17}")) {
            refuse(name, "use a positive whole number");
            return 0;
        }
        return text == null ? 0 : Long.parseLong(text);
    }

    private Duration time(String name) {
        String text = text(name);
        Duration time = text == null ? Duration.ZERO : Units.timeOf(text);
        if (time == null || text != null && time.isZero()) {
            refuse(name, "use a positive time such as 100 ms, 10 s, 1 d or a number of milliseconds");
            return Duration.ZERO;
        }
        return time;
    }

    private Set<PosixFilePermission> permissions(String name) {
        String text = text(name);
        try {
            Set<PosixFilePermission> permissions = text == null ? Set.of() : PosixFilePermissions.fromString(text);
            if (text == null || !permissions.isEmpty()) {
                return permissions;
            }
        } catch (IllegalArgumentException notPermissions) {
            // Told below.
        }
        refuse(name, "use nine characters such as rw-r-----");
        return Set.of();
    }
}
