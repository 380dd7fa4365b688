/* SPDX-License-Identifier: Apache-2.0 */
/* Several streams of one ring: each has its file and its place in the log. */
#define CAPACITY_BYTES (64u * 4096u) /* the drain syncs at an eighth of it, which no test here reaches */
#include "text_log.h"

#include "drain/stream.h"

static char paths[3][sizeof host.file];
static uint16_t ids[3]; /* ids[0]: the main stream */

static int syncs, opens;
static char stalled_by; /* records that begin so cannot be written; 0: all can */
static int failing_syncs;

static int64_t write_unless_stalled(const struct files *files, int file, const void *data, size_t bytes,
                                    uint64_t offset) {
    return stalled_by != 0 && *(const char *)data == stalled_by
               ? -ENOSPC
               : files_posix.ops->write(files, file, data, bytes, offset);
}

static int count_sync(const struct files *files, int file) {
    syncs++;
    return failing_syncs-- > 0 ? -EIO : files_posix.ops->sync(files, file);
}

static int count_open(const struct files *files, const char *path) {
    opens++;
    return files_posix.ops->open(files, path);
}

static int add(unsigned which, const char *name) {
    const struct engine_stream stream = {.name = name, .path = paths[which]};
    return engine_add_stream(host.engine, &stream, &ids[which]);
}

static void begin(void) {
    for (unsigned i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%.4000s/%c", host.folder, 'a' + (int)i);
    }
    snprintf(host.file, sizeof host.file, "%s", paths[0]);
    syncs = opens = failing_syncs = 0;
    stalled_by = 0;
    struct files_ops *own = own_ops();
    own->write = write_unless_stalled;
    own->sync = count_sync;
    own->open = count_open;
    open_ring();
}

static void begin_with_three(void) {
    begin();
    assert_int_equal(add(1, "b"), 0);
    assert_int_equal(add(2, "c"), 0);
    assert_true(ids[1] == 1 && ids[2] == 2);
}

static void append_to(unsigned which, const char *text) {
    assert_true(ring_append(host.engine->ring, text, strlen(text), 0, STREAM(ids[which]), &unless_full) > 0);
}

static void reopen(void) {
    close_ring();
    open_ring();
}

static struct drain_figures figures(unsigned which) {
    struct drain_figures now;
    assert_int_equal(drain_get_figures(host.engine->drainer.drain, ids[which], &now), 0);
    return now;
}

static void each_stream_gets_its_own_records(void **state) {
    (void)state;
    begin_with_three();
    append_to(1, "b1\n");
    append_to(0, "a1\n");
    append_to(2, "c1\n");
    append_to(1, "b2\n");
    drain_all();
    assert_file(paths[0], "a1\n");
    assert_file(paths[1], "b1\nb2\n");
    assert_file(paths[2], "c1\n");
    const struct drain_figures b = figures(1);
    assert_true(b.records == 2 && b.bytes == 6 && b.length == 6 && b.drained_sequence == 4 && b.held_bytes == 0);
}

static void one_that_stalls_holds_up_no_other(void **state) {
    (void)state;
    begin_with_three();
    drain_all(); /* brings all streams behind the marker */
    append_to(2, "c1\n");
    stalled_by = 'c';
    for (int i = 0; i < 4; i++) {
        append_to(0, "a\n");
        append_to(1, "b\n");
        assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    }
    assert_file(paths[0], "a\na\na\na\n");
    assert_file(paths[1], "b\nb\nb\nb\n");
    assert_told("/c cannot be written: ENOSPC");
    assert_true(figures(2).stalled && !figures(0).stalled && drain_is_stalled(host.engine->drainer.drain));
    assert_int_equal(figures(2).held_bytes, 9 * BLOCK_BYTES);
    assert_int_equal(figures(0).held_bytes, 0);
    assert_int_equal(atomic_load(&host.engine->ring->freed),
                     drain_stream(host.engine->drainer.drain, 2)->noted.drained_position);
    assert_int_equal(figures(2).drained_sequence, 0);
    reopen(); /* the other streams do not redo what they noted */
    stalled_by = 0;
    drain_all();
    assert_file(paths[0], "a\na\na\na\n");
    assert_file(paths[1], "b\nb\nb\nb\n");
    assert_file(paths[2], "c1\n");
    assert_int_equal(atomic_load(&host.engine->ring->freed), ring_claimed(host.engine->ring));
}

