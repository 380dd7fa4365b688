/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on the second copy of an open log. */
#include "log_fixture.h"

static burst_t *copied_log;
static _Atomic int64_t stored;
static _Atomic int confirms;

static burst_t *open_copied(const char *copy) {
    burst_stream_config_t main_stream;
    burst_config_t config;
    burst_stream_config_init(&main_stream);
    main_stream.file_name = file_path;
    burst_config_init(&config);
    config.ring = ring_path;
    config.main = &main_stream;
    config.copy = copy;
    config.durability = BURST_DURABILITY_PROCESS;
    burst_t *log;
    assert_int_equal(burst_open(&config, &log), 0);
    return log;
}

static void begin(burst_t *log, int64_t last, uint32_t epoch) {
    burst_copy_begun_t begun = {.struct_bytes = sizeof begun};
    assert_int_equal(burst_copy_begin(log, last, epoch, 0, &begun), 0);
    assert_int_equal(begun.next_sequence, last + 1);
    assert_int_equal(begun.missing + begun.surplus, 0);
}

/* Takes until the log is closed. */
static void *copier(void *argument) {
    static uint8_t room[1 << 16];
    burst_copy_block_t block = {.struct_bytes = sizeof block};
    int rc;
    while ((rc = burst_copy_take(copied_log, room, sizeof room, -1, &block)) == 1) {
        atomic_store(&stored, block.last_sequence);
        if (atomic_load(&confirms) && burst_copy_confirm(copied_log, block.last_sequence) < 0) {
            return (void *)"a confirmation was refused";
        }
    }
    return rc == -ESHUTDOWN ? argument : (void *)"a take failed";
}

static pthread_t start_copier(void) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, copier, NULL), 0);
    return thread;
}

static void end_copier(pthread_t thread) {
    void *error;
    pthread_join(thread, &error);
    assert_null(error);
}

static void a_call_returns_when_ring_and_copy_have_its_record(void **state) {
    (void)state;
    atomic_store(&confirms, 1);
    copied_log = open_copied("B");
    begin(copied_log, 0, 0);
    assert_int_equal(burst_copied_sequence(copied_log), 0);
    pthread_t thread = start_copier();
    for (int i = 0; i < 2000; i++) {
        const int64_t sequence = burst_append(copied_log, "record", 6, 0);
        assert_int_equal(burst_await_copied(copied_log, sequence, PATIENCE_NS), 1);
        assert_true(atomic_load(&stored) >= sequence && burst_copied_sequence(copied_log) >= sequence);
    }
    assert_int_equal(burst_await_copied(copied_log, 0, 0), 1);
    assert_int_equal(burst_await_copied(copied_log, -1, 0), -EINVAL);
    assert_int_equal(burst_close(copied_log), 0);
    end_copier(thread);
    assert_int_equal(burst_copied_sequence(copied_log), -ESHUTDOWN);
}

static void a_close_waits_for_the_copy_within_its_time(void **state) {
    (void)state;
    atomic_store(&confirms, 0);
    copied_log = open_copied("B");
    begin(copied_log, 0, 0);
    pthread_t thread = start_copier();
    assert_int_equal(burst_append(copied_log, "record", 6, 0), 1);
    assert_int_equal(burst_await_copied(copied_log, 1, SECOND_NS / 100), 0);
    assert_int_equal(burst_close_within(copied_log, 3 * SECOND_NS), 1);
    end_copier(thread);
    atomic_store(&confirms, 1);
    copied_log = open_copied("B");
    assert_int_equal(burst_enqueue(copied_log, "record", 6, 0), 2);
    begin(copied_log, 0, 0); /* the copy had not stored the first record */
    thread = start_copier();
    assert_int_equal(burst_close_within(copied_log, PATIENCE_NS), 0);
    end_copier(thread);
    assert_int_equal(atomic_load(&stored), 2);
}

static void a_close_waits_for_no_copy_that_never_began(void **state) {
    (void)state;
    copied_log = open_copied("B");
    assert_int_equal(burst_append(copied_log, "record", 6, 0), 1);
    assert_int_equal(burst_close_within(copied_log, -1), 1);
    copied_log = open_copied("B");
    assert_int_equal(burst_copy_away(copied_log), 0);
    assert_int_equal(burst_close_within(copied_log, -1), 0);
}

