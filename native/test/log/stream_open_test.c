/* SPDX-License-Identifier: Apache-2.0 */
/* A stream that is being opened while its log is closed. */
#include <dirent.h>

#include "log/log.h"
#include "streams_fixture.h"

static burst_t *closing;       /* the log whose close overtakes an open; NULL: none does */
static _Atomic int is_at_hand; /* the drain has opened the stream, and the thread that asked for it stands still */

/* The linker puts __wrap_ in place of the function (--wrap). The caller goes on when the close has let go of all streams,
 * and waits for the calls that are inside. */
const struct stream_answer *__real_requests_answer(const struct requests *requests,
                                                   const struct request_ticket *ticket);
const struct stream_answer *__wrap_requests_answer(const struct requests *requests,
                                                   const struct request_ticket *ticket);
const struct stream_answer *__wrap_requests_answer(const struct requests *requests,
                                                   const struct request_ticket *ticket) {
    const struct stream_answer *answer = __real_requests_answer(requests, ticket);
    if (answer != NULL && closing != NULL) {
        atomic_store(&is_at_hand, 1);
        while (!atomic_load(&closing->users.is_gone)) {
            sched_yield();
        }
    }
    return answer;
}

static int threads_named(const char *name) {
    char path[300], found[32];
    int count = 0;
    DIR *threads = opendir("/proc/self/task");
    assert_non_null(threads);
    for (const struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "re");
        count += file != NULL && fgets(found, sizeof found, file) != NULL && strncmp(found, name, strlen(name)) == 0;
        if (file != NULL) {
            fclose(file);
        }
    }
    closedir(threads);
    return count;
}

static void *open_rolling_stream(void *log) {
    burst_stream_config_t config = stream_config("late", paths[0]);
    burst_rolling_t rolling;
    burst_stream_t *stream;
    char pattern[sizeof folder + 16];
    burst_rolling_init(&rolling);
    snprintf(pattern, sizeof pattern, "%s/rolled-%%i", folder);
    rolling.pattern = pattern;
    rolling.size_bytes = 1000;
    config.rolling = &rolling;
    const intptr_t rc = burst_stream_open(log, &config, &stream);
    return (void *)(rc < 0 && strstr(burst_last_error(), "was closed while log file") == NULL ? -EPROTO : rc);
}

/* Its thread burst-roll ends, too: nothing would ask it to after the close. */
static void a_stream_that_comes_behind_the_close_is_refused(void **state) {
    (void)state;
    burst_t *log = open_small();
    pthread_t opener;
    void *rc;
    closing = log;
    assert_int_equal(pthread_create(&opener, NULL, open_rolling_stream, log), 0);
    while (!atomic_load(&is_at_hand)) {
        sched_yield();
    }
    assert_int_equal(burst_close_within(log, PATIENCE_NS), 0);
    closing = NULL;
    assert_int_equal(pthread_join(opener, &rc), 0);
    assert_int_equal((intptr_t)rc, -ESHUTDOWN);
    while (threads_named("burst-roll") > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    log = open_small();
    append(open_stream(log, "late", paths[0]), "o1 ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "o1 ");
}

int main(void) {
    const struct CMUnitTest tests[] = {STREAMS_TEST(a_stream_that_comes_behind_the_close_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
