// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArchivePatternTest {

    @TempDir
    Path folder;

    private ArchivePattern archivesOf(final String pattern) {
        return new ArchivePattern(
                folder.resolve(pattern.replace("$$", "$")).toString(),
                RolledLog.configuration().getStrSubstitutor());
    }

    @ParameterizedTest
    @CsvSource({
        "app-%i.log, app-1.log",
        "app-%i.log, app-123.log.gz",
        "app-%i.log.gz, app-7.log",
        "app-%03i.log, app-007.log",
        "app-%3i.log, 'app-  7.log'",
        "app-%i.log, app-1.log.2",
        "app.old, app.old",
        "app.old, app.old.3.gz",
        "app-%d{yyyy-MM-dd}.log, app-2026-11-22.log",
        "app-%d{yyyy-MM-dd}{UTC}.log, app-2026-11-22.log",
        "app-%d{dd MMM yyyy}.log, app-22 Nov 2026.log",
        "app-%d{yyyyMMdd'T'HH}.log, app-20261122T07.log",
        "%d{yyyy/MM}/app-%d{dd}-%i.log.gz, 2026/11/app-22-1.log.gz",
        "$${date:yyyy-MM}/app-%i.log, 2026-11/app-1.log",
        "$${date:yyyy/MM}/app-%i.log.gz, 2026/11/app-1.log.gz",
        "app-$${DATE:yyyy-MM:-never}-%i.log, app-2026-11-1.log",
        "app-$${sys:burstlog.no:-eu}-%i.log, app-eu-1.log",
        "app-$${sys:burstlog.no:-a%d}/%i.log, app-a%d/1.log",
        "app-$${sys:burstlog.no:-$${sys:burstlog.no:-eu}}-%i.log, app-eu-1.log",
        "app-%d{EEE-dd}.log, app-Sun-22.log",
        "app-%d{yyyy-MM-dd_a_hh}.log, app-2026-11-22_AM_07.log",
        "app-%d{UNIX}.log, app-1795337000.log"
    })
    void a_name_that_the_pattern_makes_is_found(final String pattern, final String name) throws Exception {
        final Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.createFile(file);
        final ArchivePattern archives = archivesOf(pattern);
        assertThat(archives.matches(file)).isTrue();
        assertThat(archives.find()).containsExactly(file);
    }

    @ParameterizedTest
    @CsvSource({
        "app-%i.log, app-x.log",
        "app-%i.log, app-.log",
        "app-%i.log, app-1.log.txt",
        "app-%i.log, app-1xlog",
        "app-%i.log, app-1.log.tar.gz",
        "app-%i.log, xapp-1.log",
        "app-%i.log, sub/app-1.log",
        "app-%d{yyyy-MM-dd}.log, app-other.log",
        "app-%d{yyyy-MM-dd}.log, app-2026-11-22b.log",
        "app.old, app.old2",
        "app.old, app.log",
        "app-%d{yyyy}.log, app-2026.log.bak",
        "app-$${date:yyyy-MM}-%i.log, app-audit-2026-11-1.log",
        "$${date:yyyy-MM}/app-%i.log, billing/app-3.log",
        "app-$${sys:burstlog.no:-eu}-%i.log, app-us-1.log",
        "app-$${ctx:burstlog.no}-%i.log, app-anna-1.log"
    })
    void a_file_of_somebody_else_is_not(final String pattern, final String name) throws Exception {
        final Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.createFile(file);
        final ArchivePattern archives = archivesOf(pattern);
        assertThat(archives.matches(file)).isFalse();
        assertThat(archives.find()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "app.log.burst-%i, true",
        "app.log.burst-%i.gz, true",
        "app.log.burst-%d{yyyyMMdd}, true",
        "app.log.burst-${date:yyyyMMdd}, true",
        "app.log.burst-17, true",
        "app.log.%i, false",
        "app.log.%d{yyyyMMdd}, false",
        "app.log.burst-%i.old, false",
        "app.log.burst%i, false",
        "old/app.log.burst-%i, false",
        "app.log.${ctx:user}%i, false"
    })
    void a_pattern_that_makes_the_name_of_a_diverted_log_is_known(final String pattern, final boolean isKnown) {
        assertThat(ArchivePattern.canMakeDivertedName(
                        folder.resolve(pattern).toString(),
                        folder.resolve("app.log").toString()))
                .isEqualTo(isKnown);
    }

    @Test
    void the_beginning_of_a_twin_is_found_and_known() throws Exception {
        final Path temporary = Files.createFile(folder.resolve(".app-3.log.gz.burst-tmp"));
        Files.createFile(folder.resolve(".other-3.log.gz.burst-tmp"));
        final ArchivePattern archives = archivesOf("app-%i.log.gz");
        assertThat(archives.find()).isEqualTo(List.of(temporary)).allMatch(archives::isTemporary);
    }

    @Test
    void the_folder_ends_before_the_first_part_that_varies() {
        assertThat(ArchivePattern.folderOf("/var/log/app-%i.log")).isEqualTo(Path.of("/var/log"));
        assertThat(ArchivePattern.folderOf("/var/log/${date:yyyy}/app.log")).isEqualTo(Path.of("/var/log"));
        assertThat(ArchivePattern.folderOf("/app.log")).isEqualTo(Path.of("/"));
    }
}
