/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of a medium that a writer holds: the test is that writer. It puts a copy of a ring in the reader's place, with
 * the head of an earlier moment: so no note proves what came since, whenever the log wrote one.
 */
#include "log_fixture.h"

#include "device/lock.h"
#include "device/open.h"
#include "media/layout.h"

#define LOOKS_NS 300000000ll /* a reader has looked for another epoch */

static burst_t *open_log;
static burst_reader_t *reader;
static char copy_path[128];
static uint8_t *head;
static int held = -1;
static void (*in_read)(void); /* what happens while a reader reads the data area, once */

/* ---------------------------------------------------------------------------------------------------- the medium */

static int is_device; /* readers take the copy for a device */
static const char *seen_holders;
static int sees_all; /* the reader may look at each process of the host */
static int asked;    /* so often who has the device open */

static struct device_ops ops;
static int (*real_read)(struct device *device, uint64_t offset, void *data, size_t bytes);

static int read_and_act(struct device *device, uint64_t offset, void *data, size_t bytes) {
    void (*const act)(void) = offset >= LAYOUT_DATA_OFFSET ? in_read : NULL;
    if (act != NULL) {
        in_read = NULL;
        act();
    }
    return real_read(device, offset, data, bytes);
}

int __real_device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                       struct device **device);
int __wrap_device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                       struct device **device);
int __wrap_device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                       struct device **device) {
    const int rc = __real_device_open(platform, path, access, io, device);
    if (rc == 0 && access == DEVICE_READ_ONLY) {
        ops = *(*device)->ops;
        real_read = ops.read;
        ops.read = read_and_act;
        (*device)->ops = &ops;
        (*device)->is_file &= !is_device;
    }
    return rc;
}

int __real_medium_holders(int fd, char *text, size_t text_bytes);
int __wrap_medium_holders(int fd, char *text, size_t text_bytes);
int __wrap_medium_holders(int fd, char *text, size_t text_bytes) {
    if (!is_device) {
        return __real_medium_holders(fd, text, text_bytes);
    }
    asked++;
    snprintf(text, text_bytes, "%s", seen_holders);
    return sees_all;
}

/* ----------------------------------------------------------------------------------------------------------- steps */

static burst_t *open_it(void) {
    burst_config_t config = small_config();
    config.io = BURST_IO_PWRITE;
    return open_log = open_with(&config);
}

static void append(int64_t from, int64_t to) {
    char text[64];
    for (int64_t sequence = from; sequence <= to; sequence++) {
        const int length = snprintf(text, sizeof text, "record %lld\n", (long long)sequence);
        assert_int_equal(burst_append(open_log, text, (size_t)length, sequence), sequence);
    }
}

/* Some laps. */
static void fill(int64_t from, int64_t to) {
    static char text[1000];
    for (int64_t sequence = from; sequence <= to; sequence++) {
        assert_int_equal(burst_enqueue(open_log, text, sizeof text, sequence), sequence);
    }
    assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
}

static uint8_t *read_ring(size_t *bytes) {
    struct stat status;
    const int fd = open(ring_path, O_RDONLY);
    assert_true(fd >= 0 && fstat(fd, &status) == 0);
    uint8_t *ring = malloc((size_t)status.st_size);
    assert_int_equal(read(fd, ring, (size_t)status.st_size), status.st_size);
    close(fd);
    *bytes = (size_t)status.st_size;
    return ring;
}

static void keep_head(void) {
    size_t bytes;
    free(head);
    head = read_ring(&bytes);
}

/* The ring as it is, but for its head. */
static void copy_ring(void) {
    size_t bytes;
    uint8_t *ring = read_ring(&bytes);
    memcpy(ring, head, LAYOUT_DATA_OFFSET);
    const int fd = open(copy_path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, ring, bytes), bytes);
    close(fd);
    free(ring);
}

static void hold(void) {
    held = open(copy_path, O_RDWR);
    assert_true(held >= 0);
    assert_int_equal(lock_ring(held), 0);
}

static void hold_device(void) {
    seen_holders = "17 (java)";
}

static void let_go(void) {
    if (held >= 0) {
        lock_close(held);
    }
    held = -1;
}

static void open_reader(void) {
    burst_reader_config_t config;
    burst_reader_config_init(&config);
    config.source = copy_path;
    config.window = "";
    config.from = BURST_FROM_RING;
    if (burst_reader_open(&config, &reader) < 0) {
        fail_msg("reader: %s", burst_last_error());
    }
}

static int next(burst_read_t *record, int64_t timeout_ns) {
    record->struct_bytes = sizeof *record;
    const int rc = burst_reader_next(reader, record, timeout_ns);
    if (rc < 0) {
        fail_msg("next: %s", burst_last_error());
    }
    return rc;
}

static void expect(int64_t from, int64_t to) {
    burst_read_t record;
    for (int64_t sequence = from; sequence <= to; sequence++) {
        assert_int_equal(next(&record, PATIENCE_NS), 1);
        assert_int_equal(record.kind, BURST_READ_RECORD);
        assert_int_equal(record.sequence, sequence);
    }
}

static void expect_nothing(void) {
    burst_read_t record;
    assert_int_equal(next(&record, LOOKS_NS), 0);
}

static void the_last_commit_comes_when_it_is_proven(void **state) {
    (void)state;
    open_it();
    append(1, 2);
    keep_head();
    append(3, 3);
    copy_ring();
    hold();
    open_reader();
    expect(1, 2);
    expect_nothing(); /* the writer may be in the midst of it */
    let_go();
    expect(3, 3); /* it has ended, and an open would find this record */
    expect_nothing();
}

