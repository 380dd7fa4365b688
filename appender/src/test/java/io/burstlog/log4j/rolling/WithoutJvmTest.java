// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.Rolling;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DirectWriteRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.core.appender.rolling.action.DeleteAction;
import org.apache.logging.log4j.core.appender.rolling.action.IfAccumulatedFileCount;
import org.apache.logging.log4j.core.appender.rolling.action.PathCondition;
import org.apache.logging.log4j.core.appender.rolling.action.PosixViewAttributeAction;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.DefaultConfiguration;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Strategies that a process without a JVM can perform, and those that it cannot. */
class WithoutJvmTest {

    private static final Configuration CONFIGURATION = new DefaultConfiguration();
    private static final RollingSettings.Archives UNLIMITED =
            new RollingSettings.Archives(Duration.ofSeconds(5), 0, Duration.ZERO);
    private static final RollingSettings.Archives BY_AGE =
            new RollingSettings.Archives(Duration.ofSeconds(5), 0, Duration.ofDays(30));

    private static DefaultRolloverStrategy.Builder byDefault() {
        return DefaultRolloverStrategy.newBuilder().withConfig(CONFIGURATION);
    }

    private static RolloverStrategy onlyGrowing() {
        return byDefault().withFileIndex("nomax").build();
    }

    private static RolloverStrategy with(final Action action) {
        return byDefault()
                .withFileIndex("nomax")
                .withCustomActions(new Action[] {action})
                .build();
    }

    private static DirectWriteRolloverStrategy.Builder direct() {
        return DirectWriteRolloverStrategy.newBuilder().withConfig(CONFIGURATION);
    }

    private static List<String> refusals(
            final String pattern, final RolloverStrategy strategy, final RollingSettings.Archives archives) {
        return WithoutJvm.refusals(settings(pattern, strategy, archives));
    }

    private static RollingSettings settings(
            final String pattern, final RolloverStrategy strategy, final RollingSettings.Archives archives) {
        return new RollingSettings(
                "Orders",
                strategy instanceof DirectWriteRolloverStrategy ? null : "logs/app.log",
                pattern,
                SizeBasedTriggeringPolicy.createPolicy("1 MB"),
                strategy,
                PatternLayout.createDefaultLayout(),
                CONFIGURATION,
                new RollingSettings.FileAttributes(null, null, null),
                archives,
                false,
                false,
                null);
    }

    private static Action deletion() {
        return DeleteAction.createDeleteAction(
                "logs",
                false,
                1,
                false,
                null,
                new PathCondition[] {IfAccumulatedFileCount.createFileCountCondition(3)},
                null,
                CONFIGURATION);
    }

    private static Action attributes() {
        return PosixViewAttributeAction.newBuilder()
                .withConfiguration(CONFIGURATION)
                .withBasePath("logs")
                .withPathConditions(new PathCondition[] {IfAccumulatedFileCount.createFileCountCondition(3)})
                .withFilePermissionsString("rw-r-----")
                .build();
    }

    private static Action own() {
        return new AbstractAction() {
            @Override
            public boolean execute() throws IOException {
                return true;
            }
        };
    }

    static Stream<Arguments> performable() {
        return Stream.of(
                Arguments.of("logs/app-%i.log", onlyGrowing(), UNLIMITED),
                Arguments.of("logs/app-%d{yyyy-MM-dd}-%i.log.gz", onlyGrowing(), BY_AGE),
                Arguments.of("logs/app-%d{yyyyMMdd'T'HHmmss}-%03i.log.zst", onlyGrowing(), BY_AGE),
                Arguments.of("logs/app-%d{yyyy-DDD}{UTC}-%i.log.gz", onlyGrowing(), UNLIMITED),
                // Without an index no archive is renamed.
                Arguments.of("logs/app-%d{yyyy-MM-dd}.log", byDefault().build(), UNLIMITED),
                Arguments.of(
                        "logs/app-%d{yyyy-MM-dd}.log.gz",
                        byDefault()
                                .withFileIndex("min")
                                .withCompressionLevelStr("9")
                                .build(),
                        BY_AGE),
                // The record has the name; nobody has to find the archive again.
                Arguments.of("logs/%d{yyyy/MMM}/app-%d{EEE}-%3i-$${env:HOST}.log", onlyGrowing(), UNLIMITED),
                Arguments.of("logs/app-%d{yyyy-MM-dd}-%i.log", direct().build(), UNLIMITED));
    }

    @ParameterizedTest
    @MethodSource("performable")
    void needsNoJvm(final String pattern, final RolloverStrategy strategy, final RollingSettings.Archives archives) {
        assertThat(refusals(pattern, strategy, archives)).isEmpty();
    }

