// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.ZipInputStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.rolling.DirectFileRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.DefaultConfiguration;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.message.SimpleMessage;

/** A log file in a folder that rolls, without a ring. */
final class RolledLog implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path folder;
    private final RollingSettings settings;
    private final FileWritingStream stream;
    private final FileRolling rolling;

    private RolledLog(final Path folder, final RollingSettings settings, final FileWritingStream stream) {
        this.folder = folder;
        this.settings = settings;
        this.stream = stream;
        final boolean isNew = stream.stats().fileBytes() == 0;
        this.rolling = FileRolling.of(settings, stream);
        if (isNew) {
            stream.write(FileRolling.firstHeader(settings, stream));
        }
        rolling.begin(isNew);
    }

    /** The log file app.log in a folder, with rolled files' names below it. */
    static RollingSettings settings(
            final Path folder, final String pattern, final TriggeringPolicy policy, final RolloverStrategy strategy) {
        final boolean isDirect = strategy instanceof DirectFileRolloverStrategy;
        return new RollingSettings(
                "Orders",
                isDirect ? null : folder.resolve("app.log").toString(),
                folder.resolve(pattern).toString(),
                policy,
                strategy,
                PatternLayout.newBuilder().withPattern("%m%n").build(),
                configuration(),
                new RollingSettings.FileAttributes(null, null, null),
                new RollingSettings.Archives(Duration.ZERO, 0, Duration.ZERO),
                false,
                false,
                null);
    }

    static Configuration configuration() {
        return new DefaultConfiguration();
    }

    static RolledLog open(final Path folder, final RollingSettings settings) {
        return open(folder, settings, Instant.now());
    }

    static RolledLog open(final Path folder, final RollingSettings settings, final Instant born) {
        return new RolledLog(folder, settings, new FileWritingStream(Path.of(FileRolling.firstFile(settings)), born));
    }

    /** Goes on with an earlier stream. */
    static RolledLog open(final RollingSettings settings, final FileWritingStream stream) {
        return new RolledLog(Path.of(settings.fileName()).getParent(), settings, stream);
    }

    static RollingSettings with(final RollingSettings settings, final UnaryOperator<RollingSettings.Archives> change) {
        return new RollingSettings(
                settings.appender(),
                settings.fileName(),
                settings.filePattern(),
                settings.policy(),
                settings.strategy(),
                settings.layout(),
                settings.configuration(),
                settings.attributes(),
                change.apply(settings.archives()),
                settings.createOnDemand(),
                settings.fileStamp(),
                settings.advertiseUri());
    }

    static LogEvent event(final String text, final long millis) {
        return Log4jLogEvent.newBuilder()
                .setLoggerName("com.example.Trading")
                .setLevel(Level.INFO)
                .setMessage(new SimpleMessage(text))
                .setTimeMillis(millis)
                .build();
    }

    void log(final String text) {
        log(text, System.currentTimeMillis());
    }

    void log(final String text, final long millis) {
        final LogEvent event = event(text, millis);
        rolling.beforeEvent(event, true);
        final byte[] bytes = settings.layout().toByteArray(event);
        stream.write(bytes);
        rolling.accepted(bytes.length);
    }

    FileRolling rolling() {
        return rolling;
    }

    FileWritingStream stream() {
        return stream;
    }

    BurstRollingFileManager manager() {
        return (BurstRollingFileManager) rolling.manager();
    }

    void awaitDrained() {
        if (!stream.awaitDrained(PATIENCE)) {
            throw new AssertionError("not drained");
        }
    }

    /** Whether a thread that answers rolls waits until it may ask the strategy. */
    static boolean isARollerHeldUp() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getState() == Thread.State.TIMED_WAITING)
                .flatMap(each -> Arrays.stream(each.getValue()))
                .anyMatch(frame -> frame.getMethodName().equals("lockNames"));
    }

    /** The names of all files below the folder, with their content. */
    Map<String, String> files() {
        return files(folder);
    }

    static Map<String, String> files(final Path folder) {
        final Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (final Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(folder.relativize(file).toString(), contentOf(file));
            }
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return files;
    }

    /** For an archive, the entry's name comes before its content; its time would differ. */
    private static String contentOf(final Path file) throws IOException {
        if (!file.toString().endsWith(".zip")) {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        }
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
            final String name = zip.getNextEntry().getName();
            return name + ": " + new String(zip.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Override
    public void close() {
        rolling.stopPolicy(PATIENCE);
        stream.close(PATIENCE);
        rolling.end(PATIENCE);
    }
}
