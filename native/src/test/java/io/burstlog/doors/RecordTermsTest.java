// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.Io;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordTermsTest {

    @TempDir
    Path folder;

    /** The LogManager of the JDK answers for a name alone: a name that is missing in the lists has no effect. */
    @Test
    void the_lists_of_names_are_what_is_read() {
        Set<String> asked = new TreeSet<>();
        TreeMap<String, String> texts =
                new TreeMap<>(Map.of(
                        "file", folder.resolve("a.log").toString(),
                        "rollPattern", folder.resolve("a-%i.log").toString(),
                        "rollSize", "1 MB")) {
                    private static final long serialVersionUID = 1L;

                    @Override
                    public String get(Object name) {
                        asked.add((String) name);
                        return super.get(name);
                    }
                };
        Settings settings = new Settings(texts, Wording.of("property"));
        assertThat(RecordTerms.read(settings, RecordTerms.rolling(settings))).isNotNull();
        Set<String> listed = new TreeSet<>(RecordTerms.NAMES);
        listed.addAll(RecordTerms.NAMES_OF_ROLLING);
        assertThat(asked).isEqualTo(listed);
    }

    @Test
    void everything_that_is_wrong_is_named_at_once_in_the_words_of_the_door() {
        Settings settings = new Settings(
                new TreeMap<>(Map.of("ringsize", "4 MB", "ringSize", "64 KB", "ack", "later", "io", "tape")),
                Wording.of("property"));
        assertThat(RecordTerms.read(settings, null)).isNull();
        assertThat(settings.complaints())
                .startsWith("4 things are wrong. (1) the property file is missing: set it to the log file.")
                .contains("ack=\"later\" cannot be used: use \"copied\", \"durable\" or \"enqueued\".")
                .contains("io=\"tape\" cannot be used")
                .contains("the property \"ringsize\" is unknown: correct or remove it.");
    }

    @Test
    void what_the_open_would_find_is_named_with_the_rest() {
        Settings settings = new Settings(
                new TreeMap<>(Map.of("file", folder.resolve("a.log").toString(), "ringSize", "64 KB", "ack", "later")),
                Wording.of("property"));
        assertThat(RecordTerms.read(settings, null)).isNull();
        assertThat(settings.complaints()).startsWith("2 things are wrong.").contains("ack=\"later\"", "ringSize");
        assertThat(folder).isEmptyDirectory();
    }

    /** A configuration says what a ring is in any of its places. */
    @Test
    void what_one_place_leaves_out_another_says_and_its_own_words_stay_its_own() {
        Settings door = new Settings(new TreeMap<>(), Wording.of("property"));
        RingTerms mute = ofRing(Map.of("io", "pwrite"));
        RingTerms talking = ofRing(Map.of("io", "mapped", "drainInterval", "60 ms"));
        RingTerms both = mute.with(List.of(talking), door);
        assertThat(both.config().values().get("drainInterval")).isEqualTo(Units.timeOf("60 ms"));
        assertThat(both.config().values().get("io")).isEqualTo(Io.PWRITE);
        assertThat(both.own()).containsExactly("io");
    }

    private RingTerms ofRing(Map<String, String> texts) {
        Settings settings = new Settings(new TreeMap<>(texts), Wording.of("property"));
        return new RingTerms.Reading(settings, folder.resolve("app.ring").toString(), null).terms();
    }
}