/* Else a crash could leave a ring that is full but for that marker, and cannot be opened. */
static void a_new_one_is_not_noted_behind_an_unused_marker_alone(void **state) {
    (void)state;
    begin();
    append_to(0, "a1\n");
    drain_all();
    reopen();
    assert_int_equal(add(1, "b"), 0);
    const uint64_t noted = drain_stream(host.engine->drainer.drain, 0)->noted.drained_position;
    assert_true(noted < host.engine->ring->begin_position);
    assert_int_equal(drain_stream(host.engine->drainer.drain, 1)->noted.drained_position, noted);
    drain_all();
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(drain_stream(host.engine->drainer.drain, ids[i])->noted.drained_position,
                         host.engine->ring->begin_position);
    }
}

static void idle_ones_let_go_without_a_write_of_their_own(void **state) {
    (void)state;
    begin_with_three();
    append_to(1, "b\n");
    drain_all();
    syncs = 0;
    for (int i = 0; i < 140; i++) { /* more than two laps */
        append_to(0, "a\n");
        assert_int_equal(engine_step(host.engine, 1), 1);
    }
    assert_int_equal(syncs, 140);
    assert_int_equal(atomic_load(&host.engine->ring->freed), ring_claimed(host.engine->ring));
    assert_file(paths[1], "b\n");
    assert_file(paths[2], "");
}

static void what_waits_for_one_that_nobody_opens_goes_where_it_is_bound(void **state) {
    (void)state;
    begin_with_three();
    append_to(1, "b1\n");
    append_to(0, "a1\n");
    opens = 0;
    reopen();
    drain_all();
    assert_file(paths[0], "a1\n");
    assert_file(paths[1], "b1\n");
    const struct drain_stream *b = drain_stream(host.engine->drainer.drain, 1),
                              *c = drain_stream(host.engine->drainer.drain, 2);
    assert_false(b->outlet->ops->is_open(b->outlet)); /* not any more */
    assert_false(c->outlet->ops->is_open(c->outlet));
    assert_int_equal(opens, 2); /* those of a and b */
    assert_int_equal(atomic_load(&host.engine->ring->freed), ring_claimed(host.engine->ring));
}

static void another_file_gets_its_records_behind_those_that_wait(void **state) {
    (void)state;
    begin();
    assert_int_equal(add(1, "b"), 0);
    append_to(1, "b1\n");
    reopen();
    snprintf(paths[2], sizeof paths[2], "%.4000s/moved", host.folder);
    assert_int_equal(add(2, "b"), 0);
    assert_int_equal(ids[2], ids[1]);
    assert_file(paths[1], "b1\n");
    append_to(2, "b2\n");
    drain_all();
    assert_file(paths[1], "b1\n");
    assert_file(paths[2], "b2\n");
}

static void one_under_another_name_takes_over_the_file(void **state) {
    (void)state;
    begin();
    assert_int_equal(add(1, "b"), 0);
    append_to(1, "b1\n");
    snprintf(paths[2], sizeof paths[2], "%s", paths[1]);
    assert_int_equal(add(2, "renamed"), -EBUSY);
    assert_non_null(strstr(error_text(), "is written by stream b of the same ring"));
    reopen();
    assert_int_equal(add(2, "renamed"), 0);
    assert_int_not_equal(ids[2], ids[1]);
    append_to(2, "r1\n");
    drain_all();
    assert_file(paths[1], "b1\nr1\n");
    reopen();
    snprintf(paths[1], sizeof paths[1], "%.4000s/other", host.folder);
    assert_int_equal(add(1, "b"), 0); /* b had lost its file */
    assert_file(paths[2], "b1\nr1\n");
    assert_file(paths[1], "");
}

static void without_a_name_it_is_known_by_its_path(void **state) {
    (void)state;
    begin();
    assert_int_equal(add(1, ""), 0);
    assert_int_equal(add(1, ""), -EBUSY);
    engine_remove_stream(host.engine, ids[1]);
    assert_int_equal(add(2, ""), 0);
    const uint16_t before = ids[1];
    assert_int_equal(add(1, ""), 0);
    assert_true(ids[1] == before && ids[2] != before);
}

static void one_that_is_removed_lets_go_of_its_file(void **state) {
    (void)state;
    begin_with_three();
    append_to(1, "b1\n");
    engine_remove_stream(host.engine, ids[1]);
    assert_file(paths[1], "b1\n");
    const int file = files_posix.ops->open(&files_posix, paths[1]);
    assert_int_equal(files_posix.ops->lock(&files_posix, file), 0);
    files_posix.ops->close(&files_posix, file);
    append_to(0, "a1\n");
    drain_all();
    assert_file(paths[0], "a1\n");
}

