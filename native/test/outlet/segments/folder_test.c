/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/segments/segments_log.h"

/* Counts frames from the first one of segment 1. */
static uint64_t count(uint64_t *end) {
    uint64_t frames = 0;
    const int file = files_posix.ops->open(&files_posix, segment_path(1));
    assert_true(file >= 0);
    *end = sizeof(struct segment_header);
    assert_int_equal(segments_count(&files_posix, file, crc_seed_of(seg_log.parts.ring_uuid), end, &frames), 0);
    files_posix.ops->close(&files_posix, file);
    return frames;
}

static void whole_frames_are_counted_up_to_a_torn_one(void **state) {
    (void)state;
    uint64_t end, whole_end;
    assert_int_equal(log_write(15), 0); /* 10 frames; the last one has 255 bytes */
    assert_int_equal(count(&whole_end), 10);
    assert_int_equal(whole_end, seg_log.outlet->ops->length(seg_log.outlet));
    assert_int_equal(truncate(segment_path(1), (off_t)whole_end - 8), 0);
    assert_int_equal(count(&end), 9);
    assert_int_equal(truncate(segment_path(1), (off_t)whole_end), 0); /* the segment now ends in zeros */
    assert_int_equal(count(&end), 9);
    assert_int_equal(end, whole_end - record_bytes(length_of(15)));
    assert_int_equal(truncate(segment_path(1), (off_t)end + 20), 0);
    assert_int_equal(count(&end), 9);
    assert_int_equal(truncate(segment_path(1), (off_t)sizeof(struct segment_header)), 0);
    assert_int_equal(count(&end), 0);
    assert_int_equal(end, sizeof(struct segment_header));
}

static void a_frame_longer_than_a_page_is_counted(void **state) {
    (void)state;
    static uint8_t payload[20001], frame[21000];
    uint64_t end;
    struct record_header header = {.sequence = 16, .length = sizeof payload, .type = RECORD_DATA};
    assert_int_equal(log_write(15), 0);
    memset(payload, 'p', sizeof payload);
    header.payload_crc = crc32c(0, payload, sizeof payload);
    header.header_crc = crc32c(crc_seed_of(seg_log.parts.ring_uuid), &header, RECORD_CRC_COVERS);
    segment_frame_put(&header, payload, frame);
    FILE *file = fopen(segment_path(1), "a");
    fwrite(frame, 1, record_bytes(header.length), file);
    fclose(file);
    assert_int_equal(count(&end), 11);
}

static void an_empty_segment_gives_its_number_to_what_comes(void **state) {
    (void)state;
    struct outlet_state bound;
    fclose(fopen(segment_path(77), "w"));
    seg_log.outlet->ops->close(seg_log.outlet);
    assert_int_equal(seg_log.outlet->ops->bind(seg_log.outlet, seg_log.path, &seg_log.noted, &bound), OUTLET_NOTE);
    assert_int_equal(bound.roll.file_number, 77);
}

/* The process that began the folder died before its head was durable. */
static void a_head_of_zeros_is_begun_again(void **state) {
    (void)state;
    char path[600];
    struct outlet_state bound;
    snprintf(path, sizeof path, "%s/head", seg_log.path);
    seg_log.outlet->ops->close(seg_log.outlet);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(truncate(path, 512), 0);
    assert_int_equal(seg_log.outlet->ops->bind(seg_log.outlet, seg_log.path, &seg_log.noted, &bound), OUTLET_NOTE);
    assert_int_equal(read_folder(1)->frames, 0);
}

static size_t disk_has; /* so many bytes more */

static int64_t write_what_the_disk_takes(const struct files *files, int file, const void *data, size_t bytes,
                                         uint64_t offset) {
    bytes = bytes < disk_has ? bytes : disk_has;
    disk_has -= bytes;
    return bytes == 0 ? -ENOSPC : files_posix.ops->write(files, file, data, bytes, offset);
}

/* The disk is full in the midst of the head. The folder is usable once it has space again. */
static void a_part_of_a_head_is_begun_again(void **state) {
    (void)state;
    static const size_t parts[] = {5, sizeof(uint64_t), 300}; /* the first one ends within the magic */
    char path[600];
    struct outlet_state bound;
    snprintf(path, sizeof path, "%s/head", seg_log.path);
    seg_log.ops.write = write_what_the_disk_takes;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        seg_log.outlet->ops->close(seg_log.outlet);
        assert_int_equal(truncate(path, 0), 0);
        disk_has = parts[i];
        assert_int_equal(seg_log.outlet->ops->bind(seg_log.outlet, seg_log.path, &seg_log.noted, &bound), -ENOSPC);
        disk_has = 100000;
        assert_int_equal(seg_log.outlet->ops->bind(seg_log.outlet, seg_log.path, &seg_log.noted, &bound), OUTLET_NOTE);
    }
    log_note(&bound);
    assert_int_equal(log_write(6), 0);
    assert_int_equal(read_folder(1)->frames, 4);
}