static burst_stats_t stats(const burst_t *log) {
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    assert_int_equal(burst_stats(log, &stats), 0);
    return stats;
}

static void the_figures_tell_of_the_copy(void **state) {
    (void)state;
    atomic_store(&confirms, 1);
    copied_log = open_copied("B");
    assert_int_equal(burst_append(copied_log, "record", 6, 0), 1);
    assert_int_equal(stats(copied_log).copy.state, BURST_COPY_EXPECTED);
    assert_int_equal(stats(copied_log).copy.records_behind, 1);
    begin(copied_log, 0, 0);
    assert_int_equal(burst_await_copied(copied_log, 1, 0), 0);
    assert_int_equal(burst_await_copied(copied_log, 1, SECOND_NS / 10), 0); /* the first one did not wait */
    assert_int_equal(stats(copied_log).stages[BURST_STAGE_COPY_WAIT].count, 1);
    assert_true(stats(copied_log).stages[BURST_STAGE_COPY_WAIT].max_ns >= SECOND_NS / 100);
    pthread_t thread = start_copier();
    assert_int_equal(burst_await_copied(copied_log, 1, PATIENCE_NS), 1);
    assert_int_equal(burst_await_copied(copied_log, 1, PATIENCE_NS), 1);
    assert_in_range(stats(copied_log).stages[BURST_STAGE_COPY_WAIT].count, 1, 2);
    assert_int_equal(stats(copied_log).copy.state, BURST_COPY_HERE);
    assert_int_equal(burst_close(copied_log), 0);
    end_copier(thread);
    const burst_copy_stats_t last = stats(copied_log).copy;
    assert_string_equal(last.name, "B");
    assert_int_equal(last.copied_sequence, 1);
    assert_int_equal(last.records_behind, 0);
    assert_int_equal(last.records_missing, 0);
}

static void a_log_without_a_copy_has_none(void **state) {
    (void)state;
    burst_copy_begun_t begun = {.struct_bytes = sizeof begun};
    burst_copy_block_t block = {.struct_bytes = sizeof block};
    char room[64];
    burst_t *log = open_copied("");
    assert_int_equal(burst_append(log, "record", 6, 0), 1);
    assert_int_equal(stats(log).copy.state, BURST_COPY_NONE);
    assert_int_equal(stats(log).copy.records_behind, 0);
    assert_int_equal(burst_copy_begin(log, 0, 0, 0, &begun), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "has no second copy: open it with burst_config_t.copy"));
    assert_int_equal(burst_copy_take(log, room, sizeof room, 0, &block), -EINVAL);
    assert_int_equal(burst_copy_confirm(log, 1), -EINVAL);
    assert_int_equal(burst_copy_away(log), -EINVAL);
    assert_int_equal(burst_copied_sequence(log), -EINVAL);
    assert_int_equal(burst_await_copied(log, 1, 0), -EINVAL);
    assert_int_equal(burst_close(log), 0);
}

static void *await_first(void *argument) {
    static char sentence[BURST_TEXT_BYTES];
    (void)argument;
    const int rc = burst_await_copied(copied_log, 1, -1);
    snprintf(sentence, sizeof sentence, "%d: %s", rc, burst_last_error());
    return sentence;
}

static void a_call_that_waits_for_the_copy_returns_at_a_close(void **state) {
    (void)state;
    pthread_t thread;
    void *sentence;
    copied_log = open_copied("B");
    begin(copied_log, 0, 0);
    assert_int_equal(burst_append(copied_log, "record", 6, 0), 1);
    assert_int_equal(pthread_create(&thread, NULL, await_first, NULL), 0);
    assert_int_not_equal(burst_close_within(copied_log, SECOND_NS / 2), 0); /* the record stays in the ring */
    pthread_join(thread, &sentence);
    assert_memory_equal(sentence, "-108: the log on ring ", 22); /* -ESHUTDOWN */
    assert_non_null(strstr(sentence, "ring is closed"));
    assert_int_equal(burst_await_copied(copied_log, 1, -1), -ESHUTDOWN);
    assert_non_null(strstr(burst_last_error(), "ring is closed"));
}

