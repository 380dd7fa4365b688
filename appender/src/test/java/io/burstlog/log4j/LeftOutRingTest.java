// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An element that does not name a ring. */
class LeftOutRingTest {

    private static final String PROPERTY = "burstlog.ring";
    private static final String BOTH =
            "<Root level=\"all\"><AppenderRef ref=\"Orders\"/><AppenderRef ref=\"Second\"/></Root>";

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() throws Exception {
        directory = new OrdersDirectory(temporary.toRealPath());
    }

    @AfterEach
    void forgetTheProperty() {
        System.clearProperty(PROPERTY);
    }

    private String burst() {
        return directory.burst().replace(" ring=\"" + directory.ring() + "\"", "");
    }

    private String second(final Path file) {
        return burst().replace("\"Orders\"", "\"Second\"").replace("" + directory.file(), "" + file);
    }

    @Test
    void the_ring_lies_beside_the_log_file() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(burst()))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
        assertThat(directory.path()).isDirectoryContaining("glob:**/burstlog.ring");
        assertThat(directory.ring()).doesNotExist();
    }

    @Test
    void the_ring_is_the_one_of_the_system_property() {
        final Path ofProcess = temporary.resolve("of-process.ring");
        System.setProperty(PROPERTY, " " + ofProcess + " ");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(burst()))) {
            log4j.logger().info("order 1");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
        assertThat(ofProcess).exists();
        assertThat(directory.path().resolve("burstlog.ring")).doesNotExist();
    }

    @Test
    void a_ring_that_is_named_goes_before_the_system_property_and_an_empty_property_is_none() {
        System.setProperty(PROPERTY, temporary.resolve("of-process.ring").toString());
        RunningLog4j.with(RunningLog4j.xml(directory.burst())).close();
        assertThat(directory.ring()).exists();
        System.setProperty(PROPERTY, " ");
        final Path other = directory.path().resolve("other/orders.log");
        RunningLog4j.with(RunningLog4j.xml(burst().replace("" + directory.file(), "" + other)))
                .close();
        assertThat(other.resolveSibling("burstlog.ring")).exists();
        assertThat(temporary.resolve("of-process.ring")).doesNotExist();
    }

    @Test
    void elements_with_one_file_share_the_ring_also_behind_a_link() throws Exception {
        final Path link = Files.createSymbolicLink(directory.path().resolve("link"), directory.path());
        final String second = second(link.resolve("orders.log")).replace("%p %m", "second %m");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(burst() + second, BOTH))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(directory.lines()).containsExactlyInAnyOrder("INFO order 1", "second order 1");
    }

    @Test
    void a_second_file_in_the_folder_shares_the_ring() throws Exception {
        final Path other = directory.path().resolve("other.log");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(burst() + second(other), BOTH))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.WARN)).isEmpty();
            assertThat(log4j.<BurstAppender>appender("Second").ring())
                    .isSameAs(log4j.orders().ring());
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
        assertThat(Files.readAllLines(other)).containsExactly("INFO order 1");
        assertThat(directory.path()).isDirectoryContaining("glob:**/burstlog.ring");
    }

    @Test
    void without_a_file_name_only_that_is_missing() {
        final String xml = burst().replaceFirst("fileName=\"[^\"]*\"", "");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(xml))) {
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("fileName is missing")
                    .doesNotContain("2 things");
        }
    }
}