static int64_t write_100_bytes(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    return files_posix.ops->write(files, file, data, bytes < 100 ? bytes : 100, offset);
}

static void a_head_is_whole_though_its_writes_are_short(void **state) {
    (void)state;
    char path[600];
    struct outlet_state bound;
    struct segments_head head;
    snprintf(path, sizeof path, "%s/head", seg_log.path);
    seg_log.outlet->ops->close(seg_log.outlet);
    assert_int_equal(truncate(path, 0), 0);
    seg_log.ops.write = write_100_bytes;
    assert_int_equal(seg_log.outlet->ops->bind(seg_log.outlet, seg_log.path, &seg_log.noted, &bound), OUTLET_NOTE);
    assert_int_equal(read_whole(path, (uint8_t *)&head, sizeof head), sizeof head);
    assert_int_equal(segments_head_judge(&head), SEGMENT_VALID);
}

static unsigned heads_synced;

static int count_head_sync(const struct files *files, int file) {
    struct file_identity identity;
    assert_int_equal(files_posix.ops->identity(files, file, &identity), 0);
    heads_synced += identity.bytes == sizeof(struct segments_head);
    return files_posix.ops->sync(files, file);
}

/* The page cache shows a head that a power cut would take: its maker was killed before the sync, or that failed. */
static void a_head_that_may_not_be_durable_is_written_again(void **state) {
    (void)state;
    struct outlet_state bound;
    seg_log.ops.sync = count_head_sync;
    heads_synced = 0;
    seg_log.outlet->ops->close(seg_log.outlet);
    assert_int_equal(seg_log.outlet->ops->bind(seg_log.outlet, seg_log.path, &seg_log.noted, &bound), OUTLET_NOTE);
    assert_int_equal(heads_synced, 1);
    log_note(&bound);
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(heads_synced, 1);
    assert_int_equal(log_write(6), 0); /* the first byte of the folder */
    assert_int_equal(heads_synced, 2);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(log_write(15), 0);
    assert_int_equal(heads_synced, 2);
}

/* A file of others that has the name, and is shorter than a head. */
static void a_short_file_of_others_is_no_part_of_a_head(void **state) {
    (void)state;
    char command[800];
    struct outlet_state bound;
    seg_log.outlet->ops->close(seg_log.outlet);
    snprintf(command, sizeof command, "echo ref: refs/heads/main > '%s/head'", seg_log.path);
    assert_int_equal(system(command), 0);
    assert_int_equal(seg_log.outlet->ops->bind(seg_log.outlet, seg_log.path, &seg_log.noted, &bound), -EUCLEAN);
}

static void a_folder_whose_head_was_replaced_is_another_one(void **state) {
    (void)state;
    static struct segments_folder folder;
    char head[600], before[640];
    folder = (struct segments_folder){.files = &files_posix, .new_file = seg_log.parts.new_file, .head = FOLDER_CLOSED};
    seg_log.outlet->ops->close(seg_log.outlet);
    assert_int_equal(segments_folder_open(&folder, &platform_linux, seg_log.path, "orders", 0), 0);
    assert_true(segments_folder_is_there(&folder));
    snprintf(head, sizeof head, "%s/head", seg_log.path);
    snprintf(before, sizeof before, "%s.before", head);
    assert_int_equal(rename(head, before), 0);
    assert_false(segments_folder_is_there(&folder));
    fclose(fopen(head, "w"));
    assert_false(segments_folder_is_there(&folder));
    assert_int_equal(rename(before, head), 0);
    assert_true(segments_folder_is_there(&folder));
    segments_folder_close(&folder);
}

static void a_path_that_is_too_long_is_refused(void **state) {
    (void)state;
    static char path[LAYOUT_FILE_NAME_BYTES];
    struct outlet_state bound;
    memset(path, '/', sizeof path - 1);
    assert_int_equal(seg_log.outlet->ops->bind(seg_log.outlet, path, &seg_log.noted, &bound), -ENAMETOOLONG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SEGMENTS_TEST(whole_frames_are_counted_up_to_a_torn_one),
        SEGMENTS_TEST(a_frame_longer_than_a_page_is_counted),
        SEGMENTS_TEST(an_empty_segment_gives_its_number_to_what_comes),
        SEGMENTS_TEST(a_head_of_zeros_is_begun_again),
        SEGMENTS_TEST(a_part_of_a_head_is_begun_again),
        SEGMENTS_TEST(a_head_is_whole_though_its_writes_are_short),
        SEGMENTS_TEST(a_head_that_may_not_be_durable_is_written_again),
        SEGMENTS_TEST(a_short_file_of_others_is_no_part_of_a_head),
        SEGMENTS_TEST(a_folder_whose_head_was_replaced_is_another_one),
        SEGMENTS_TEST(a_path_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