/* Returns how many calls of a forked child were not refused: there no assertion can report. */
static int calls_of_child(void) {
    burst_copy_begun_t begun = {.struct_bytes = sizeof begun};
    burst_copy_block_t block = {.struct_bytes = sizeof block};
    char room[64];
    const int64_t codes[] = {burst_await_copied(copied_log, 1, -1),
                             burst_copied_sequence(copied_log),
                             burst_copy_begin(copied_log, 0, 0, 0, &begun),
                             burst_copy_take(copied_log, room, sizeof room, -1, &block),
                             burst_copy_confirm(copied_log, 0),
                             burst_copy_away(copied_log)};
    int wrong = strstr(burst_last_error(), "belongs to the parent of this forked process") == NULL;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        wrong += codes[i] != -EOWNERDEAD;
    }
    return wrong;
}

static void a_forked_child_has_no_copy(void **state) {
    (void)state;
    int status;
    copied_log = open_copied("B");
    begin(copied_log, 0, 0);
    assert_int_equal(burst_append(copied_log, "record", 6, 0), 1);
    const pid_t child = fork();
    if (child == 0) {
        _exit(calls_of_child());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    atomic_store(&confirms, 1);
    pthread_t thread = start_copier();
    assert_int_equal(burst_await_copied(copied_log, 1, PATIENCE_NS), 1);
    assert_int_equal(burst_close(copied_log), 0);
    end_copier(thread);
}

static int ends_with(const char *text, const char *end) {
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static void a_stream_has_the_name_that_it_was_opened_with(void **state) {
    (void)state;
    char name[BURST_PATH_BYTES], audit_path[BURST_PATH_BYTES], orders_path[BURST_PATH_BYTES];
    burst_stream_config_t config;
    burst_stream_t *orders, *audit;
    burst_stream_stats_t orders_stats = {.struct_bytes = sizeof orders_stats}, audit_stats = orders_stats;
    snprintf(audit_path, sizeof audit_path, "%s.audit", file_path);
    burst_stream_config_init(&config);
    copied_log = open_copied("B");
    config.file_name = audit_path;
    assert_int_equal(burst_stream_open(copied_log, &config, &audit), 0);
    snprintf(orders_path, sizeof orders_path, "%s.orders", file_path);
    config.name = "orders";
    config.file_name = orders_path;
    assert_int_equal(burst_stream_open(copied_log, &config, &orders), 0);
    assert_int_equal(burst_stream_stats(orders, &orders_stats), 0);
    assert_int_equal(burst_stream_stats(audit, &audit_stats), 0);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(burst_copy_stream(copied_log, 0, name, sizeof name), 0);
        assert_true(name[0] == '/' && ends_with(name, file_path));
        assert_int_equal(burst_copy_stream(copied_log, audit_stats.id, name, sizeof name), 0);
        assert_true(name[0] == '/' && ends_with(name, audit_path));
        assert_int_equal(burst_copy_stream(copied_log, orders_stats.id, name, sizeof name), 0);
        assert_string_equal(name, "orders");
        assert_int_equal(burst_close(copied_log), 0);
        copied_log = open_copied("B"); /* opens the main stream alone */
    }
    assert_int_equal(burst_copy_stream(copied_log, 63, name, sizeof name), -ENOENT);
    assert_true(ends_with(burst_last_error(), "has no stream with the number 63"));
    assert_int_equal(burst_copy_stream(copied_log, 64, name, sizeof name), -ENOENT);
    assert_string_equal(name, "");
    assert_int_equal(burst_close(copied_log), 0);
}

/* A stream without a name, whose file another one has, still has records for the copy. */
static void a_stream_whose_file_another_one_took_over_has_its_number(void **state) {
    (void)state;
    char name[BURST_PATH_BYTES], path[BURST_PATH_BYTES];
    burst_stream_config_t config;
    burst_stream_t *nameless, *orders;
    snprintf(path, sizeof path, "%s.orders", file_path);
    burst_stream_config_init(&config);
    config.file_name = path;
    copied_log = open_copied("B");
    assert_int_equal(burst_stream_open(copied_log, &config, &nameless), 0);
    assert_int_equal(burst_stream_append(nameless, "1", 1, 0), 1);
    assert_int_equal(burst_stream_close(nameless, 0), 0);
    config.name = "orders";
    assert_int_equal(burst_stream_open(copied_log, &config, &orders), 0);
    assert_int_equal(burst_copy_stream(copied_log, 1, name, sizeof name), 0);
    assert_true(ends_with(name, path));
    assert_int_equal(burst_close_within(copied_log, -1), 1); /* the ring keeps it for the copy */
    copied_log = open_copied("B");
    assert_int_equal(burst_copy_stream(copied_log, 1, name, sizeof name), 0);
    assert_string_equal(name, "stream 1");
    assert_int_equal(burst_copy_stream(copied_log, 2, name, sizeof name), 0);
    assert_string_equal(name, "orders");
    assert_int_equal(burst_close_within(copied_log, -1), 1);
}

static void structs_of_another_size_are_refused(void **state) {
    (void)state;
    burst_copy_begun_t begun = {.struct_bytes = 1};
    burst_copy_block_t block = {.struct_bytes = 0};
    copied_log = open_copied("B");
    assert_int_equal(burst_copy_begin(copied_log, 0, 0, 0, &begun), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "set struct_bytes"));
    assert_int_equal(burst_copy_take(copied_log, &block, sizeof block, 0, &block), -EINVAL);
    begun.struct_bytes = sizeof begun;
    assert_int_equal(burst_copy_begin(copied_log, -1, 0, 0, &begun), -EINVAL);
    assert_int_equal(burst_copy_begin(copied_log, 0, 0, -1, &begun), -EINVAL);
    assert_int_equal(burst_copy_confirm(copied_log, -1), -EINVAL);
    assert_int_equal(burst_close(copied_log), 0);
}

