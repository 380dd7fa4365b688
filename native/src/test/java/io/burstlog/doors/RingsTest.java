// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.BurstStats;
import io.burstlog.BurstStream;
import io.burstlog.doors.Holder.Relation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which holders may share an open ring or log file, and what goes on after a reconfiguration. */
class RingsTest {

    @TempDir
    Path folder;

    private final List<Runnable> open = new ArrayList<>();

    /** A door that adds nothing. */
    private static final class Lines extends OpenStream {
        private final StreamTerms terms;

        Lines(OpenRing ring, BurstStream records, StreamTerms terms, Holder first) {
            super(ring, records, terms, first);
            this.terms = terms;
        }

        @Override
        public StreamTerms terms() {
            return terms;
        }

        void append(String line) {
            records().append((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private StreamTerms terms(String file, String... more) {
        return terms(null, file, more);
    }

    /** @param pattern null: the door does not roll it */
    private StreamTerms terms(String pattern, String file, String[] more) {
        SortedMap<String, String> texts =
                new TreeMap<>(Map.of("ring", folder.resolve("app.ring").toString(), "shutdownTimeout", "5 min"));
        for (int i = 0; i < more.length; i += 2) {
            texts.put(more[i], more[i + 1]);
        }
        Settings reader = new Settings(texts, Wording.of("setting"));
        RingTerms ring = new RingTerms.Reading(reader, RingTerms.ring(reader, file, null), null).terms();
        StreamTerms terms = StreamTerms.of(
                ring,
                StreamTerms.read(reader, folder.resolve(file).toString(), null).build(),
                pattern,
                Ack.DURABLE);
        assertThat(reader.complaints()).isNull();
        return terms;
    }

    private Lines attach(Holder holder, StreamTerms terms) {
        Lines stream = Rings.attach(
                holder,
                terms,
                Lines.class,
                ring -> new Lines(ring, ring.log().stream(null, terms.config()), terms, holder));
        open.add(() -> detach(stream, holder));
        return stream;
    }

    private static void detach(Lines stream, Holder holder) {
        Rings.detach(stream, holder, left -> {});
    }

    @AfterEach
    void detachAll() {
        open.forEach(Runnable::run);
    }

    private static FakeHolder holder(String name) {
        return new FakeHolder(name);
    }

    @Test
    void who_says_something_else_of_an_open_ring_is_refused_with_both_places() {
        Lines first = attach(holder("a"), terms("a.log", "drainInterval", "50 ms"));
        StreamTerms other = terms("b.log", "drainInterval", "60 ms", "jmx", "false");
        assertThatThrownBy(() -> attach(holder("b"), other))
                .isInstanceOf(BurstException.class)
                .hasMessage("the ring " + first.ring().name() + " is open already, as a of a.xml says, and b of b.xml"
                        + " says something else: drainInterval is \"50 ms\" there and \"60 ms\" here, jmx is \"true\""
                        + " there and \"false\" here; say the same in both places, or leave it out in the second.");
        assertThat(folder.resolve("b.log")).doesNotExist();
    }

    @Test
    void who_says_the_same_in_other_words_or_nothing_shares_the_ring() {
        FakeHolder second = holder("b");
        Lines first = attach(holder("a"), terms("a.log", "drainInterval", "50 ms"));
        assertThat(attach(second, terms("b.log", "drainInterval", "50000 us", "durability", "POWER"))
                        .ring())
                .isSameAs(first.ring());
        assertThat(attach(second, terms("c.log")).ring()).isSameAs(first.ring());
        assertThat(second.told).isEmpty();
    }

    @Test
    void a_default_that_is_said_is_something_else() {
        attach(holder("a"), terms("a.log", "durability", "os-crash"));
        StreamTerms other = terms("b.log", "durability", "power");
        assertThatThrownBy(() -> attach(holder("b"), other))
                .hasMessageContaining("durability is \"os-crash\" there and \"power\" here");
    }

    @Test
    void a_reconfiguration_goes_on_with_what_is_open_and_tells_once_what_differs() {
        FakeHolder before = holder("a");
        Lines first = attach(before, terms("a.log", "drainInterval", "50 ms"));
        FakeHolder after = holder("a").thatIs(Relation.REPLACES, before);
        Lines second = attach(after, terms("a.log", "maxRecordSize", "64 KB"));
        assertThat(second).isSameAs(first);
        assertThat(after.told)
                .containsExactly("ERROR the ring " + first.ring().name() + " is open and stays as it is: drainInterval"
                        + " stays \"50 ms\" instead of at its default, maxRecordSize stays at its default instead of"
                        + " \"64 KB\". Events go on to " + first.file()
                        + "; restart the process for the change to take effect.");
        detach(first, before);
        second.append("order 1");
    }

    /** Appenders that are made when they are needed come when those of before are gone. */
    @Test
    void who_belongs_to_a_reconfiguration_that_goes_on_goes_on_with_it() {
        FakeHolder before = holder("a");
        Lines first = attach(before, terms("a.log", "drainInterval", "50 ms"));
        FakeHolder after = holder("a").thatIs(Relation.REPLACES, before);
        attach(after, terms("a.log", "drainInterval", "60 ms"));
        detach(first, before);
        FakeHolder late = holder("late").thatIs(Relation.TOGETHER, after);
        assertThat(attach(late, terms("late.log", "drainInterval", "60 ms")).ring())
                .isSameAs(first.ring());
        assertThat(late.told).singleElement().asString().contains("drainInterval stays \"50 ms\" instead of \"60 ms\"");
        StreamTerms ofOthers = terms("b.log", "drainInterval", "60 ms");
        assertThatThrownBy(() -> attach(holder("b"), ofOthers)).hasMessageContaining("says something else");
    }

    @Test
    void two_of_one_configuration_that_contradict_each_other_are_no_reconfiguration() {
        FakeHolder first = holder("a");
        attach(first, terms("a.log", "drainInterval", "50 ms"));
        FakeHolder second = holder("b").thatIs(Relation.TOGETHER, first);
        StreamTerms other = terms("b.log", "drainInterval", "60 ms");
        assertThatThrownBy(() -> attach(second, other)).hasMessageContaining("say the same in both places");
    }

    @Test
    void a_log_file_has_one_ring_one_way_of_rolling_and_one_word_for_its_permissions() {
        FakeHolder first = holder("a");
        FakeHolder second = holder("b").thatIs(Relation.TOGETHER, first);
        Lines shared = attach(first, terms("a.log", "filePermissions", "rw-r-----"));
        StreamTerms otherRing =
                terms("a.log", "ring", folder.resolve("other.ring").toString());
        assertThatThrownBy(() -> attach(second, otherRing))
                .hasMessageContaining(
                        "log file " + shared.terms().location().file() + " is open already, as a of a.xml")
                .hasMessageContaining("ring is \"" + shared.ring().name() + "\" there and \"")
                .hasMessageEndingWith("say the same in both places, or give each a file of its own.");
        assertThat(folder.resolve("other.ring")).doesNotExist();
        StreamTerms rolled = terms("a-%i.log", "a.log", new String[0]);
        assertThatThrownBy(() -> attach(second, rolled))
                .hasMessageContaining("filePattern is unset there and \"a-%i.log\" here");
        StreamTerms permissions = terms("a.log", "filePermissions", "rw-------");
        assertThatThrownBy(() -> attach(second, permissions))
                .hasMessageContaining("filePermissions is \"rw-r-----\" there and \"rw-------\" here");
        assertThat(attach(second, terms("a.log"))).isSameAs(shared);
    }

    /** Another door has its own class for an open log file. */
    @Test
    void a_reconfiguration_takes_no_log_file_of_another_door() {
        FakeHolder before = holder("a");
        Lines first = attach(before, terms("a.log"));
        FakeHolder beside = holder("j");
        Lines other = attach(beside, terms("b.log"));
        FakeHolder after = holder("a").thatIs(Relation.REPLACES, before);
        assertThatThrownBy(() -> attach(after, terms("b.log")))
                .isInstanceOf(BurstException.class)
                .hasMessageContaining("is open already, by j of j.xml");
        open.clear();
        detach(other, beside);
        detach(first, before);
        assertThat(first.ring().log().stats().state()).isEqualTo(BurstStats.State.CLOSED);
        attach(holder("j"), terms("b.log"));
    }

    @Test
    void what_the_ring_has_to_tell_is_told_to_one_who_has_it() {
        FakeHolder first = holder("a");
        FakeHolder second = holder("b");
        Lines ofFirst = attach(first, terms("a.log"));
        attach(second, terms("b.log"));
        detach(ofFirst, first);
        first.heard.clear();
        ofFirst.ring().tell(BurstEvent.Severity.WARN, "The medium is slow.");
        assertThat(second.warnings()).containsExactly("The medium is slow.");
        assertThat(first.heard).isEmpty();
        assertThat(second.heard)
                .allMatch(event -> event.time().isBefore(Instant.now().plusSeconds(1)));
    }

    @Test
    void nor_to_one_that_has_left_its_log_file_to_another_or_could_not_open_its_own() {
        FakeHolder first = holder("a");
        FakeHolder second = holder("b").thatIs(Relation.TOGETHER, first);
        Lines shared = attach(first, terms("a.log"));
        attach(second, terms("a.log"));
        detach(shared, first);
        assertThat(shared.ring().operator()).isSameAs(second);
        detach(shared, second);
        StreamTerms failing = terms("c.log");
        OpenRing[] opened = {null};
        assertThatThrownBy(() -> Rings.attach(first, failing, Lines.class, ring -> {
                    opened[0] = attach(second, terms("b.log")).ring();
                    throw new IllegalStateException("no header");
                }))
                .hasMessage("no header");
        assertThat(opened[0].operator()).isSameAs(second);
    }

    @Test
    void a_reconfiguration_that_leaves_the_size_out_takes_the_ring_as_it_is() {
        FakeHolder before = holder("a");
        attach(before, terms("a.log", "ringSize", "4 MB"));
        FakeHolder after = holder("a").thatIs(Relation.REPLACES, before);
        attach(after, terms("a.log"));
        assertThat(after.told).isEmpty();
    }

    @Test
    void a_log_file_that_cannot_be_opened_leaves_no_ring_open() throws Exception {
        Files.createDirectory(folder.resolve("a.log"));
        FakeHolder first = holder("a");
        StreamTerms impossible = terms("a.log");
        assertThatThrownBy(() -> attach(first, impossible)).hasMessageContaining("a.log");
        assertThat(attach(holder("b"), terms("b.log", "drainInterval", "60 ms"))
                        .ring()
                        .place())
                .isEqualTo("b of b.xml");
    }

    @Test
    void one_of_two_on_a_ring_lets_go_without_the_other() {
        FakeHolder first = holder("a");
        FakeHolder second = holder("b");
        Lines ofFirst = attach(first, terms("a.log"));
        Lines ofSecond = attach(second, terms("b.log"));
        ofFirst.append("order 1");
        assertThat(Rings.detach(ofFirst, first, left -> ofFirst.append("end"))).isTrue();
        assertThat(folder.resolve("a.log")).hasContent("order 1\nend");
        assertThatThrownBy(() -> ofFirst.append("late")).isInstanceOf(BurstException.class);
        ofSecond.append("order 2");
        assertThat(ofSecond.ring().log().awaitDrained(Duration.ofSeconds(60))).isTrue();
        assertThat(folder.resolve("b.log")).hasContent("order 2");
    }

    @Test
    void the_one_before_is_known_by_its_file_before_its_name() {
        FakeHolder byName = holder("orders");
        FakeHolder byFile = holder("audit");
        FakeHolder other = holder("orders");
        StreamTerms ofFile = terms("a.log");
        attach(byFile, ofFile);
        attach(byName, terms("b.log"));
        attach(other, terms("c.log"));
        FakeHolder newcomer = holder("orders").thatIs(Relation.REPLACES, byName).thatIs(Relation.REPLACES, byFile);
        assertThat(Rings.predecessor(newcomer, ofFile.location())).isSameAs(byFile);
        assertThat(Rings.predecessor(newcomer, new Location(null, "d.log"))).isSameAs(byName);
        assertThat(Rings.predecessor(holder("orders"), ofFile.location())).isNull();
    }

    @Test
    void one_that_is_to_attach_later_is_the_one_before_until_it_never_will() {
        FakeHolder later = holder("orders");
        StreamTerms ofFile = terms("a.log");
        FakeHolder newcomer = holder("orders").thatIs(Relation.REPLACES, later);
        Rings.expect(later, ofFile);
        assertThat(Rings.predecessor(newcomer, ofFile.location())).isSameAs(later);
        Rings.expectNoMore(later);
        assertThat(Rings.predecessor(newcomer, ofFile.location())).isNull();
    }
}
