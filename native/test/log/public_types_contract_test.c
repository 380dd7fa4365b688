/* SPDX-License-Identifier: Apache-2.0 */
/* The promises of burstlog.h about arguments: sizes of structs, room for texts, limits of numbers, defaults. */
#include "log_fixture.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>

#include "log/log.h"

typedef int64_t (*give_text)(burst_t *log, char *text, size_t room);

static int64_t give_failure(burst_t *log, char *text, size_t room) {
    return burst_failure(log, text, room);
}

static int64_t give_recovery(burst_t *log, char *text, size_t room) {
    return burst_recovery_statement(log, text, room);
}

static int64_t give_durability(burst_t *log, char *text, size_t room) {
    return burst_durability_statement(log, text, room);
}

static int64_t give_file(burst_t *log, char *text, size_t room) {
    return burst_current_file(log, text, room);
}

static void assert_cut_to_its_room(burst_t *log, give_text give) {
    char whole[BURST_PATH_BYTES], cut[BURST_PATH_BYTES];
    memset(whole, 'x', sizeof whole);
    const int64_t rc = give(log, whole, sizeof whole);
    const size_t length = strnlen(whole, sizeof whole);
    assert_true(length < sizeof whole);
    for (size_t room = 1; room <= length + 1; room++) {
        memset(cut, 'x', sizeof cut);
        assert_int_equal(give(log, cut, room), rc);
        assert_memory_equal(cut, whole, room - 1);
        assert_int_equal(cut[room - 1], '\0');
        assert_int_equal(cut[room], 'x');
    }
}

static void every_text_is_cut_to_its_room_and_terminated_on_an_open_log_and_a_closed_one(void **state) {
    (void)state;
    burst_t *log = open_small();
    for (int closed = 0; closed < 2; closed++) {
        assert_cut_to_its_room(log, give_failure);
        assert_cut_to_its_room(log, give_recovery);
        assert_cut_to_its_room(log, give_durability);
        assert_cut_to_its_room(log, give_file);
        if (!closed) {
            assert_int_equal(burst_close(log), 0);
        }
    }
}

static void figures_that_only_a_newer_header_has_are_zero(void **state) {
    (void)state;
    static const uint8_t zeros[64];
    struct {
        burst_stats_t known;
        uint8_t newer[sizeof zeros];
    } stats;
    burst_t *log = open_small();
    memset(&stats, 0xff, sizeof stats);
    stats.known.struct_bytes = sizeof stats;
    assert_int_equal(burst_stats(log, &stats.known), 0);
    assert_int_equal(stats.known.struct_bytes, sizeof stats);
    assert_memory_equal(stats.newer, zeros, sizeof zeros);
    burst_close(log);
}

static void a_closed_log_names_the_file_that_it_wrote(void **state) {
    (void)state;
    char before[BURST_PATH_BYTES], after[BURST_PATH_BYTES];
    burst_t *log = open_small();
    assert_int_equal(burst_current_file(log, before, sizeof before), 0);
    assert_non_null(strstr(before, file_path));
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(burst_current_file(log, after, sizeof after), 0);
    assert_string_equal(after, before);
}

static void a_ring_that_has_not_failed_gives_no_reason(void **state) {
    (void)state;
    burst_t *log = open_small();
    char text[16] = "something";
    assert_int_equal(burst_failure(log, text, sizeof text), 0);
    assert_string_equal(text, "");
    burst_close(log);
}

static void a_struct_of_another_size_is_refused_and_left_alone(void **state) {
    (void)state;
    burst_t *log = open_small();
    burst_event_t event, event_before;
    static burst_histogram_t histogram, histogram_before;
    const int off[] = {-1, 1, INT_MIN / 2};
    for (int i = 0; i < 3; i++) {
        memset(&event, 'e', sizeof event);
        event.struct_bytes = (uint32_t)sizeof event + (uint32_t)off[i];
        event_before = event;
        assert_int_equal(burst_next_event(log, &event, 0), -EINVAL);
        assert_memory_equal(&event, &event_before, sizeof event);
        memset(&histogram, 'h', sizeof histogram);
        histogram.struct_bytes = (uint32_t)sizeof histogram + (uint32_t)off[i];
        histogram_before = histogram;
        assert_int_equal(burst_stage_histogram(log, 0, &histogram), -EINVAL);
        assert_memory_equal(&histogram, &histogram_before, sizeof histogram);
    }
    burst_close(log);
}

