/* SPDX-License-Identifier: Apache-2.0 */
/* A reader has read rights alone, and neither what it lacks nor what it does with them disturbs the log: a read-only mount,
 * another user, a socket that is deleted, a reader that is stopped, and readers that lock what they can. */
#include "harness/readers/places.h"

#include <sys/file.h>

static void read_only(void) {
    char mounted[300], ring[320];
    snprintf(mounted, sizeof mounted, "%s/mounted", folder);
    snprintf(ring, sizeof ring, "%s/ring", mounted);
    struct writer writer = start_writer();
    MUST(mkdir(mounted, 0700) == 0);
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount(folder, mounted, NULL, MS_BIND, NULL) < 0 ||
        mount(NULL, mounted, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) < 0) {
        SKIP_HERE("a mount namespace");
    }
    MUST(open(ring, O_RDWR) < 0 && errno == EROFS);
    burst_reader_t *with_window = must_open_reader(ring, NULL);
    burst_reader_t *medium = must_open_reader(ring, "");
    must_read(with_window, 1, RECORDS, BURST_PLACE_RING);
    write_more(&writer);
    must_read(with_window, RECORDS + 1, 2 * RECORDS, BURST_PLACE_RING);
    end_writer(&writer);
    must_read(medium, 1, 2 * RECORDS, BURST_PLACE_MEDIUM);
    burst_reader_close(with_window);
    burst_reader_close(medium);
}

static void a_read_only_mount_is_enough(void **state) {
    (void)state;
    assert_ends_well(run_in_child(read_only));
}

static void read_as_member_of_the_group(void) {
    become_guest(GUEST);
    MUST(open(ring_path, O_RDWR) < 0 && errno == EACCES);
    burst_reader_t *reader = must_open_reader(ring_path, NULL);
    must_read(reader, 1, RECORDS, BURST_PLACE_RING);
    burst_reader_close(reader);
    reader = must_open_reader(ring_path, "");
    must_read(reader, 1, RECORDS / 2, BURST_PLACE_MEDIUM); /* the last commit may not be proven yet */
    burst_reader_close(reader);
}

static void read_as_anybody(void) {
    burst_reader_t *reader;
    char socket[320];
    snprintf(socket, sizeof socket, "sh -c 'ls %s/*.window'", folder);
    FILE *listing = popen(socket, "r");
    MUST(listing != NULL && fgets(socket, sizeof socket, listing) != NULL);
    pclose(listing);
    socket[strcspn(socket, "\n")] = '\0';
    become_guest(GUEST + 1);
    MUST(try_reader(ring_path, NULL, &reader) == -EACCES);
    MUST(strstr(burst_last_error(), "cannot be opened") != NULL);
    MUST(try_reader(socket, NULL, &reader) == -EACCES);
    MUST(strstr(burst_last_error(), socket) != NULL);
}

static void be_read_by_others(void) {
    if (geteuid() != 0) {
        errno = EPERM;
        SKIP_HERE("root, which becomes another user");
    }
    struct stat status;
    MUST(chown(folder, 0, GUEST) == 0 && chmod(folder, 02755) == 0);
    window_mode = 0660;
    struct writer writer = start_writer();
    MUST(chown(ring_path, 0, GUEST) == 0 && chmod(ring_path, 0640) == 0);
    MUST(run_in_child(read_as_member_of_the_group) == 0);
    MUST(run_in_child(read_as_anybody) == 0);
    end_writer(&writer);
    writer = start_writer(); /* mode and owner of the ring stay */
    MUST(stat(ring_path, &status) == 0 && (status.st_mode & 07777) == 0640 && status.st_gid == GUEST);
    end_writer(&writer);
}

static void another_user_of_the_group_reads_and_nobody_else(void **state) {
    (void)state;
    assert_ends_well(run_in_child(be_read_by_others));
}

static void delete_the_socket(void) {
    char command[320];
    struct writer writer = start_writer();
    burst_reader_t *reader = must_open_reader(ring_path, NULL);
    must_read(reader, 1, RECORDS, BURST_PLACE_RING);
    snprintf(command, sizeof command, "rm %s/*.window", folder);
    MUST(system(command) == 0);
    write_more(&writer);
    pause_us(150000); /* an idle reader looks for the socket now and then */
    burst_read_t read = {.struct_bytes = sizeof read};
    for (int64_t due = RECORDS + 1; due <= 2 * RECORDS - 1; due++) {
        MUST(burst_reader_next(reader, &read, HANG_NS) == 1 && read.sequence == due);
    }
    end_writer(&writer);
    MUST(burst_reader_next(reader, &read, HANG_NS) == 1 && read.sequence == 2 * RECORDS);
    burst_reader_close(reader);
}

static void a_socket_that_is_deleted_costs_no_record(void **state) {
    (void)state;
    assert_ends_well(run_in_child(delete_the_socket));
}