static void one_that_is_redone_moves_no_other(void **state) {
    (void)state;
    char diverted[sizeof host.file + 8];
    begin_with_three();
    append_to(0, "a1\n");
    append_to(1, "b1\n");
    assert_int_equal(engine_step(host.engine, 0), 1); /* written, without a sync */
    failing_syncs = 1;                                /* the first sync fails: that of the main stream */
    assert_int_equal(engine_step(host.engine, 1), -EIO);
    drain_all();
    snprintf(diverted, sizeof diverted, "%s.burst-1", paths[0]);
    assert_file(paths[0], "");
    assert_file(diverted, "a1\n");
    assert_file(paths[1], "b1\n");
}

static void a_crash_before_the_sync_doubles_nothing(void **state) {
    (void)state;
    begin_with_three();
    append_to(0, "a1\n");
    append_to(1, "b1\n");
    append_to(2, "c1\n");
    assert_int_equal(engine_step(host.engine, 0), 1);
    reopen();
    assert_int_equal(add(1, "b"), 0);
    append_to(1, "b2\n");
    drain_all();
    assert_file(paths[0], "a1\n");
    assert_file(paths[1], "b1\nb2\n");
    assert_file(paths[2], "c1\n");
}

/* The drain writes between the open of the log and that of the stream. */
static void what_was_written_and_not_synced_before_it_is_opened_is_found_there(void **state) {
    (void)state;
    for (int elsewhere = 0; elsewhere <= 1; elsewhere++) {
        begin_with_three();
        append_to(1, "b1\n");
        reopen();
        assert_int_equal(engine_step(host.engine, 0), 1);
        assert_file(paths[1], "b1\n");
        if (elsewhere) {
            snprintf(paths[1], sizeof paths[1], "%.4000s/elsewhere", host.folder);
        }
        assert_int_equal(add(1, "b"), 0);
        append_to(1, "b2\n");
        drain_all();
        assert_file(paths[1], elsewhere ? "b2\n" : "b1\nb2\n");
        remove_folder(NULL);
        format_ring(NULL);
    }
}

static void a_new_one_is_in_both_slots_before_it_gets_a_byte(void **state) {
    (void)state;
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        begin();
        assert_int_equal(add(1, "b"), 0);
        append_to(1, "b1\n");
        assert_int_equal(engine_step(host.engine, 0), 1);
        close_ring();
        memset(medium + LAYOUT_CHECKPOINT_OFFSET(slot), 0, BLOCK_BYTES);
        open_ring();
        drain_all();
        assert_file(paths[1], "b1\n");
        remove_folder(NULL);
        format_ring(NULL);
    }
}

static void a_loss_is_told_in_every_file(void **state) {
    (void)state;
    static const char lost[] = "[burstlog: records 2..2 (1) are lost";
    begin_with_three();
    append_to(0, "a1\n");
    const uint64_t place = ring_claimed(host.engine->ring);
    append_to(1, "b1\n");
    append_to(0, "a2\n");
    append_to(0, "a3\n");
    close_ring();
    memset(medium + LAYOUT_DATA_OFFSET + place % CAPACITY_BYTES, 0xee, 512);
    open_ring();
    drain_all();
    for (unsigned i = 0; i < 3; i++) {
        char text[512] = {0};
        FILE *file = fopen(paths[i], "r");
        fread(text, 1, sizeof text - 1, file);
        fclose(file);
        assert_non_null(strstr(text, lost));
        assert_int_equal(strstr(text, "a1\n") != NULL, i == 0);
    }
}

static void a_record_partly_written_is_continued(void **state) {
    (void)state;
    begin_with_three();
    append_to(1, "b1\n");
    append_to(1, "c2\n"); /* a record of stream b, which cannot be written alone */
    drain_stream(host.engine->drainer.drain, 1)->partly = 0;
    stalled_by = 'b';
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    append_to(0, "a1\n");
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    assert_file(paths[0], "a1\n");
    stalled_by = 0;
    drain_all();
    assert_file(paths[1], "b1\nc2\n");
}

