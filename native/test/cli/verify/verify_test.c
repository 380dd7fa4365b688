/* SPDX-License-Identifier: Apache-2.0 */
/* The plug-pull test, with kill -9 in place of the cut, and with a disk that lies, made by hand. */
#include "cli/verify/medium.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

static uint64_t number_after(const char *label) {
    const char *at = strstr(output, label), *next;
    if (at == NULL) {
        fail_msg("\"%s\" is not in: %s", label, output);
    }
    while ((next = strstr(at + 1, label)) != NULL) {
        at = next;
    }
    return strtoull(at + strlen(label), NULL, 10);
}

static void wait_ms(long ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Begins `burstlog doctor ...` with its output in a file of the scratch directory. */
static pid_t begin(const char *out, const char *const *arguments) {
    /* Empties the file before the child begins: a slow child would leave an earlier one's words there. */
    const int fd = open(scratch_path(out), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* else it would go on for ever */
        const char *argv[16] = {BURST_CLI, "doctor"};
        for (int i = 0; arguments[i] != NULL; i++) {
            argv[i + 2] = arguments[i];
        }
        dup2(fd, 1);
        dup2(fd, 2);
        execv(BURST_CLI, (char *const *)argv);
        _exit(127);
    }
    close(fd);
    assert_true(child > 0);
    return child;
}

static void read_output(const char *out) {
    FILE *file = fopen(scratch_path(out), "r");
    assert_non_null(file);
    output[fread(output, 1, sizeof output - 1, file)] = '\0';
    fclose(file);
}

/* Waits until these words are in the output. */
static void wait_for(const char *out, const char *words) {
    for (int gather_credit = 60000 / 5; gather_credit > 0; gather_credit--) {
        wait_ms(5);
        read_output(out);
        if (strstr(output, words) != NULL) {
            return;
        }
        if (strstr(output, "burstlog: ") != NULL) {
            break;
        }
    }
    fail_msg("\"%s\" did not come: %s", words, output);
}

static int exit_code_of(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void killed_in_mid_write_nothing_is_missing(void) {
    for (int round = 0; round < 5; round++) {
        const char *arguments[] = {"--verify-device", medium, "--serve", "--size", "128K", "--force", NULL};
        const pid_t child = begin("serve", arguments);
        wait_for("serve", "acknowledged ");
        wait_ms(30 + 40 * round);
        kill(child, SIGKILL);
        assert_int_equal(exit_code_of(child), -SIGKILL);
        read_output("serve");
        const uint64_t last = number_after("acknowledged ");
        assert_int_equal(run("doctor --verify-device %s --check %llu", medium, (unsigned long long)last), 0);
        assert_said("honours its flushes");
    }
}

static void killed_in_mid_write_nothing_is_missing_on_a_disk(void **state) {
    (void)state;
    killed_in_mid_write_nothing_is_missing();
}

static void killed_in_mid_write_nothing_is_missing_in_memory(void **state) {
    (void)state;
    if (access("/dev/shm", W_OK) < 0) {
        SKIP_WITH("this host has no /dev/shm");
    }
    strcpy(medium, "/dev/shm/burst-verify-XXXXXX");
    const int fd = mkstemp(medium);
    assert_true(fd >= 0);
    close(fd);
    killed_in_mid_write_nothing_is_missing();
    unlink(medium);
}

static void blocks_that_a_disk_lost_are_named_exactly(void **state) {
    (void)state;
    assert_int_equal(run("doctor --verify-device %s --serve --size 256K --blocks 50", medium), 0);
    assert_said("last acknowledged: 50");
    assert_int_equal(run("doctor --verify-device %s --check 50", medium), 0);
    assert_said("blocks 1..50 were acknowledged");
    for (uint64_t number = 31; number <= 34; number++) {
        spoil(number, 63, zeros, BLOCK, 0);
    }
    spoil(47, 63, zeros, BLOCK, 0);
    spoil(50, 63, zeros, 512, BLOCK - 512); /* its last sector only */
    assert_int_equal(run("doctor --verify-device %s --check 50", medium), 1);
    assert_said("lies about its flushes: of the blocks 1..50 that it acknowledged, 6 are lost (5 missing, 1 torn): "
                "31..34, 47, 50\n");
    assert_int_equal(run("doctor --verify-device %s --check 50 --json", medium), 1);
    assert_said("\"honours_flushes\": false");
    assert_said("\"lost\": \"31..34, 47, 50\"");
    assert_int_equal(run("doctor --verify-device %s --check 30", medium), 0); /* the check ignores later blocks */
}

static void the_last_blocks_lost_are_found(void **state) {
    (void)state;
    assert_int_equal(run("doctor --verify-device %s --serve --size 256K --blocks 50", medium), 0);
    spoil(49, 63, zeros, BLOCK, 0);
    spoil(50, 63, zeros, BLOCK, 0);
    assert_int_equal(run("doctor --verify-device %s --check 50", medium), 1);
    assert_said("2 are lost (2 missing, 0 torn): 49..50");
}

/* A cache that is dropped shows what stood there a round before. */
static void blocks_that_went_back_to_an_earlier_round_are_found(void **state) {
    (void)state;
    uint8_t earlier[3 * BLOCK];
    assert_int_equal(run("doctor --verify-device %s --serve --size 128K --blocks 31", medium),
                     0); /* 31 slots: one round */
    int fd = open(medium, O_RDONLY);
    assert_int_equal(pread(fd, earlier, sizeof earlier, 11 * BLOCK), sizeof earlier); /* numbers 11, 12, 13 */
    close(fd);
    /* Blocks of another run would be foreign. So the check for a later number takes these for an
     * earlier round of its own run. */
    assert_int_equal(run("doctor --verify-device %s --check 44", medium), 1);
    assert_said("of the blocks 14..44 that it acknowledged, 13 are lost (13 missing, 0 torn): 32..44");
    assert_int_equal(run("doctor --verify-device %s --serve --force --blocks 44 --size 128K", medium), 0);
    assert_int_equal(run("doctor --verify-device %s --check 44", medium), 0);
    assert_said("blocks 14..44 were acknowledged");
    fd = open(medium, O_WRONLY);
    assert_int_equal(pwrite(fd, earlier, sizeof earlier, 11 * BLOCK), sizeof earlier);
    close(fd);
    assert_int_equal(run("doctor --verify-device %s --check 44", medium), 1);
    assert_said("3 are lost (3 missing, 0 torn): 42..44");
}

static void blocks_of_an_earlier_run_do_not_count(void **state) {
    (void)state;
    uint8_t earlier[2 * BLOCK];
    assert_int_equal(run("doctor --verify-device %s --serve --size 128K --blocks 20", medium), 0);
    const int fd = open(medium, O_RDWR);
    assert_int_equal(pread(fd, earlier, sizeof earlier, 7 * BLOCK), sizeof earlier); /* numbers 7 and 8 */
    assert_int_equal(run("doctor --verify-device %s --serve --force --size 128K --blocks 20", medium), 0);
    assert_int_equal(pwrite(fd, earlier, sizeof earlier, 7 * BLOCK), sizeof earlier);
    close(fd);
    assert_int_equal(run("doctor --verify-device %s --check 20", medium), 1);
    assert_said("2 are lost (2 missing, 0 torn): 7..8");
}

/* A power cut may tear the block that the write under way replaces, and no other. */
static void the_write_under_way_may_be_torn_and_no_other(void **state) {
    (void)state;
    assert_int_equal(run("doctor --verify-device %s --serve --size 128K --blocks 40", medium), 0);
    spoil(41, 31, "torn", 4, 2048); /* block 10's place: 41 would be next there */
    assert_int_equal(run("doctor --verify-device %s --check 40", medium), 0);
    assert_said("blocks 10..40 were acknowledged");
    spoil(42, 31, "torn", 4, 2048);
    assert_int_equal(run("doctor --verify-device %s --check 40", medium), 1);
    assert_said("1 are lost (0 missing, 1 torn): 11\n");
    /* The same, when the last number that was heard is rounds old. */
    assert_int_equal(run("doctor --verify-device %s --serve --force --size 128K --blocks 100", medium), 0);
    spoil(101, 31, "torn", 4, 2048);
    assert_int_equal(run("doctor --verify-device %s --check 40", medium), 0);
    spoil(102, 31, "torn", 4, 2048);
    assert_int_equal(run("doctor --verify-device %s --check 40", medium), 1);
    assert_said("1 are lost (0 missing, 1 torn): 40\n");
}

static void what_holds_anything_is_not_overwritten(void **state) {
    (void)state;
    char command[8 * PATH_BYTES];
    assert_int_equal(run("format --size 4M %s", medium), 0);
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 1", medium), 3);
    assert_said("holds a ring");
    assert_int_equal(run("info %s", medium), 0);
    snprintf(command, sizeof command,
             "head -c 2M /dev/zero > %s; printf x | dd of=%s bs=1 seek=2097151 conv=notrunc 2>/dev/null", medium,
             medium);
    assert_int_equal(system(command), 0);
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 1", medium), 3); /* one byte at the very end */
    assert_said("is not blank");
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 1 --force", medium), 0);
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 1", medium), 3);
    assert_said("holds the blocks of an earlier test");
    assert_int_equal(run("doctor --verify-device %s --check 1", medium), 0);
}

static void a_ring_that_cannot_be_read_is_not_overwritten_even_with_force(void **state) {
    (void)state;
    char command[8 * PATH_BYTES];
    assert_int_equal(run("format --size 4M %s", medium), 0);
    snprintf(command, sizeof command,
             "printf 'xxxx' | dd of=%s bs=1 seek=104 conv=notrunc 2>/dev/null; printf 'xxxx' | dd of=%s bs=1 "
             "seek=65640 conv=notrunc 2>/dev/null",
             medium, medium);
    assert_int_equal(system(command), 0); /* both superblock copies: nobody can know what the ring holds */
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 1 --force", medium), 3);
    assert_said("that cannot be read");
}

static void a_device_in_use_is_refused(void **state) {
    (void)state;
    make_file(medium, 64 << 20);
    struct loop_device loop;
    if (!make_loop(scratch_path("medium"), &loop)) {
        SKIP_WITH("no loop device here: root alone may make one");
    }
    char command[2 * PATH_BYTES];
    snprintf(command, sizeof command, "mkfs.ext4 -q %s 2>&1", loop.path);
    if (system(command) != 0) {
        SKIP_WITH("no mkfs.ext4");
    }
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 1", loop.path), 3);
    assert_said("is not blank");
    const char *point = scratch_path("point");
    assert_int_equal(mkdir(point, 0700), 0);
    if (mount(loop.path, point, "ext4", 0, NULL) == 0) {
        const int code = run("doctor --verify-device %s --serve --blocks 1 --force", loop.path);
        umount(point);
        assert_int_equal(code, 3);
        assert_said("mounted");
    }
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 100 --force", loop.path), 0);
    assert_int_equal(run("doctor --verify-device %s --check 100", loop.path), 0);
    remove_loop(&loop);
}

static void what_is_no_test_cannot_be_checked(void **state) {
    (void)state;
    assert_int_equal(run("doctor --verify-device %s --check 3", medium), 3);
    make_file(medium, 1 << 20);
    assert_int_equal(run("doctor --verify-device %s --check 3", medium), 3);
    assert_said("holds no blocks of this test");
    assert_int_equal(run("doctor --verify-device %s --check 0", medium), 2);
    assert_int_equal(run("doctor --verify-device %s", medium), 2);
    assert_int_equal(run("doctor --verify-device %s --serve --size 8K --force --blocks 1", medium), 3);
    assert_said("too few");
}

static void a_write_that_failed_is_not_acknowledged(void **state) {
    (void)state;
    char command[4 * PATH_BYTES];
    assert_int_equal(run("doctor --verify-device %s --serve --size 128K --blocks 3", medium), 0);
    /* Writes fail from byte 40960 on, which is block 10. */
    snprintf(
        command, sizeof command,
        "trap '' XFSZ; prlimit --fsize=40960 %s doctor --verify-device %s --serve --force --size 128K --blocks 20 2>&1",
        BURST_CLI, medium);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    assert_int_not_equal(pclose(pipe), 0);
    assert_said("last acknowledged: 9;");
    assert_said("EFBIG");
    assert_int_equal(run("doctor --verify-device %s --check 9", medium), 0);
}

/* Starts a listener; returns the port that it chose. */
static unsigned long listen_to(pid_t *listener) {
    const char *arguments[] = {"--listen", "127.0.0.1:0", "--seconds", "30", NULL};
    *listener = begin("listen", arguments);
    wait_for("listen", "listening on port ");
    return (unsigned long)number_after("listening on port ");
}

static void the_last_number_leaves_the_machine_before_it_dies(void **state) {
    (void)state;
    pid_t listener;
    char where[64];
    snprintf(where, sizeof where, "127.0.0.1:%lu", listen_to(&listener));
    const char *arguments[] = {"--verify-device", medium, "--serve", "--size", "256K", "--report", where, NULL};
    const pid_t server = begin("serve", arguments);
    wait_for("listen", "\nacknowledged ");
    wait_for("serve", "acknowledged ");
    kill(server, SIGKILL);
    assert_int_equal(exit_code_of(server), -SIGKILL);
    assert_int_equal(exit_code_of(listener), 0);
    read_output("serve");
    const uint64_t on_terminal = number_after("acknowledged ");
    read_output("listen");
    assert_said("the other machine writes to /");
    assert_said("/medium\n");
    assert_said("After the start of that machine: burstlog doctor --verify-device /");
    const uint64_t last = number_after("Last acknowledged: ");
    assert_true(last >= on_terminal); /* each block is reported; the terminal shows one each 100 ms */
    assert_int_equal(run("doctor --verify-device %s --check %llu", medium, (unsigned long long)last), 0);
}

static void the_test_ends_when_nobody_hears_it(void **state) {
    (void)state;
    pid_t listener;
    char where[64];
    snprintf(where, sizeof where, "127.0.0.1:%lu", listen_to(&listener));
    const char *arguments[] = {"--verify-device", medium, "--serve", "--size", "256K", "--report", where, NULL};
    const pid_t server = begin("serve", arguments);
    wait_for("listen", "\nacknowledged ");
    kill(listener, SIGKILL);
    assert_int_equal(exit_code_of(listener), -SIGKILL);
    assert_int_equal(exit_code_of(server), 3);
    read_output("serve");
    assert_said("hung up");
    assert_int_equal(run("doctor --verify-device %s --serve --force --report %s", medium, where), 3);
    assert_said("connecting to");
    assert_int_equal(run("doctor --verify-device %s --serve --force --report nowhere", medium), 3);
    assert_said("is no HOST:PORT");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        MEDIA_TEST(killed_in_mid_write_nothing_is_missing_on_a_disk),
        MEDIA_TEST(killed_in_mid_write_nothing_is_missing_in_memory),
        MEDIA_TEST(blocks_that_a_disk_lost_are_named_exactly),
        MEDIA_TEST(the_last_blocks_lost_are_found),
        MEDIA_TEST(blocks_that_went_back_to_an_earlier_round_are_found),
        MEDIA_TEST(blocks_of_an_earlier_run_do_not_count),
        MEDIA_TEST(the_write_under_way_may_be_torn_and_no_other),
        MEDIA_TEST(what_holds_anything_is_not_overwritten),
        MEDIA_TEST(a_ring_that_cannot_be_read_is_not_overwritten_even_with_force),
        MEDIA_TEST(a_device_in_use_is_refused),
        MEDIA_TEST(what_is_no_test_cannot_be_checked),
        MEDIA_TEST(a_write_that_failed_is_not_acknowledged),
        MEDIA_TEST(the_last_number_leaves_the_machine_before_it_dies),
        MEDIA_TEST(the_test_ends_when_nobody_hears_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
