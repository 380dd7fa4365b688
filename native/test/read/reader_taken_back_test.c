/* SPDX-License-Identifier: Apache-2.0 */
/* A ring is put back to a copy of it while it is read: the reader says so, and can go on. */
#include "log_fixture.h"

#define KEPT 50
#define RECORDS 100

static burst_reader_t *reader;
static burst_t *open_log;
static const char *window;
static int moves;

static void open_it(void) {
    burst_config_t config = small_config();
    config.window = window;
    config.io = BURST_IO_PWRITE;
    open_log = open_with(&config);
}

static void append(int64_t first, int64_t last) {
    for (int64_t sequence = first; sequence <= last; sequence++) {
        assert_int_equal(burst_append(open_log, "a record\n", 9, sequence), sequence);
    }
}

static void close_it(void) {
    assert_int_equal(burst_close(open_log), 0);
    open_log = NULL;
}

static void expect(int64_t first, int64_t last) {
    burst_read_t record = {.struct_bytes = sizeof record};
    for (int64_t sequence = first; sequence <= last; sequence++) {
        if (burst_reader_next(reader, &record, PATIENCE_NS) != 1) {
            fail_msg("record %lld does not come: %s", (long long)sequence, burst_last_error());
        }
        assert_int_equal(record.sequence, sequence);
    }
}

/* All of a file, or all of it back in its place; or another file there, if that moves. */
static void copy_ring(char **image, size_t *bytes, int is_back) {
    char beside[sizeof ring_path + 8];
    struct stat status;
    snprintf(beside, sizeof beside, "%s.copy", ring_path);
    const int is_moved = is_back && moves;
    const int ring = open(is_moved ? beside : ring_path, O_RDWR | (is_moved ? O_CREAT : 0), 0600);
    assert_true(ring >= 0 && fstat(ring, &status) == 0);
    if (is_back) {
        assert_int_equal(pwrite(ring, *image, *bytes, 0), (ssize_t)*bytes);
        assert_int_equal(is_moved ? rename(beside, ring_path) : 0, 0);
    } else {
        *bytes = (size_t)status.st_size;
        *image = malloc(*bytes);
        assert_int_equal(pread(ring, *image, *bytes, 0), (ssize_t)*bytes);
    }
    assert_int_equal(close(ring), 0);
}

/* The copy is of an open log; or of a closed one, whose next epoch has the number of the one that was read. */
static void a_reader_of_a_ring_that_was_taken_back_says_so_and_goes_on(void **state) {
    const int is_closed = strstr(*state, "closed") != NULL;
    burst_reader_config_t config;
    burst_read_t record = {.struct_bytes = sizeof record};
    burst_reader_state_t now = {.struct_bytes = sizeof now};
    char *image;
    size_t bytes;
    open_it();
    append(1, KEPT);
    if (is_closed) {
        close_it();
    }
    copy_ring(&image, &bytes, 0);
    if (is_closed) {
        open_it();
    }
    append(KEPT + 1, RECORDS);
    burst_reader_config_init(&config);
    config.source = ring_path;
    config.window = window;
    config.from = BURST_FROM_RING;
    assert_int_equal(burst_reader_open(&config, &reader), 0);
    expect(is_closed && *window != '\0' ? KEPT + 1 : 1, RECORDS - 1); /* on the medium, the close proves the last one */
    close_it();
    expect(RECORDS, RECORDS);
    copy_ring(&image, &bytes, 1);
    free(image);
    open_it();
    assert_int_equal(burst_reader_next(reader, &record, PATIENCE_NS), -EUCLEAN);
    assert_non_null(strstr(burst_last_error(), "the ring was taken back"));
    assert_int_equal(burst_reader_state(reader, &now), 0);
    assert_int_equal(now.durable_sequence, KEPT);
    assert_int_equal(burst_reader_next(reader, &record, 0), 0);
    append(KEPT + 1, KEPT + 2); /* on the medium, the next one proves it */
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, KEPT + 1), 0);
    expect(KEPT + 1, KEPT + 1);
}

/* It had not read all of the window that it has open. */
static void a_poll_that_gives_records_before_says_so_at_the_next_call(void **state) {
    (void)state;
    burst_reader_config_t config;
    uint64_t polled[512];
    char *image;
    size_t bytes;
    open_it();
    append(1, KEPT);
    copy_ring(&image, &bytes, 0);
    append(KEPT + 1, RECORDS);
    burst_reader_config_init(&config);
    config.source = ring_path;
    config.window = window;
    config.from = BURST_FROM_RING;
    assert_int_equal(burst_reader_open(&config, &reader), 0);
    expect(1, RECORDS - 1);
    close_it();
    copy_ring(&image, &bytes, 1);
    free(image);
    open_it();
    assert_true(burst_reader_poll(reader, polled, sizeof polled, PATIENCE_NS) > 0);
    assert_int_equal(burst_reader_poll(reader, polled, sizeof polled, 0), -EUCLEAN);
    assert_non_null(strstr(burst_last_error(), "the ring was taken back"));
    assert_int_equal(burst_reader_poll(reader, polled, sizeof polled, 0), 0);
}

static int begin(void **state) {
    const char *const kind = *state;
    const int rc = make_folder(state);
    window = *kind == 'w' ? folder : "";
    moves = strstr(kind, "moved") != NULL;
    return rc;
}

static int end(void **state) {
    burst_reader_close(reader);
    reader = NULL;
    if (open_log != NULL) {
        close_it();
    }
    return remove_folder(state);
}

#define CASE(kind)                                                                                                     \
    {                                                                                                                  \
        "a_reader_of_a_ring_that_was_taken_back_says_so_and_goes_on [" kind "]",                                       \
            a_reader_of_a_ring_that_was_taken_back_says_so_and_goes_on, begin, end, (void *)kind                       \
    }

int main(void) {
    const struct CMUnitTest tests[] = {CASE("medium"),
                                       CASE("medium, closed"),
                                       CASE("medium, moved"),
                                       CASE("medium, closed, moved"),
                                       CASE("window"),
                                       CASE("window, closed"),
                                       CASE("window, moved"),
                                       {"a_poll_that_gives_records_before_says_so_at_the_next_call",
                                        a_poll_that_gives_records_before_says_so_at_the_next_call, begin, end,
                                        (void *)"window"}};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
