/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/segments/segments_log.h"

#include <sys/stat.h>

/* -------------------------------------------------------------------------------------------------- records in order */

static void records_stand_there_as_they_are(void **state) {
    (void)state;
    assert_int_equal(seg_log.state.kind, OUTLET_SEGMENTS);
    assert_int_equal(seg_log.state.length, 0);
    assert_int_equal(seg_log.state.roll.file_number, 1);
    assert_int_equal(access(segment_path(1), F_OK), -1); /* before both slots name it the segment has no file */
    assert_int_equal(log_write(10), 0);
    assert_has_all(10);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(seg_log.state.roll.frames, 7); /* 1 3 4 6 7 9 10 */
    assert_int_equal(seg_log.state.length, seg_log.outlet->ops->length(seg_log.outlet));
    assert_string_equal(seg_log.state.path, seg_log.path);
    assert_int_equal(log_write(12), 0);
    assert_has_all(12);
}

static void a_segment_ends_before_it_is_too_long(void **state) {
    (void)state;
    assert_int_equal(log_write(600), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_has_all(600);
    const struct found *found = read_folder(1);
    assert_true(found->segments > 10);
    assert_int_equal(seg_log.notes, found->segments);
    for (uint64_t number = 1; number <= found->frames; number++) {
        struct stat status;
        if (stat(segment_path(number), &status) == 0) {
            assert_true(status.st_size <= SEGMENT_BYTES);
        }
    }
}

static void a_batch_that_is_longer_than_a_segment_has_one_for_itself(void **state) {
    (void)state;
    seg_log.batch_records = 60;
    assert_int_equal(log_write(600), 0);
    assert_has_all(600);
    const struct found *found = read_folder(1);
    assert_int_equal(found->segments, (found->frames + 59) / 60);
}

/* A segment's content is noted before its successor is. */
static void a_segment_that_ends_is_noted_whole(void **state) {
    (void)state;
    while (seg_log.notes < 2) {
        const uint64_t before = seg_log.written;
        assert_int_equal(log_write(sequence_behind(before)), 0);
        if (seg_log.notes == 2) {
            assert_int_equal(seg_log.noted_sequence, before);
        }
    }
    assert_int_equal(seg_log.state.length, 0);
    assert_int_equal(seg_log.state.roll.first_sequence, seg_log.written);
}

/* ------------------------------------------------------------------------------------------------- after a crash */

static void a_redo_makes_the_same_bytes(void **state) {
    (void)state;
    static uint8_t before[MOST_BYTES], after[MOST_BYTES];
    seg_log.parts.segment_bytes = 0;
    assert_int_equal(log_reopen(), OUTLET_READY);
    for (uint64_t noted = 0; noted <= 90; noted += 30) {
        assert_int_equal(log_write(noted), 0);
        if (noted > 0) {
            assert_int_equal(log_sync(), OUTLET_READY);
        }
        assert_int_equal(log_write(noted + 50), 0);
        const size_t bytes = read_whole(segment_path(1), before, sizeof before);
        assert_int_equal(log_reopen(), OUTLET_READY);
        seg_log.batch_records = 3;
        assert_int_equal(log_write(noted + 50), 0);
        assert_int_equal(read_whole(segment_path(1), after, sizeof after), bytes);
        assert_memory_equal(before, after, bytes);
        assert_has_all(noted + 50);
        assert_int_equal(log_reopen(), OUTLET_READY);
    }
}

/* A redo has other batches. One of them would end the segment at a place where frames stand that
 * a consumer may have read. */
static void no_segment_ends_in_the_midst_of_a_redo(void **state) {
    (void)state;
    seg_log.batch_records = 1;
    assert_int_equal(log_write(21), 0);
    const uint64_t frames = read_folder(1)->frames;
    assert_int_equal(read_folder(1)->segments, 1);
    seg_log.parts.segment_bytes = 1500;
    assert_int_equal(log_reopen(), OUTLET_READY);
    seg_log.batch_records = 2;
    assert_int_equal(log_write(90), 0);
    assert_has_all(90);
    assert_true(access(segment_path(frames + 1), F_OK) == 0); /* the next segment begins behind the old frames */
}

static void a_crash_before_the_file_of_a_noted_segment_is_made_is_harmless(void **state) {
    (void)state;
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(log_write(90), 0);
    assert_has_all(90);
}

static unsigned names_synced;

static int count_name_sync(const struct files *files, const char *path) {
    names_synced++;
    return files_posix.ops->sync_name(files, path);
}

/* The process that made the file may have died before it synced the name. */
static void the_name_of_a_file_that_was_made_before_a_crash_is_synced(void **state) {
    (void)state;
    fclose(fopen(segment_path(1), "w"));
    seg_log.ops.sync_name = count_name_sync;
    names_synced = 0;
    assert_int_equal(log_write(6), 0);
    assert_int_equal(names_synced, 1);
}

static int64_t write_shortly(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    return files_posix.ops->write(files, file, data, bytes > 50 ? 50 : bytes, offset);
}

static void short_writes_are_continued(void **state) {
    (void)state;
    seg_log.ops.write = write_shortly;
    assert_int_equal(log_write(300), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_has_all(300);
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(log_write(400), 0);
    assert_has_all(400);
}

/* A power cut may leave any part of what was not synced: a torn header, zeros, a part of a frame. */
static void what_a_power_cut_leaves_is_written_again(void **state) {
    (void)state;
    for (int64_t left = 0; left < 700; left += 61) {
        for (int zeroed = 0; zeroed < 2; zeroed++) {
            char command[400];
            assert_int_equal(log_write(15), 0);
            assert_int_equal(truncate(segment_path(1), left), 0);
            if (zeroed) {
                assert_int_equal(truncate(segment_path(1), left + 500), 0);
            }
            assert_int_equal(log_reopen(), OUTLET_READY);
            assert_int_equal(log_write(15), 0);
            assert_has_all(15);
            seg_log.outlet->ops->close(seg_log.outlet);
            snprintf(command, sizeof command, "rm '%s'", segment_path(1));
            assert_int_equal(system(command), 0);
            seg_log.written = 0;
        }
    }
}

/* ----------------------------------------------------------------------------------------------- a redo that differs */

static void records_that_the_ring_lost_stay_and_others_come_behind_them(void **state) {
    (void)state;
    assert_int_equal(log_write(6), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(log_write(15), 0); /* 10 frames */
    seg_log.salt = 1;
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(log_write(15), 0);
    assert_told("has other records behind its first");
    const struct found *found = read_folder(1);
    static const uint64_t wanted[] = {0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 7, 9, 10, 12, 13, 15};
    assert_int_equal(found->frames, 16);
    assert_int_equal(found->segments, 2);
    for (size_t i = 1; i <= 16; i++) {
        assert_int_equal(found->sequences[i], wanted[i]);
    }
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(log_write(21), 0);
    assert_int_equal(read_folder(1)->frames, 20);
}

static void bytes_of_others_behind_the_end_that_are_no_frame_go(void **state) {
    (void)state;
    assert_int_equal(log_write(6), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    FILE *file = fopen(segment_path(1), "a");
    fputs("what others write", file);
    fclose(file);
    assert_int_equal(log_write(15), 0);
    assert_has_all(15);
    assert_int_equal(read_folder(1)->segments, 1);
}

/* ------------------------------------------------------------------------------------------------- what others do */

static void a_segment_that_was_cut_is_left_and_numbers_go_on(void **state) {
    (void)state;
    assert_int_equal(log_write(15), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(truncate(segment_path(1), 500), 0);
    assert_int_equal(log_write(21), 0);
    assert_told("is not as the log wrote it");
    assert_int_equal(read_folder(11)->frames, 4);
    struct stat status;
    assert_int_equal(stat(segment_path(1), &status), 0);
    assert_int_equal(status.st_size, 500);
}

static void a_segment_that_is_gone_is_not_made_again(void **state) {
    (void)state;
    assert_int_equal(log_write(15), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(unlink(segment_path(1)), 0);
    assert_int_equal(log_reopen(), OUTLET_NOTE);
    assert_told("is gone");
    assert_int_equal(log_write(21), 0);
    assert_int_equal(access(segment_path(1), F_OK), -1);
    assert_int_equal(read_folder(11)->frames, 4);
}

/* Others edit the last noted bytes. A consumer may have read the frames behind them: these keep their numbers. */
static void frames_behind_an_edit_keep_their_numbers(void **state) {
    (void)state;
    assert_int_equal(log_write(9), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(log_write(15), 0);
    FILE *file = fopen(segment_path(1), "r+");
    fseek(file, (long)seg_log.state.length - 3, SEEK_SET);
    fputs("???", file);
    fclose(file);
    assert_int_equal(log_reopen(), OUTLET_NOTE);
    assert_int_equal(seg_log.state.roll.file_number, 11);
}

static void what_is_in_the_way_of_a_segment_is_left_alone(void **state) {
    (void)state;
    FILE *file = fopen(segment_path(1), "w");
    fputs("this is not a segment", file);
    fclose(file);
    assert_int_equal(log_write(6), -EEXIST);
    assert_error_says("has bytes that the log did not write");
    uint8_t text[100];
    assert_int_equal(read_whole(segment_path(1), text, sizeof text), 21);
    assert_int_equal(unlink(segment_path(1)), 0);
    assert_int_equal(log_write(6), 0);
    assert_has_all(6);
}

static void a_folder_that_is_gone_is_not_made_again(void **state) {
    (void)state;
    char moved[600];
    assert_int_equal(log_write(6), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    snprintf(moved, sizeof moved, "%s/moved", seg_log.folder);
    assert_int_equal(rename(seg_log.path, moved), 0);
    assert_int_equal(log_write(15), -ENOMEDIUM);
    assert_error_says("has no file head");
    seg_log.outlet->ops->tell_stalled(seg_log.outlet, -ENOMEDIUM, 0, 4096);
    assert_told("cannot be written: segments folder");
    assert_int_equal(access(seg_log.path, F_OK), -1);
    assert_int_equal(log_reopen(), -ENOMEDIUM);
    assert_int_equal(rename(moved, seg_log.path), 0);
    assert_int_equal(log_write(15), 0);
    assert_has_all(15);
}

static unsigned head_name_syncs;

static int count_head_name_syncs(const struct files *files, const char *path) {
    head_name_syncs += strstr(path, "/head") != NULL;
    return files_posix.ops->sync_name(files, path);
}

static void an_empty_head_says_that_the_log_goes_on_there(void **state) {
    (void)state;
    char path[800];
    struct segments_head head;
    assert_int_equal(log_write(6), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    snprintf(path, sizeof path, "rm -r '%s'; mkdir '%s'; : > '%s/head'", seg_log.path, seg_log.path, seg_log.path);
    assert_int_equal(system(path), 0);
    head_name_syncs = 0;
    seg_log.ops.sync_name = count_head_name_syncs;
    assert_int_equal(log_write(15), 0);
    assert_told("was begun anew");
    assert_int_equal(read_folder(5)->frames, 6);
    assert_int_equal(head_name_syncs, 1); /* others made the head, perhaps without a sync */
    snprintf(path, sizeof path, "%s/head", seg_log.path);
    assert_int_equal(read_whole(path, (uint8_t *)&head, sizeof head), sizeof head);
    assert_string_equal(head.name, "orders");
}

static void another_folder_in_its_place_gets_no_byte(void **state) {
    (void)state;
    char moved[600];
    struct outlet_state kept = seg_log.state, other;
    assert_int_equal(log_write(6), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    kept = seg_log.state;
    snprintf(moved, sizeof moved, "%s/moved", seg_log.folder);
    assert_int_equal(rename(seg_log.path, moved), 0);
    assert_int_equal(seg_log.outlet->ops->bind(seg_log.outlet, seg_log.path, &seg_log.noted, &other), OUTLET_NOTE);
    seg_log.state = kept;
    assert_int_equal(log_reopen(), -ESTALE);
    assert_error_says("is not the one that the log wrote to");
    assert_int_equal(access(segment_path(1), F_OK), -1);
}

static void a_folder_has_one_writer(void **state) {
    (void)state;
    struct outlet *second;
    struct outlet_state other;
    assert_int_equal(segments_outlet_create(&seg_log.parts, &second), 0);
    assert_int_equal(second->ops->bind(second, seg_log.path, &seg_log.noted, &other), -EBUSY);
    assert_error_says("is written by another log");
    second->ops->destroy(second);
}

static void a_damaged_head_is_refused(void **state) {
    (void)state;
    char path[600];
    struct outlet_state other;
    snprintf(path, sizeof path, "%s/head", seg_log.path);
    FILE *file = fopen(path, "r+");
    fseek(file, 60, SEEK_SET);
    fputs("X", file);
    fclose(file);
    seg_log.outlet->ops->close(seg_log.outlet);
    assert_int_equal(seg_log.outlet->ops->bind(seg_log.outlet, seg_log.path, &seg_log.noted, &other), -EUCLEAN);
    assert_int_equal(log_reopen(), -EUCLEAN);
    assert_error_says("is damaged");
}

/* Another ring, or this one formatted anew, goes on behind the frames. */
static void another_log_goes_on_behind_the_last_frame(void **state) {
    (void)state;
    assert_int_equal(log_write(60), 0);
    const uint64_t frames = read_folder(1)->frames;
    seg_log.outlet->ops->destroy(seg_log.outlet);
    seg_log.parts.ring_uuid[0]++;
    seg_log.noted_sequence = seg_log.written = 0;
    log_make_outlet();
    assert_int_equal(log_bind(), OUTLET_NOTE);
    assert_int_equal(seg_log.state.roll.file_number, frames + 1);
    assert_int_equal(log_write(15), 0);
    assert_int_equal(read_folder(frames + 1)->frames, 10);
}

/* -------------------------------------------------------------------------------------------------------- failures */

static int fail_sync(const struct files *files, int file) {
    return seg_log.fails != 0 ? -seg_log.fails : files_posix.ops->sync(files, file);
}

static int64_t fail_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    return seg_log.fails != 0 ? -seg_log.fails : files_posix.ops->write(files, file, data, bytes, offset);
}

/* A failed sync leaves unknown bytes durable: the drain writes all of them again. */
static void after_a_failed_sync_everything_is_written_again(void **state) {
    (void)state;
    seg_log.ops.sync = fail_sync;
    assert_int_equal(log_write(6), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(log_write(15), 0);
    seg_log.fails = EIO;
    assert_int_equal(log_sync(), -EIO);
    assert_false(seg_log.outlet->ops->is_open(seg_log.outlet));
    seg_log.fails = 0;
    assert_int_equal(seg_log.written, 6);
    assert_int_equal(log_write(15), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_has_all(15);
    assert_int_equal(seg_log.state.roll.frames, 10);
}

static void a_full_disk_stalls_and_passes(void **state) {
    (void)state;
    seg_log.ops.write = fail_write;
    seg_log.fails = ENOSPC;
    assert_int_equal(log_write(15), -ENOSPC);
    seg_log.outlet->ops->tell_stalled(seg_log.outlet, -ENOSPC, 60000000000, 4096);
    assert_told("(for 60 s now): segment ");
    seg_log.fails = 0;
    assert_int_equal(log_write(15), 0);
    seg_log.fails = ENOSPC;
    assert_int_equal(log_write(30), -ENOSPC);
    seg_log.fails = 0;
    seg_log.outlet->ops->tell_going(seg_log.outlet);
    assert_int_equal(assert_told("is being written again"), EVENT_ERROR); /* as its beginning */
    assert_int_equal(log_write(30), 0);
    assert_has_all(30);
}

static void a_loss_is_a_frame(void **state) {
    (void)state;
    uint8_t frame[RECORD_LOSS_BYTES];
    const struct record_loss loss = {.first_sequence = 5, .count = 2, .from = 4096, .to = 8192}, nothing = {.from = 1};
    const struct record_format *format = seg_log.outlet->format;
    assert_int_equal(format->loss(format, &nothing, frame), 0);
    assert_int_equal(format->loss(format, &loss, frame), 88);
    assert_int_equal(segment_frame_judge(frame, 88, crc_seed_of(seg_log.parts.ring_uuid)), FRAME_WHOLE);
    assert_int_equal(((struct record_header *)frame)->type, SEGMENT_FRAME_LOSS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SEGMENTS_TEST(records_stand_there_as_they_are),
        SEGMENTS_TEST(a_segment_ends_before_it_is_too_long),
        SEGMENTS_TEST(a_batch_that_is_longer_than_a_segment_has_one_for_itself),
        SEGMENTS_TEST(a_segment_that_ends_is_noted_whole),
        SEGMENTS_TEST(a_redo_makes_the_same_bytes),
        SEGMENTS_TEST(no_segment_ends_in_the_midst_of_a_redo),
        SEGMENTS_TEST(a_crash_before_the_file_of_a_noted_segment_is_made_is_harmless),
        SEGMENTS_TEST(the_name_of_a_file_that_was_made_before_a_crash_is_synced),
        SEGMENTS_TEST(short_writes_are_continued),
        SEGMENTS_TEST(what_a_power_cut_leaves_is_written_again),
        SEGMENTS_TEST(records_that_the_ring_lost_stay_and_others_come_behind_them),
        SEGMENTS_TEST(bytes_of_others_behind_the_end_that_are_no_frame_go),
        SEGMENTS_TEST(a_segment_that_was_cut_is_left_and_numbers_go_on),
        SEGMENTS_TEST(a_segment_that_is_gone_is_not_made_again),
        SEGMENTS_TEST(frames_behind_an_edit_keep_their_numbers),
        SEGMENTS_TEST(what_is_in_the_way_of_a_segment_is_left_alone),
        SEGMENTS_TEST(a_folder_that_is_gone_is_not_made_again),
        SEGMENTS_TEST(an_empty_head_says_that_the_log_goes_on_there),
        SEGMENTS_TEST(another_folder_in_its_place_gets_no_byte),
        SEGMENTS_TEST(a_folder_has_one_writer),
        SEGMENTS_TEST(a_damaged_head_is_refused),
        SEGMENTS_TEST(another_log_goes_on_behind_the_last_frame),
        SEGMENTS_TEST(after_a_failed_sync_everything_is_written_again),
        SEGMENTS_TEST(a_full_disk_stalls_and_passes),
        SEGMENTS_TEST(a_loss_is_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
