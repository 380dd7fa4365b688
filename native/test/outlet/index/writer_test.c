/* SPDX-License-Identifier: Apache-2.0 */
/* The index beside rolled log files: whatever stops the host, each record is in the index of its file, once. */
#include "rolled_log.h"

#include "read/index_folder.h"

#define FOOTER "the last line\n"
#define HEADER "the first line\n"

static char second_archive[sizeof archive];
static char when[100];

static int begin(void **state) {
    begin_rolled_log(state);
    host.has_index = 1;
    snprintf(second_archive, sizeof second_archive, "%.4000s/2", host.folder);
    snprintf(archive, sizeof archive, "%.4000s/1", host.folder);
    return 0;
}

static void append_everything(void) {
    append_text("first\n");
    drain_all();
    append_text("second\n");
    append_roll(FOOTER, HEADER, archive);
    append_text("third\n");
    append_text("fourth\n");
    append_roll(FOOTER, "", second_archive);
    append_text("fifth\n");
}

static struct index_file *open_index(const char *path, char *text, size_t room) {
    struct index_file *index;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    memset(text, 0, room);
    const size_t bytes = fread(text, 1, room, file);
    fclose(file);
    const struct index_wanted wanted = {
        .folder = host.folder, .begin = (const uint8_t *)text, .begin_bytes = bytes, .bytes = bytes};
    if (index_open(&wanted, 0, &index) != 1) {
        fail_msg("%s has no index%s", path, when);
    }
    return index;
}

/* The index of the file has these records from the first sequence on, each where it stands. */
static void assert_index(const char *path, uint64_t sequence, const char *const *records, size_t count) {
    char text[4096];
    struct index_item item;
    struct index_file *index = open_index(path, text, sizeof text);
    assert_int_equal(index_find(index, INDEX_SEQUENCE, 1), 1);
    for (size_t i = 0; i < count;) {
        if (index_next(index, &item) != 1) {
            fail_msg("%s is not in the index%s", records[i], when);
        }
        if (item.kind != INDEX_DURABLE) {
            assert_int_equal(item.sequence, sequence + i);
            assert_int_equal(item.bytes, strlen(records[i]));
            assert_memory_equal(text + item.offset, records[i], item.bytes);
            i++;
        }
    }
    while (index_next(index, &item) == 1) {
        assert_int_equal(item.kind, INDEX_DURABLE);
    }
    index_close(index);
}

static void assert_indexed(void) {
    assert_index(archive, 1, (const char *const[]){"first\n", "second\n"}, 2);
    assert_index(second_archive, 4, (const char *const[]){"third\n", "fourth\n"}, 2);
    assert_index(host.file, 7, (const char *const[]){"fifth\n"}, 1);
    assert_file(archive, "first\nsecond\n" FOOTER);
    assert_file(second_archive, HEADER "third\nfourth\n" FOOTER);
}

static void each_file_has_an_index_of_its_own(void **state) {
    (void)state;
    begin(NULL);
    open_ring();
    append_everything();
    drain_all();
    assert_indexed();
    remove_folder(NULL);
}

/* Returns 1 if it came to the stop. */
static int stop_and_redo(int operations) {
    snprintf(when, sizeof when, " after a stop at operation %d (%s)", operations, last_operation);
    begin(NULL);
    open_ring();
    append_everything();
    const int stopped = drain_until_stop(operations);
    start_anew();
    open_ring();
    drain_all();
    snprintf(when, sizeof when, " after a stop at operation %d (%s)", operations, last_operation);
    assert_indexed();
    remove_folder(NULL);
    return stopped;
}

static void a_stop_at_any_operation_leaves_no_record_out(void **state) {
    (void)state;
    int operations = 0;
    while (stop_and_redo(operations)) {
        operations++;
    }
    assert_true(operations > 40);
}

static void move_and_sync(struct drain_stream *stream) {
    drain_look(host.engine->drainer.drain);
    assert_int_equal(stream_move(host.engine->drainer.drain, stream, host.engine->drainer.drain->durable), 1);
    assert_int_equal(stream_sync(host.engine->drainer.drain, stream), 1);
}

