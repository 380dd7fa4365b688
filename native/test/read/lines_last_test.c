/* SPDX-License-Identifier: Apache-2.0 */
/* The last lines of files, also while they are written, and a place behind the end of one. */
#include "read/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/crc32c.h"
#include "media/index.h"

static char folder[64], path[128], index_path[160];

static void put(const void *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static struct read_source *open_lines(void) {
    struct read_source *lines;
    assert_int_equal(lines_make(&platform_linux, 0, &lines), 0);
    assert_int_equal(lines_add(lines, path, 0, LINES_TO_THE_END), 0);
    return lines;
}

static void the_last_n_are_all_if_the_file_has_n(void **state) {
    (void)state;
    static const char text[] = "1\n2\n3\n4\n";
    for (int count = 0; count <= 4; count++) {
        put(text, 2u * (unsigned)count);
        for (int last = 0; last <= 6; last++) {
            burst_read_t record = {.struct_bytes = sizeof record};
            struct read_source *lines = open_lines();
            assert_int_equal(lines->ops->seek(lines, BURST_FROM_LAST, last), 0);
            for (int line = last < count ? count - last : 0; line < count; line++) {
                assert_int_equal(lines->ops->next(lines, &record), 1);
                assert_int_equal(record.length, 2);
                assert_int_equal(((const char *)record.data)[0], '1' + line);
            }
            assert_int_equal(lines->ops->next(lines, &record), 0);
            lines->ops->close(lines);
        }
    }
}

static void a_last_line_comes_without_its_newline(void **state) {
    (void)state;
    burst_read_t record = {.struct_bytes = sizeof record};
    put("1\n23", 4);
    for (int last = 1; last <= 2; last++) {
        struct read_source *lines = open_lines();
        assert_int_equal(lines->ops->seek(lines, BURST_FROM_LAST, last), 0);
        for (int line = 3 - last; line <= 2; line++) {
            assert_int_equal(lines->ops->next(lines, &record), 1);
            assert_int_equal(record.length, 2);
            assert_memory_equal(record.data, line == 1 ? "1\n" : "23", 2);
        }
        assert_int_equal(lines->ops->next(lines, &record), 0);
        lines->ops->close(lines);
    }
}

/* An index whose only record is empty, and begins at byte 1000 of a text that has 2. */
static void put_index(const char *text) {
    struct index_header header = {.magic = INDEX_MAGIC,
                                  .version = INDEX_VERSION,
                                  .header_bytes = sizeof header,
                                  .sequence = 1,
                                  .entries = INDEX_ENTRIES};
    struct index_text head = {.bytes = 2, .text_crc = crc32c(0, text, 2)};
    struct index_entry entry = {.sequence = 1, .latest_ns = INT64_MIN};
    struct {
        struct index_chunk chunk;
        uint8_t item[INDEX_ITEM_BYTES];
    } data = {.chunk = {.epoch = 1, .sequence = 1, .offset = 1000}};
    struct index_place place = index_chunk_place(&data.chunk);
    const struct index_item item = {.kind = INDEX_AWAITED, .sequence = 1, .time_ns = 5};
    data.chunk.bytes = (uint32_t)index_put(&place, &item, data.item);
    index_seal_header(&header);
    index_seal_text(&head, &header);
    index_seal_entry(&entry, &header);
    index_seal_chunk(&data.chunk, entry.crc);
    FILE *file = fopen(index_path, "wb");
    assert_non_null(file);
    fwrite(&header, sizeof header, 1, file);
    fseek(file, INDEX_TEXT_OFFSET, SEEK_SET);
    fwrite(&head, sizeof head, 1, file);
    fseek(file, INDEX_TABLE_OFFSET, SEEK_SET);
    fwrite(&entry, sizeof entry, 1, file);
    fseek(file, INDEX_DATA_OFFSET, SEEK_SET);
    fwrite(&data, sizeof data, 1, file);
    assert_int_equal(fclose(file), 0);
}

static void an_empty_record_behind_the_end_of_an_archive_is_none(void **state) {
    (void)state;
    /* "a\n" as a stored block of gzip, and as one of Zstandard */
    static const uint8_t gzip[] = {0x1f, 0x8b, 8,   0,    0,    0,    0,    0,    0, 3, 1, 2, 0,
                                   0xfd, 0xff, 'a', '\n', 0x07, 0xa1, 0xea, 0xdd, 2, 0, 0, 0};
    static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, 0x11, 0, 0, 'a', '\n'};
    put_index("a\n");
    for (int is_zstd = 0; is_zstd < 2; is_zstd++) {
        burst_read_t record = {.struct_bytes = sizeof record};
        put(is_zstd ? zstd : gzip, is_zstd ? sizeof zstd : sizeof gzip);
        struct read_source *lines = open_lines();
        assert_int_equal(lines->ops->next(lines, &record), 1);
        assert_int_equal(record.length, 2);
        assert_memory_equal(record.data, "a\n", 2);
        assert_int_equal(lines->ops->seek(lines, BURST_FROM_SEQUENCE, 1), 0);
        assert_int_equal(lines->ops->next(lines, &record), 0);
        lines->ops->close(lines);
    }
    unlink(index_path);
}