/* The reader sleeps on the window, half way through it, when it is stopped. */
static void stop_the_reader(void) {
    int ready[2];
    char byte;
    struct writer writer = start_writer();
    MUST(pipe2(ready, O_CLOEXEC) == 0);
    const pid_t stopped = fork();
    if (stopped == 0) {
        close(writer.commands);
        burst_reader_t *reader = must_open_reader(ring_path, NULL);
        must_read(reader, 1, RECORDS, BURST_PLACE_RING);
        MUST(write(ready[1], "r", 1) == 1);
        burst_read_t read = {.struct_bytes = sizeof read};
        while (burst_reader_next(reader, &read, -1) == 1 && read.kind != BURST_READ_MISSED) {
        }
        MUST(read.kind == BURST_READ_MISSED && read.sequence == RECORDS + 1 && read.count > 0);
        _exit(0);
    }
    MUST(read(ready[0], &byte, 1) == 1);
    MUST(kill(stopped, SIGSTOP) == 0);
    for (int laps = 0; laps < 40; laps++) { /* some 10 MB through a ring of 2 */
        write_more(&writer);
    }
    end_writer(&writer);
    writer = start_writer(); /* opens, and drains, as ever */
    end_writer(&writer);
    int status = -1;
    MUST(kill(stopped, SIGCONT) == 0 && waitpid(stopped, &status, 0) == stopped && status == 0);
}

static void a_stopped_reader_holds_nothing_and_is_told_what_it_missed(void **state) {
    (void)state;
    assert_ends_well(run_in_child(stop_the_reader));
}

/* Locks all that it may open for reading, in each way that read rights allow. */
static void lock_all_and_wait(int ready) {
    static const char *const names[] = {"ring", "log", "log.2", "segments/head"};
    char path[320], byte = 'l';
    if (geteuid() == 0) {
        become_guest(GUEST);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        const int fd = open(path, O_RDONLY);
        const int exclusive = open(path, O_RDONLY | O_EXCL);
        if (fd < 0 || exclusive < 0) {
            MUST(errno == ENOENT);
            continue;
        }
        MUST(fcntl(fd, F_OFD_SETLK, &whole) == 0 && fcntl(exclusive, F_SETLK, &whole) == 0);
        MUST(flock(fd, LOCK_EX | LOCK_NB) == 0);
        fcntl(exclusive, F_SETLEASE, F_RDLCK); /* only an owner may */
    }
    const int self = open(folder, O_RDONLY | O_DIRECTORY);
    MUST(self >= 0 && flock(self, LOCK_EX | LOCK_NB) == 0);
    MUST(write(ready, &byte, 1) == 1);
    pause();
}

static const char *absolute_of_log(void) {
    static char path[BURST_PATH_BYTES];
    MUST(realpath(file_path, path) != NULL);
    return path;
}

static void be_locked_by_readers(void) {
    int ready[2];
    char byte;
    MUST(chmod(folder, 0755) == 0 && pipe2(ready, O_CLOEXEC) == 0);
    terms.has_segments = 1;
    struct writer writer = start_writer();
    end_writer(&writer);
    MUST(chmod(ring_path, 0644) == 0 && chmod(file_path, 0644) == 0);
    const pid_t reader = fork();
    if (reader == 0) {
        lock_all_and_wait(ready[1]);
    }
    MUST(read(ready[0], &byte, 1) == 1);
    for (int life = 0; life < 3; life++) {
        burst_t *log = must_open_log();
        burst_stats_t stats = {.struct_bytes = sizeof stats};
        MUST(burst_stats(log, &stats) == 0);
        append_to(log, (uint64_t)stats.accepted_sequence + RECORDS);
        MUST(burst_await_drained(log, HANG_NS) == 1);
        char current[BURST_PATH_BYTES];
        MUST(burst_current_file(log, current, sizeof current) >= 0 && strcmp(current, absolute_of_log()) == 0);
        const pid_t second = fork();
        if (second == 0) {
            burst_t *other;
            _exit(open_log(&terms, &other) == -EBUSY ? 0 : 1);
        }
        int status = -1;
        MUST(waitpid(second, &status, 0) == second && status == 0);
        if (life == 1) { /* what comes next has nobody in its way any more, and is kept out all the same */
            kill(reader, SIGKILL);
            waitpid(reader, NULL, 0);
            MUST(open_log(&terms, &(burst_t *){NULL}) == -EBUSY);
        }
        MUST(burst_close(log) == 0);
    }
}

static void readers_that_lock_all_they_can_keep_no_writer_out(void **state) {
    (void)state;
    assert_ends_well(run_in_child(be_locked_by_readers));
}

static void readers_that_lock_all_they_can_keep_no_writer_out_whose_engine_was_measured(void **state) {
    (void)state;
    terms.io = BURST_IO_AUTO;
    assert_ends_well(run_in_child(be_locked_by_readers));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PLACE(a_read_only_mount_is_enough),
        PLACE(another_user_of_the_group_reads_and_nobody_else),
        PLACE(a_socket_that_is_deleted_costs_no_record),
        PLACE(a_stopped_reader_holds_nothing_and_is_told_what_it_missed),
        PLACE(readers_that_lock_all_they_can_keep_no_writer_out),
        PLACE(readers_that_lock_all_they_can_keep_no_writer_out_whose_engine_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