/* Nobody is known to write the device, and nobody is known not to. */
static void a_writer_that_cannot_be_seen_may_be_in_the_midst_of_the_last_commit(void **state) {
    (void)state;
    open_it();
    append(1, 2);
    keep_head();
    append(3, 3);
    copy_ring();
    is_device = 1;
    open_reader();
    expect(1, 2);
    expect_nothing();
    seen_holders = "17 (java)";
    sees_all = 1;
    for (const int before = asked; asked == before;) {
        expect_nothing();
    }
    seen_holders = ""; /* it has ended */
    expect(3, 3);
}

/* It may be in the midst of what it had written by then. */
static void so_may_one_that_comes_while_the_ring_is_read(void **state) {
    (void)state;
    open_it();
    append(1, 2);
    keep_head();
    append(3, 3);
    copy_ring();
    in_read = hold;
    open_reader();
    assert_null(in_read);
    expect(1, 2);
    expect_nothing();
    let_go();
    expect(3, 3);
}

static void so_may_one_of_a_device(void **state) {
    (void)state;
    open_it();
    append(1, 2);
    keep_head();
    append(3, 3);
    copy_ring();
    is_device = sees_all = 1;
    in_read = hold_device;
    open_reader();
    assert_null(in_read);
    expect(1, 2);
    expect_nothing();
    seen_holders = "";
    expect(3, 3);
}

static void who_writes_a_device_is_asked_once_a_second(void **state) {
    (void)state;
    burst_read_t record;
    open_it();
    append(1, 2);
    keep_head();
    copy_ring();
    is_device = 1;
    const int64_t before_ns = platform_monotonic_ns(&platform_linux);
    open_reader();
    for (int waits = 0; waits < 10; waits++) {
        next(&record, LOOKS_NS);
    }
    const int64_t took_ns = platform_monotonic_ns(&platform_linux) - before_ns;
    assert_in_range(asked, 2, 1 + took_ns / SECOND_NS);
}

/* The file that is read, and not the one that has its name by now. */
static void the_writer_of_a_ring_that_was_renamed_is_asked_for(void **state) {
    (void)state;
    char moved[sizeof copy_path + 8];
    int other;
    snprintf(moved, sizeof moved, "%s.moved", copy_path);
    open_it();
    append(1, 2);
    keep_head();
    append(3, 3);
    copy_ring();
    hold();
    open_reader();
    expect(1, 2);
    assert_int_equal(rename(copy_path, moved), 0);
    copy_ring(); /* nobody writes this one */
    expect_nothing();
    other = open(copy_path, O_RDWR);
    assert_int_equal(lock_ring(other), 0);
    let_go();
    expect(3, 3);
    lock_close(other);
}

/* Behind the records of another epoch those of this one are not there any more. */
static void another_epoch_is_noticed_while_somebody_holds_the_ring(void **state) {
    (void)state;
    burst_read_t record;
    open_it();
    append(1, 3);
    keep_head();
    copy_ring();
    hold();
    open_reader();
    expect(1, 2);
    assert_int_equal(burst_close(open_log), 0);
    open_it();
    fill(4, 5000);
    keep_head();
    append(5001, 5020);
    copy_ring();
    int64_t due = 3;
    while (due < 5020) { /* no note proves the last ones, but their headers do */
        if (next(&record, PATIENCE_NS) != 1) {
            fail_msg("record %lld does not come", (long long)due);
        }
        assert_int_equal(record.sequence, due);
        due += (int64_t)record.count;
    }
    expect_nothing();
}

/* It begins the epoch again that the reader knows, and nobody lets go of it meanwhile. */
static void a_ring_put_back_is_noticed_while_somebody_holds_it(void **state) {
    (void)state;
    burst_read_t record = {.struct_bytes = sizeof record};
    size_t bytes;
    open_it();
    append(1, 3);
    assert_int_equal(burst_close(open_log), 0);
    uint8_t *const before = read_ring(&bytes);
    open_it();
    append(4, 5);
    keep_head();
    copy_ring();
    hold();
    open_reader();
    append(6, 9);
    assert_int_equal(burst_close(open_log), 0); /* so that the head has it */
    keep_head();
    copy_ring();
    expect(1, 9);
    const int ring = open(ring_path, O_WRONLY);
    assert_int_equal(write(ring, before, bytes), bytes);
    close(ring);
    free(before);
    open_it();
    keep_head();
    copy_ring();
    assert_int_equal(burst_reader_next(reader, &record, PATIENCE_NS), -EUCLEAN);
    assert_non_null(strstr(burst_last_error(), "the ring was taken back"));
}

static int begin(void **state) {
    const int rc = make_folder(state);
    snprintf(copy_path, sizeof copy_path, "%s/copy", folder);
    seen_holders = "";
    in_read = NULL;
    is_device = sees_all = asked = 0;
    return rc;
}

static int end(void **state) {
    burst_reader_close(reader);
    reader = NULL;
    let_go();
    free(head);
    head = NULL;
    burst_close(open_log);
    open_log = NULL;
    return remove_folder(state);
}

int main(void) {
#define SIGHT_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        SIGHT_TEST(the_last_commit_comes_when_it_is_proven),
        SIGHT_TEST(a_writer_that_cannot_be_seen_may_be_in_the_midst_of_the_last_commit),
        SIGHT_TEST(so_may_one_that_comes_while_the_ring_is_read),
        SIGHT_TEST(so_may_one_of_a_device),
        SIGHT_TEST(who_writes_a_device_is_asked_once_a_second),
        SIGHT_TEST(the_writer_of_a_ring_that_was_renamed_is_asked_for),
        SIGHT_TEST(another_epoch_is_noticed_while_somebody_holds_the_ring),
        SIGHT_TEST(a_ring_put_back_is_noticed_while_somebody_holds_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
