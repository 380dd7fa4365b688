/* SPDX-License-Identifier: Apache-2.0 */
/* Writers and readers in narrow places: 64 MB of shared memory, a user namespace, no locked memory, a limit of memory, and a
 * writer that forks. It works, or one sentence says why not. */
#include "harness/readers/places.h"

#include <sys/prctl.h>
#include <sys/resource.h>

static void write_and_read(uint64_t ring_bytes, uint32_t place) {
    terms.ring_bytes = ring_bytes;
    struct writer writer = start_writer();
    burst_reader_t *reader = must_open_reader(ring_path, NULL);
    must_read(reader, 1, RECORDS, place);
    write_more(&writer);
    must_read(reader, RECORDS + 1, 2 * RECORDS, place);
    burst_reader_close(reader);
    end_writer(&writer);
}

/* The window is larger than all of /dev/shm. */
static void with_little_shared_memory(void) {
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("shm", "/dev/shm", "tmpfs", 0, "size=64m") < 0 || mkdir("/dev/shm/full", 0700) < 0) {
        SKIP_HERE("a mount namespace");
    }
    MUST(system("head -c 64m /dev/zero >/dev/shm/full/file 2>/dev/null; true") == 0);
    write_and_read(96 << 20, BURST_PLACE_RING);
}

static void a_window_takes_none_of_dev_shm(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    snprintf(folder, sizeof folder, "burst-readers-XXXXXX"); /* not below /dev/shm, which is another one then */
    assert_non_null(mkdtemp(folder));
    snprintf(ring_path, sizeof ring_path, "%s/ring", folder);
    snprintf(file_path, sizeof file_path, "%s/log", folder);
    assert_ends_well(run_in_child(with_little_shared_memory));
}

static void in_a_user_namespace(void) {
    char map[64];
    const unsigned user = geteuid();
    if (user == 0) { /* as an ordinary user does it */
        MUST(chown(folder, GUEST, GUEST) == 0);
        become_guest(GUEST);
        prctl(PR_SET_DUMPABLE, 1); /* else its files in /proc are root's */
    }
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) {
        SKIP_HERE("a user namespace");
    }
    const int fd = open("/proc/self/uid_map", O_WRONLY);
    snprintf(map, sizeof map, "0 %u 1", user == 0 ? GUEST : user);
    if (fd < 0 || write(fd, map, strlen(map)) < 0) {
        SKIP_HERE("a map of users");
    }
    close(fd);
    write_and_read(2 << 20, BURST_PLACE_RING);
}

static void a_user_namespace_is_enough(void **state) {
    (void)state;
    assert_ends_well(run_in_child(in_a_user_namespace));
}

static void without_locked_memory(void) {
    const struct rlimit none = {0, 0};
    if (geteuid() == 0) {
        MUST(chown(folder, GUEST, GUEST) == 0);
        become_guest(GUEST);
    }
    MUST(setrlimit(RLIMIT_MEMLOCK, &none) == 0);
    write_and_read(16 << 20, BURST_PLACE_RING);
}

static void memory_that_may_not_be_locked_is_used(void **state) {
    (void)state;
    assert_ends_well(run_in_child(without_locked_memory));
}

static void with_little_memory(void) {
    const struct rlimit limit = {192 << 20, 192 << 20};
    burst_t *log = NULL;
    MUST(setrlimit(RLIMIT_AS, &limit) == 0);
    terms.ring_bytes = 512ull << 20;
    MUST(open_log(&terms, &log) == -ENOMEM && log == NULL);
    MUST(strstr(burst_last_error(), "no memory") != NULL);
    char command[300];
    snprintf(command, sizeof command, "rm -f %s/ring", folder);
    MUST(system(command) == 0);
    write_and_read(16 << 20, BURST_PLACE_RING);
}

static void a_limit_of_memory_gives_a_sentence_or_a_window(void **state) {
    (void)state;
    assert_ends_well(run_in_child(with_little_memory));
}

/* The child keeps listener and memory; a reader that comes later, and one that has the child's window, find the parent's
 * next log. */
static void fork_and_go_on(void) {
    burst_t *log = must_open_log();
    append_to(log, RECORDS);
    burst_reader_t *reader = must_open_reader(ring_path, NULL);
    must_read(reader, 1, RECORDS, BURST_PLACE_RING);
    const pid_t child = fork();
    if (child == 0) {
        pause();
    }
    append_to(log, 2 * RECORDS);
    must_read(reader, RECORDS + 1, 2 * RECORDS, BURST_PLACE_RING);
    const int64_t closed = burst_close(log);
    MUST(closed == 0);
    burst_t *next = NULL;
    const int rc = open_log(&terms, &next);
    if (rc == -EBUSY) { /* the lock of the ring is the child's, too */
        MUST(strstr(burst_last_error(), "end that process (or the child that it forked)") != NULL ||
             strstr(burst_last_error(), "is held") != NULL);
        fprintf(stderr, "while the child lives: %s\n", burst_last_error());
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        MUST(open_log(&terms, &next) == 0);
    }
    append_to(next, 3 * RECORDS);
    must_read(reader, 2 * RECORDS + 1, 3 * RECORDS, BURST_PLACE_RING);
    burst_reader_close(reader);
    reader = must_open_reader(ring_path, NULL);
    burst_reader_state_t state = {.struct_bytes = sizeof state};
    MUST(burst_reader_state(reader, &state) == 0 && state.durable_sequence == 3 * RECORDS);
    burst_reader_close(reader);
    kill(child, SIGKILL);
    MUST(burst_close(next) == 0);
}

static void a_child_of_the_writer_is_not_taken_for_it(void **state) {
    (void)state;
    assert_ends_well(run_in_child(fork_and_go_on));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PLACE(a_window_takes_none_of_dev_shm),
        PLACE(a_user_namespace_is_enough),
        PLACE(memory_that_may_not_be_locked_is_used),
        PLACE(a_limit_of_memory_gives_a_sentence_or_a_window),
        PLACE(a_child_of_the_writer_is_not_taken_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