static void what_a_closed_log_had_to_tell_is_heard_before_its_end(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_int_equal(burst_close(log), 0);
    burst_event_t event = {.struct_bytes = sizeof event};
    assert_int_equal(burst_next_event(log, &event, -1), 1);
    assert_non_null(strstr(event.text, "opened: "));
    while (burst_next_event(log, &event, -1) == 1) {
    }
    assert_int_equal(burst_next_event(log, &event, -1), -ESHUTDOWN);
}

/* The configuration of a caller whose newer header has more fields than this library knows. */
static union {
    burst_config_t config;
    uint8_t bytes[sizeof(burst_config_t) + 64];
} newer;

static void a_newer_header_is_taken_as_long_as_what_is_not_known_here_is_zero(void **state) {
    (void)state;
    burst_t *log = NULL;
    memset(&newer, 0, sizeof newer);
    newer.config = small_config();
    newer.config.struct_bytes = sizeof newer;
    log = open_with(&newer.config);
    assert_int_equal(burst_close(log), 0);
    const size_t places[] = {sizeof(burst_config_t), sizeof newer - 1};
    for (int i = 0; i < 2; i++) {
        newer.bytes[places[i]] = 1;
        assert_refused(&newer.config, EINVAL, "caller's header");
        newer.bytes[places[i]] = 0;
    }
    newer.config.struct_bytes = sizeof(burst_config_t);
    newer.bytes[sizeof(burst_config_t)] = 1; /* not the caller's */
    assert_int_equal(burst_close(open_with(&newer.config)), 0);
}

static void each_limit_is_allowed_and_what_is_beyond_it_refused(void **state) {
    (void)state;
    burst_config_t config = small_config();
    const uint64_t quarter = (config.ring_bytes - LAYOUT_DATA_OFFSET) / 4 - RECORD_HEADER_BYTES;
    config.max_record_bytes = quarter;
    burst_t *log = open_with(&config);
    assert_int_equal(stats_of(log).max_record_bytes, quarter);
    char *record = calloc(1, quarter + 1);
    memset(record, 'q', quarter + 1);
    assert_int_equal(burst_append(log, record, quarter, 0), 1);
    assert_int_equal(burst_append(log, record, quarter + 1, 0), -EMSGSIZE);
    free(record);
    burst_close(log);
    config.max_record_bytes = quarter + 1;
    assert_refused(&config, EINVAL, "a quarter of");
    config = small_config();
    config.ring_bytes--;
    assert_refused(&config, EINVAL, "2097152");
    config = small_config();
    config.batch_delay_ns = SECOND_NS;
    burst_close(open_with(&config));
    config.batch_delay_ns = SECOND_NS + 1;
    assert_refused(&config, EINVAL, "batch");
    config = small_config();
    main_config.block_timeout_ns = config.drain_interval_ns = config.shutdown_timeout_ns = INT64_MAX;
    burst_close(open_with(&config));
    uint64_t *const times[] = {&main_config.block_timeout_ns, &config.drain_interval_ns, &config.shutdown_timeout_ns};
    for (int i = 0; i < 3; i++) {
        config = small_config();
        *times[i] = (uint64_t)INT64_MAX + 1;
        assert_refused(&config, EINVAL, "");
    }
}

static void a_name_leaves_room_for_the_number_of_another_file(void **state) {
    (void)state;
    burst_config_t config = small_config();
    char path[512];
    snprintf(path, sizeof path, "%s/%0230d", folder, 7);
    main_config.file_name = path;
    burst_close(open_with(&config));
    snprintf(path, sizeof path, "%s/%0231d", folder, 7);
    assert_refused(&config, EINVAL, "230");
}