    static Stream<Arguments> refused() {
        final String plain = "logs/app-%i.log";
        return Stream.of(
                Arguments.of(plain, byDefault().build(), "fileIndex=\"max\"", "fileIndex=\"nomax\""),
                Arguments.of(plain, byDefault().withFileIndex("min").build(), "fileIndex=\"min\"", "maxTotalSize"),
                Arguments.of(plain, with(deletion()), "Delete", "maxAge or maxTotalSize"),
                Arguments.of(plain, with(attributes()), "PosixViewAttribute", "filePermissions"),
                Arguments.of(plain, with(own()), "WithoutJvmTest$", "systemd timer"),
                Arguments.of(
                        plain,
                        byDefault()
                                .withFileIndex("nomax")
                                .withTempCompressedFilePattern("logs/tmp-%i.log")
                                .build(),
                        "tempCompressedFilePattern=\"logs/tmp-%i.log\"",
                        "leave it out"),
                Arguments.of("logs/app-%i.log.zip", onlyGrowing(), "app-%i.log.zip", ".gz or .zst"),
                Arguments.of("logs/app-%i.log.xz", onlyGrowing(), "app-%i.log.xz", ".gz or .zst"),
                Arguments.of(
                        "logs/app-%i.log.gz",
                        byDefault()
                                .withFileIndex("nomax")
                                .withCompressionLevelStr("0")
                                .build(),
                        "compressionLevel=\"0\"",
                        "1 to 9"),
                Arguments.of("logs/app-%d{yyyy}-%i.log.gz", direct().build(), "DirectWrite", "fileName"),
                Arguments.of(plain, direct().withMaxFiles("3").build(), "DirectWrite", "leave archives as they are"),
                Arguments.of(plain, (RolloverStrategy) manager -> null, "WithoutJvmTest$$Lambda", "Default"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void whatNeedsAJvmIsNamedWithItsReplacement(
            final String pattern, final RolloverStrategy strategy, final String what, final String instead) {
        assertThat(refusals(pattern, strategy, UNLIMITED))
                .hasSize(1)
                .first()
                .satisfies(sentence -> assertThat(sentence)
                        .startsWith("drain=\"external\" cannot be used with ")
                        .contains(what, instead));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "logs/%d{yyyy}/app-%i.log.gz",
                "logs/app-%d{yyyy/MM}-%i.log.gz",
                "logs/app-%d{yyyy-MMM}-%i.log.gz",
                "logs/app-%d{yyyy-MM-dd hh}-%i.log.gz",
                "logs/app-%d{yy-MM}-%i.log.gz",
                "logs/app-%d{UNIX}-%i.log.gz",
                "logs/app-%3i.log.gz",
                "logs/app-$${env:HOST}-%i.log.gz"
            })
    void archivesThatCannotBeFoundAgainAreNotCompressed(final String pattern) {
        assertThat(refusals(pattern, onlyGrowing(), UNLIMITED))
                .hasSize(1)
                .first()
                .satisfies(sentence -> assertThat(sentence).contains(pattern).endsWith("ss in the name alone"));
    }

    @Test
    void archivesThatCannotBeFoundAgainAreNotDeleted() {
        assertThat(refusals("logs/app-%d{yyyy-MMM}-%i.log", onlyGrowing(), BY_AGE))
                .hasSize(1);
    }

    @Test
    void eachPartThatNeedsAJvmIsNamed() {
        assertThat(refusals(
                        "logs/app-%d{MMM}-%i.log.bz2",
                        byDefault()
                                .withCustomActions(new Action[] {deletion(), own()})
                                .build(),
                        BY_AGE))
                .hasSize(5);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "/logs/app-%i.log.gz, /logs/app-%i.log",
                "/logs/app-%d{yyyyMMdd'T'HHmmss}{UTC}-%03i.log.gz, /logs/app-%Y%m%dT%H%M%S-%i.log",
                "/logs/app-%d{yyyy-DDD}-50%%.log, /logs/app-%Y-%j-50%%.log"
            })
    void the_engine_writes_the_names_as_log4j_does(final String pattern, final String ofEngine) {
        assertThat(EnginePattern.of(pattern)).isEqualTo(new EnginePattern(ofEngine, null));
    }

    @Test
    void a_drain_learns_what_is_to_be_done_with_archives() {
        final RollingSettings.Archives limited =
                new RollingSettings.Archives(Duration.ofSeconds(7), 1_000, Duration.ofDays(30));
        final RolloverStrategy strategy =
                byDefault().withFileIndex("nomax").withCompressionLevelStr("9").build();
        assertThat(WithoutJvm.rules(settings("/logs/app-%i.log.gz", strategy, limited)))
                .isEqualTo(Rolling.to("/logs/app-%i.log")
                        .compression(new Rolling.Compression(Rolling.Format.GZIP, 9, Duration.ofSeconds(7)))
                        .keepBytes(1_000)
                        .keep(Duration.ofDays(30))
                        .newestByTime(true));
        assertThat(WithoutJvm.rules(settings("/logs/%d{yyyy}/app-%i.log", onlyGrowing(), UNLIMITED)))
                .as("nothing is to be done")
                .isNull();
    }
}
