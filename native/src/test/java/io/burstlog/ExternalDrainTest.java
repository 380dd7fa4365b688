// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A log whose drain is another process, and is not there. */
class ExternalDrainTest {

    @TempDir
    private Path directory;

    private BurstConfig.Builder external(Binding binding) {
        return new TempLog(directory, binding)
                .config()
                .window(directory.toString())
                .drain(Drain.EXTERNAL);
    }

    @ParameterizedTest
    @EnumSource(Binding.class)
    void withoutItRecordsStayInTheRingAndTheListenerHearsSo(Binding binding) throws Exception {
        BlockingQueue<BurstEvent> told = new LinkedBlockingQueue<>();
        try (BurstLog log = BurstLog.open(external(binding).listener(told::add).build())) {
            assertThat(log.append(line("kept in the ring"))).isEqualTo(1);
            BurstEvent event;
            do {
                event = told.poll(30, TimeUnit.SECONDS);
                assertThat(event).as("an event about the absent drain").isNotNull();
            } while (!event.text().contains("has no drain: its records stay in the ring"));
            assertThat(event.severity()).isEqualTo(BurstEvent.Severity.WARN);
        }
        TempLog files = new TempLog(directory, binding);
        assertThat(files.lines()).isEmpty();
        BurstLog.open(external(binding).drain(Drain.INNER).build()).close();
        assertThat(files.lines()).containsExactly("kept in the ring");
    }

    @Test
    void itNeedsAWindow() {
        BurstException refused = catchThrowableOfType(
                BurstException.class,
                () -> external(Binding.AUTO).window(null).build().check());
        assertThat(refused).hasMessageContaining("drain=external").hasMessageContaining("set window");
    }
}
