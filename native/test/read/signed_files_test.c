/* SPDX-License-Identifier: Apache-2.0 */
/* Signed archives that were cut or changed: one sentence names what, and where. */
#include "read/signed_fixture.h"

#define LEAF_1 (2 + 112 + 31 + 2) /* where it begins: leaf 0 has 31 bytes of text */

static void overwrite(const char *path, long at, const void *bytes, size_t count) {
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void a_changed_payload_is_named_and_a_reader_goes_on_behind_it(void **state) {
    (void)state;
    add_up_to(600);
    written_commit(archive);
    /* The first byte of the payload of leaf 258: 6 bytes of a frame's header and 3 of a block's stand before each. */
    long at = 9 + 9;
    char text[512];
    for (int64_t sequence = 1; sequence < 258; sequence++) {
        at += (long)make_payload(sequence, text);
    }
    overwrite(written_path(archive, "payload/000.zst"), at, "#", 1);
    open_reader();
    for (int64_t sequence = 1; sequence < 258; sequence++) {
        must_be_record(sequence);
    }
    must_say(EUCLEAN, "the payload of leaf 258, sequence 258, in");
    must_say(EUCLEAN, "a reader that begins at sequence 259 goes on behind it");
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 259), 0);
    for (int64_t sequence = 259; sequence <= 600; sequence++) {
        must_be_record(sequence);
    }
}

static void a_frame_that_is_cut_or_none_is_named(void **state) {
    (void)state;
    add_up_to(600);
    written_commit(archive);
    overwrite(written_path(archive, "payload/000.zst"), 0, "\x1f\x8b", 2);
    open_reader();
    must_say(EUCLEAN, "payload/000.zst is damaged: it does not begin with a zstd frame");
    overwrite(written_path(archive, "payload/000.zst"), 0, "\x28\xb5", 2);
    assert_int_equal(truncate(written_path(archive, "payload/000.zst"), 40000), 0);
    must_say(EUCLEAN, "payload/000.zst is missing or cut: it has no payloads of the leaves from 0 on");
    overwrite(written_path(archive, "payload/000.zst"), 6, "\x07\0\0", 3); /* a block of the reserved type */
    must_say(EUCLEAN, "the payload of leaf 1, sequence 1, in");
}

/* Memory follows what the file has, and a frame that goes on in the next one is none. */
static void a_leaf_that_lies_about_its_length_is_named(void **state) {
    (void)state;
    uint8_t length[4];
    add_up_to(600);
    written_commit(archive);
    written_number(length, 1u << 29, 4);
    overwrite(written_path(archive, "tile/entries/000"), LEAF_1 + 4, length, 4);
    open_reader();
    must_say(EUCLEAN, "the payload of leaf 1, sequence 1, in");
    burst_reader_close(reader);
    written_number(length, UINT32_MAX, 4);
    overwrite(written_path(archive, "tile/entries/000"), LEAF_1 + 4, length, 4);
    open_reader();
    must_say(EUCLEAN, "a frame at most");
}

static void leaves_that_are_cut_or_strange_are_named(void **state) {
    (void)state;
    static const struct {
        int at; /* from the begin of leaf 1 on */
        const char *bytes;
        size_t count;
        int error;
        const char *words;
    } damages[] = {{-2, "\0\x10", 2, EUCLEAN, "it has no leaf 1 of the 256"},
                   {-2, "\xff\xff", 2, EUCLEAN, "it has no leaf 1 of the 256"},
                   {0, "\x02", 1, EPROTO, "leaf 1 in"},
                   {1, "\x05", 1, EPROTO, "is of kind 5, which this version does not know"},
                   {1, "\0", 1, EPROTO, "is of kind 0"},
                   {24, "\x7f", 1, EUCLEAN, "a number that no log reaches"},
                   {40, "\xff", 1, EUCLEAN, "a number that no log reaches"}};
    uint8_t before[8];
    add_up_to(600);
    written_commit(archive);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        const long at = LEAF_1 + damages[i].at;
        FILE *file = fopen(written_path(archive, "tile/entries/000"), "r");
        assert_true(file != NULL && fseek(file, at, SEEK_SET) == 0 && fread(before, 1, 8, file) == 8);
        fclose(file);
        overwrite(written_path(archive, "tile/entries/000"), at, damages[i].bytes, damages[i].count);
        open_reader();
        must_say(damages[i].error, damages[i].words);
        burst_reader_close(reader);
        overwrite(written_path(archive, "tile/entries/000"), at, before, 8);
    }
    assert_int_equal(truncate(written_path(archive, "tile/entries/000"), 0), 0);
    open_reader();
    must_say(EUCLEAN, "it has no leaf 0 of the 256");
}