static int64_t now_ns = 1000000000;

static int64_t monotonic_ns(const struct platform *platform) {
    (void)platform;
    return now_ns;
}

static void append(const char *text) {
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

static void expect_line(struct read_source *lines, const char *text) {
    burst_read_t record = {.struct_bytes = sizeof record};
    const int rc = lines->ops->next(lines, &record);
    if (text == NULL) {
        assert_int_equal(rc, 0);
        return;
    }
    assert_int_equal(rc, 1);
    assert_int_equal(record.kind, BURST_READ_LINE);
    assert_int_equal(record.length, strlen(text));
    assert_memory_equal(record.data, text, record.length);
}

/* A write shows in pieces. Half a line that is never finished comes after a while, or with the end of its file. */
static void a_follower_gets_whole_lines(void **state) {
    (void)state;
    struct platform_ops ops = *platform_linux.ops;
    const struct platform platform = {.ops = &ops};
    struct read_source *lines;
    char rolled[140];
    ops.monotonic_ns = monotonic_ns;
    put("line 0\nline 1 of", 16);
    assert_int_equal(lines_make(&platform, 1, &lines), 0);
    assert_int_equal(lines_add(lines, path, 0, LINES_TO_THE_END), 0);
    lines->waits = 1;
    expect_line(lines, "line 0\n");
    expect_line(lines, NULL);
    now_ns += 100000000;
    expect_line(lines, NULL);
    append(" x\nline 2 of");
    expect_line(lines, "line 1 of x\n");
    expect_line(lines, NULL);
    now_ns += 300000000;
    expect_line(lines, "line 2 of");
    append(" x\nline 3 of");
    expect_line(lines, " x\n");
    expect_line(lines, NULL);
    snprintf(rolled, sizeof rolled, "%s.1", path);
    assert_int_equal(rename(path, rolled), 0);
    put("line 4\n", 7);
    expect_line(lines, "line 3 of");
    expect_line(lines, "line 4\n");
    lines->waits = 0;
    append("line 5 of");
    expect_line(lines, "line 5 of"); /* a reader that does not wait gets what is there */
    lines->ops->close(lines);
    assert_int_equal(unlink(rolled), 0);
}

static int begin(void **state) {
    (void)state;
    strcpy(folder, "/dev/shm/burst-lines-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/a.log", folder);
    snprintf(index_path, sizeof index_path, "%s/" INDEX_FOLDER, folder);
    mkdir(index_path, 0700);
    snprintf(index_path, sizeof index_path, "%s/" INDEX_FOLDER "/1.1", folder);
    return 0;
}

static int end(void **state) {
    (void)state;
    unlink(path);
    unlink(index_path);
    *strrchr(index_path, '/') = '\0';
    rmdir(index_path);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_n_are_all_if_the_file_has_n),
        cmocka_unit_test(a_last_line_comes_without_its_newline),
        cmocka_unit_test(a_follower_gets_whole_lines),
        cmocka_unit_test(an_empty_record_behind_the_end_of_an_archive_is_none),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