static void a_ring_is_not_its_own_log_file_under_whatever_name(void **state) {
    (void)state;
    burst_config_t config = small_config();
    main_config.file_name = config.ring;
    assert_refused(&config, EINVAL, "same file");
    burst_close(open_small());
    char path[256];
    snprintf(path, sizeof path, "%s/second-name", folder);
    assert_int_equal(link(ring_path, path), 0);
    main_config.file_name = path;
    assert_refused(&config, EINVAL, "same file");
    snprintf(path, sizeof path, "%s/link", folder);
    assert_int_equal(symlink("ring", path), 0);
    assert_refused(&config, EINVAL, "same file");
}

static void zero_means_the_defaults_of_the_header(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.drain_interval_ns = config.shutdown_timeout_ns = 0;
    burst_t *log = open_with(&config);
    assert_int_equal(log->threads.settings.drain_interval_ns, SECOND_NS / 10);
    assert_int_equal(log->threads.settings.batch_delay_ns, 0);
    assert_int_equal(log->shutdown_timeout_ns, 10 * SECOND_NS);
    assert_true(log->main.rule.timeout_ns < 0); /* none */
    assert_int_equal(log->main.rule.on_full, BURST_ON_FULL_BLOCK);
    burst_close(log);
    remove_folder(NULL);
    make_folder(NULL);
    config = small_config();
    config.ring_bytes = 0;
    log = open_with(&config);
    assert_int_equal(stats_of(log).capacity_bytes, (16 << 20) - LAYOUT_DATA_OFFSET);
    assert_int_equal(stats_of(log).max_record_bytes, 1 << 20);
    burst_close(log);
}

/* The blocked signals of this process's thread with this name, as the kernel shows them. */
static unsigned long long blocked_in(const char *name) {
    char path[300], line[256];
    unsigned long long blocked = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; blocked == 0 && (task = readdir(tasks)) != NULL;) {
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = fopen(path, "r");
        int is_it = 0;
        while (status != NULL && fgets(line, sizeof line, status) != NULL) {
            is_it |= strncmp(line, "Name:", 5) == 0 && strstr(line, name) != NULL;
            if (is_it && sscanf(line, "SigBlk: %llx", &blocked) == 1) {
                break;
            }
        }
        if (status != NULL) {
            fclose(status);
        }
    }
    closedir(tasks);
    return blocked;
}

static void signals_are_the_applications(void **state) {
    (void)state;
    sigset_t before, after, one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &one, &before);
    burst_t *log = open_small();
    const char *const names[] = {"burst-drain", "burst-commit"};
    /* Both threads have worked: in a new thread all signals are still blocked. */
    assert_int_equal(burst_enqueue(log, "record\n", 7, 0), 1);
    for (int i = 0; i < 12000 && burst_durable_sequence(log) < 1; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    for (int i = 0; i < 2; i++) {
        const unsigned long long blocked = blocked_in(names[i]);
        for (int number = 1; number < 32; number++) {
            const int may_come = number == SIGBUS || number == SIGKILL || number == SIGSTOP;
            if ((blocked >> (number - 1) & 1) == (unsigned long long)may_come) {
                fail_msg("%s: signal %d, blocked are %llx", names[i], number, blocked);
            }
        }
    }
    burst_close(log);
    pthread_sigmask(SIG_SETMASK, &before, &after);
    assert_int_equal(sigismember(&after, SIGUSR2), 1);
    assert_int_equal(sigismember(&after, SIGTERM), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_text_is_cut_to_its_room_and_terminated_on_an_open_log_and_a_closed_one),
        TEST(figures_that_only_a_newer_header_has_are_zero),
        TEST(a_closed_log_names_the_file_that_it_wrote),
        TEST(a_ring_that_has_not_failed_gives_no_reason),
        TEST(a_struct_of_another_size_is_refused_and_left_alone),
        TEST(what_a_closed_log_had_to_tell_is_heard_before_its_end),
        TEST(a_newer_header_is_taken_as_long_as_what_is_not_known_here_is_zero),
        TEST(each_limit_is_allowed_and_what_is_beyond_it_refused),
        TEST(a_name_leaves_room_for_the_number_of_another_file),
        TEST(a_ring_is_not_its_own_log_file_under_whatever_name),
        TEST(zero_means_the_defaults_of_the_header),
        TEST(signals_are_the_applications),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