static void a_drain_of_another_process_takes_no_copy(void **state) {
    (void)state;
    burst_config_t config;
    burst_config_init(&config);
    config.ring = ring_path;
    config.window = folder;
    config.drain = BURST_DRAIN_EXTERNAL;
    config.copy = "B";
    assert_int_equal(burst_config_check(&config), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "cannot be used with drain=external"));
    config.copy = "";
    assert_int_equal(burst_config_check(&config), 0);
}

static void a_name_that_is_too_long_is_refused(void **state) {
    (void)state;
    char name[BURST_COPY_NAME_BYTES + 1];
    burst_config_t config;
    burst_config_init(&config);
    config.ring = ring_path;
    memset(name, 'c', sizeof name);
    name[BURST_COPY_NAME_BYTES - 1] = '\0';
    config.copy = name;
    assert_int_equal(burst_config_check(&config), 0);
    name[BURST_COPY_NAME_BYTES - 1] = 'c';
    name[BURST_COPY_NAME_BYTES] = '\0';
    assert_int_equal(burst_config_check(&config), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "has 124 bytes: at most 123"));
}

#define COPY_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        COPY_TEST(a_call_returns_when_ring_and_copy_have_its_record),
        COPY_TEST(a_close_waits_for_the_copy_within_its_time),
        COPY_TEST(a_close_waits_for_no_copy_that_never_began),
        COPY_TEST(the_figures_tell_of_the_copy),
        COPY_TEST(a_name_that_is_too_long_is_refused),
        COPY_TEST(a_log_without_a_copy_has_none),
        COPY_TEST(a_call_that_waits_for_the_copy_returns_at_a_close),
        COPY_TEST(a_forked_child_has_no_copy),
        COPY_TEST(a_stream_has_the_name_that_it_was_opened_with),
        COPY_TEST(a_stream_whose_file_another_one_took_over_has_its_number),
        COPY_TEST(structs_of_another_size_are_refused),
        COPY_TEST(a_drain_of_another_process_takes_no_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