static void files_that_are_gone_or_links_are_named(void **state) {
    (void)state;
    char from[400];
    add_up_to(600);
    written_commit(archive);
    snprintf(from, sizeof from, "%s", written_path(archive, "tile/entries/001"));
    assert_int_equal(rename(from, written_path(archive, "kept")), 0);
    open_reader();
    for (int64_t sequence = 1; sequence < 256; sequence++) {
        must_be_record(sequence);
    }
    must_say(EUCLEAN, "tile/entries/001 is missing, and the head covers it");
    assert_int_equal(symlink("../../kept", from), 0);
    must_say(ELOOP, "it is a link, and an archive has none");
    assert_int_equal(unlink(from), 0);
    assert_int_equal(mkfifo(from, 0600), 0);
    must_say(EUCLEAN, "is no regular file");
    assert_int_equal(unlink(from), 0);
    assert_int_equal(symlink("/dev/null", written_path(archive, "tile/entries/unused")), 0);
    const int file = open(from, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(ftruncate(file, 20 << 20), 0);
    close(file);
    must_say(EUCLEAN, "it has 20971520 bytes, and at most");
    assert_int_equal(rename(written_path(archive, "kept"), from), 0);
    must_be_record(256);
}

static void heads_that_are_none_are_refused(void **state) {
    (void)state;
    static const char *const notes[] = {"",
                                        "\n1\nroot\n\n",
                                        "origin\n\nroot\n",
                                        "origin\n1x\nroot\n\n",
                                        "origin\n1",
                                        "origin\n-1\nroot\n",
                                        "origin\n9999999999999999999\nroot\n"};
    add_up_to(600);
    written_commit(archive);
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        written_put(written_path(archive, "checkpoint"), O_TRUNC, notes[i], strlen(notes[i]));
        assert_int_equal(try_to_open(BURST_FROM_OLDEST, 0), -EUCLEAN);
        assert_non_null(strstr(burst_last_error(), "has no head of an archive in its file checkpoint"));
    }
    assert_int_equal(truncate(written_path(archive, "checkpoint"), 65537), 0);
    assert_int_equal(try_to_open(BURST_FROM_OLDEST, 0), -EUCLEAN);
    assert_int_equal(unlink(written_path(archive, "checkpoint")), 0);
    assert_int_equal(try_to_open(BURST_FROM_OLDEST, 0), -ENODATA);
    written_head(archive, 999999999999999999);
    open_reader();
    assert_true(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 5) < 0);
    must_be_record(1); /* it is where it was */
}

static void an_older_state_in_its_place_is_told(void **state) {
    (void)state;
    add_up_to(600);
    written_commit(archive);
    open_reader();
    for (int64_t sequence = 1; sequence <= 600; sequence++) {
        must_be_record(sequence);
    }
    written_head(archive, 300);
    must_say(ESTALE, "had 601 leaves, and has 300: an older state was put in its place");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_changed_payload_is_named_and_a_reader_goes_on_behind_it),
        TEST(a_frame_that_is_cut_or_none_is_named),
        TEST(a_leaf_that_lies_about_its_length_is_named),
        TEST(leaves_that_are_cut_or_strange_are_named),
        TEST(files_that_are_gone_or_links_are_named),
        TEST(heads_that_are_none_are_refused),
        TEST(an_older_state_in_its_place_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