static void what_was_enqueued_goes_where_it_belongs_before_another_takes_the_file(void **state) {
    (void)state;
    begin_with_three();
    assert_true(ring_enqueue(host.engine->ring, "b1\n", 3, 0, STREAM(ids[1]), &unless_full) > 0);
    engine_remove_stream(host.engine, ids[1]);
    assert_int_equal(add(1, "another"), 0);
    append_to(1, "b2\n");
    drain_all();
    assert_file(paths[1], "b1\nb2\n");
}

/* As an append that was held up between the look at its stream and the claim: another stream has the file already. */
static void what_comes_after_the_close_is_in_no_file_and_holds_up_nobody(void **state) {
    (void)state;
    begin_with_three();
    struct ring_stream closed = {.id = ids[1]};
    append_to(1, "b1\n");
    ring_close_stream(host.engine->ring, &closed);
    engine_remove_stream(host.engine, ids[1]);
    assert_int_equal(add(1, "another"), 0);
    assert_int_equal(ring_append(host.engine->ring, "late\n", 5, 0, &closed, &unless_full), -ESHUTDOWN);
    append_to(1, "b2\n");
    drain_all();
    assert_int_equal(ring_append(host.engine->ring, "late\n", 5, 0, &closed, &unless_full), -ESHUTDOWN);
    reopen(); /* it is the last record of the log */
    assert_int_equal(add(1, "another"), 0);
    append_to(1, "b3\n");
    drain_all();
    assert_file(paths[1], "b1\nb2\nb3\n");
}

static void no_one_else_notes_that_he_is_behind_a_marker_that_may_give_way(void **state) {
    (void)state;
    begin_with_three();
    append_to(2, "c1\n");
    append_to(0, "a1\n");
    stalled_by = 'c';
    reopen();
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    assert_file(paths[0], "a1\n");
    assert_int_equal(drain_stream(host.engine->drainer.drain, 0)->noted.drained_position,
                     host.engine->view.recovery.log_end);
    stalled_by = 0;
    drain_all();
    assert_int_equal(drain_stream(host.engine->drainer.drain, 0)->noted.drained_position,
                     host.engine->ring->begin_position);
}

/* The next writer may have read the slots already, and put its marker in the place of this one. */
static void beside_other_processes_nobody_is_noted_behind_a_marker_that_may_give_way(void **state) {
    (void)state;
    begin();
    append_to(0, "a1\n");
    reopen();
    host.engine->drainer.drain->parts.is_apart = 1;
    assert_int_equal(add(1, "b"), 0);
    for (int steps = 0; steps < 4; steps++) {
        assert_true(engine_step(host.engine, 1) >= 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(drain_stream(host.engine->drainer.drain, ids[i])->noted.drained_position,
                         host.engine->view.recovery.log_end);
    }
    append_to(0, "a2\n");
    drain_all();
    assert_int_equal(drain_stream(host.engine->drainer.drain, 0)->noted.drained_position,
                     ring_claimed(host.engine->ring));
    assert_file(paths[0], "a1\na2\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(each_stream_gets_its_own_records),
        RING_TEST(one_that_stalls_holds_up_no_other),
        RING_TEST(a_new_one_is_not_noted_behind_an_unused_marker_alone),
        RING_TEST(idle_ones_let_go_without_a_write_of_their_own),
        RING_TEST(what_waits_for_one_that_nobody_opens_goes_where_it_is_bound),
        RING_TEST(another_file_gets_its_records_behind_those_that_wait),
        RING_TEST(one_under_another_name_takes_over_the_file),
        RING_TEST(without_a_name_it_is_known_by_its_path),
        RING_TEST(one_that_is_removed_lets_go_of_its_file),
        RING_TEST(one_that_is_redone_moves_no_other),
        RING_TEST(a_crash_before_the_sync_doubles_nothing),
        RING_TEST(what_was_written_and_not_synced_before_it_is_opened_is_found_there),
        RING_TEST(a_new_one_is_in_both_slots_before_it_gets_a_byte),
        RING_TEST(a_loss_is_told_in_every_file),
        RING_TEST(a_record_partly_written_is_continued),
        RING_TEST(what_was_enqueued_goes_where_it_belongs_before_another_takes_the_file),
        RING_TEST(what_comes_after_the_close_is_in_no_file_and_holds_up_nobody),
        RING_TEST(no_one_else_notes_that_he_is_behind_a_marker_that_may_give_way),
        RING_TEST(beside_other_processes_nobody_is_noted_behind_a_marker_that_may_give_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