/* Two syncs without a checkpoint between them: the second one has the records of the first again. */
static void what_was_not_noted_is_written_again(void **state) {
    (void)state;
    begin(NULL);
    open_ring();
    append_text("first\n");
    drain_all();
    struct drain_stream *stream = drain_stream(host.engine->drainer.drain, 0);
    append_text("second\n");
    move_and_sync(stream);
    assert_true(stream->next.outlet.roll.index.bytes > stream->noted.outlet.roll.index.bytes);
    append_text("third\n");
    move_and_sync(stream);
    drain_all();
    assert_index(host.file, 1, (const char *const[]){"first\n", "second\n", "third\n"}, 3);
    remove_folder(NULL);
}

/* An older version moved the length on and left the index, or the index is whole and another one than noted. */
static void an_index_that_is_not_as_noted_ends(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin(NULL);
        open_ring();
        append_text("first\n");
        drain_all();
        close_ring();
        for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
            struct outlet_index *index = &checkpoint(slot)->stream.roll.index;
            *(i == 0 ? &index->length_crc : &index->chain) ^= 1;
            one_stream_seal(checkpoint(slot), crc_seed_of(superblock(0)->uuid));
        }
        open_ring();
        append_text("second\n");
        drain_all();
        assert_int_equal(drain_stream(host.engine->drainer.drain, 0)->noted.outlet.roll.index.sequence, 2);
        assert_file(host.file, "first\nsecond\n");
        remove_folder(NULL);
    }
}

static int is_index(const char *path) {
    return strstr(path, INDEX_FOLDER) != NULL;
}

static int refuse_create(const struct files *files, const char *path, const struct new_file *new_file) {
    return is_index(path) ? -EROFS : files_posix.ops->create(files, path, new_file);
}

static int index_of_log = -1, sync_rc;

static int watch_create(const struct files *files, const char *path, const struct new_file *new_file) {
    const int file = files_posix.ops->create(files, path, new_file);
    index_of_log = is_index(path) ? file : index_of_log;
    return file;
}

static int fail_sync(const struct files *files, int file) {
    return file == index_of_log ? sync_rc : files_posix.ops->sync(files, file);
}

static void an_index_that_cannot_be_made_never_stalls_the_log(void **state) {
    (void)state;
    begin(NULL);
    ops.create = refuse_create;
    open_ring();
    append_everything();
    drain_all();
    assert_file(archive, "first\nsecond\n" FOOTER);
    assert_file(host.file, "fifth\n");
    assert_int_equal(assert_told("could not be written"), EVENT_WARN);
    assert_int_equal(drain_stream(host.engine->drainer.drain, 0)->noted.outlet.roll.index.sequence, 0);
    remove_folder(NULL);
}

/* Nobody repeats a failed sync: the file goes on without an index, and the next one has one again. */
static void an_index_that_cannot_be_synced_is_left_until_the_next_file(void **state) {
    (void)state;
    begin(NULL);
    ops = *files_posix.ops;
    ops.create = watch_create;
    ops.sync = fail_sync;
    sync_rc = 0;
    open_ring();
    append_text("first\n");
    drain_all();
    sync_rc = -EIO;
    append_text("second\n");
    drain_all();
    sync_rc = 0;
    append_text("third\n");
    drain_all();
    struct drain_stream *stream = drain_stream(host.engine->drainer.drain, 0);
    assert_int_equal(stream->noted.outlet.roll.index.sequence, 0);
    assert_file(host.file, "first\nsecond\nthird\n");
    assert_int_equal(assert_told("could not be written"), EVENT_WARN);
    append_roll("", "", archive);
    append_text("fourth\n");
    drain_all();
    assert_int_equal(stream->noted.outlet.roll.index.sequence, 4); /* that of the roll */
    assert_index(host.file, 5, (const char *const[]){"fourth\n"}, 1);
    remove_folder(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_has_an_index_of_its_own),
        cmocka_unit_test(a_stop_at_any_operation_leaves_no_record_out),
        cmocka_unit_test(what_was_not_noted_is_written_again),
        cmocka_unit_test(an_index_that_is_not_as_noted_ends),
        cmocka_unit_test(an_index_that_cannot_be_made_never_stalls_the_log),
        cmocka_unit_test(an_index_that_cannot_be_synced_is_left_until_the_next_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
