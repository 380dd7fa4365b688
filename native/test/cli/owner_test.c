/* SPDX-License-Identifier: Apache-2.0 */
/* Root recovers the ring of another user, who may have put anything into it, and links in its log file's place. */
#include "cli/run.h"
#include "skip_with.h"

#include <grp.h>

#define USER 65534 /* nobody: any user but root */

static char place[256];
static int home = -1;

/* The user can reach this folder, but may not read the folder above it. */
static int make_users_folder(void **state) {
    home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(place, sizeof place, "%s/burst-owner-XXXXXX", P_tmpdir);
    if (home < 0 || mkdtemp(place) == NULL || chmod(place, 0711) < 0 || chdir(place) < 0) {
        return -1;
    }
    make_folder(state);
    return geteuid() == 0 && chown(folder, USER, USER) < 0 ? -1 : 0;
}

static int remove_users_folder(void **state) {
    remove_folder(state);
    const int rc = fchdir(home);
    close(home);
    rmdir(place);
    return rc;
}

static void become_user(void) {
    const gid_t group = USER;
    if (setgroups(1, &group) < 0 || setresgid(USER, USER, USER) < 0 || setresuid(USER, USER, USER) < 0) {
        _exit(2);
    }
}

static void await_child(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Leaves records of a user's process that died. No log file has them, and there is none. */
static void leave_records_of_the_user(void) {
    const pid_t child = fork();
    if (child == 0) {
        become_user();
        burst_t *log = open_small();
        block_file();
        _exit(burst_append(log, "one\n", 4, 0) == 1 && burst_append(log, "two\n", 4, 0) == 2 ? 0 : 1);
    }
    await_child(child);
    unblock_file();
}

static void append_as_the_user(void) {
    const pid_t child = fork();
    if (child == 0) {
        become_user();
        burst_t *log = open_small();
        _exit(burst_append(log, "three\n", 6, 0) == 3 && burst_close(log) == 0 ? 0 : 1);
    }
    await_child(child);
}

/* Makes a file in a folder that only root may enter, or write to. */
static void make_file_of_root(const char *name, mode_t mode, const char *content) {
    char path[128];
    snprintf(path, sizeof path, "%s/root", folder);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/root/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
    snprintf(path, sizeof path, "%s/root", folder);
    assert_int_equal(chmod(path, mode), 0);
}

static void link_log_file_to(const char *name) {
    char target[128];
    snprintf(target, sizeof target, "root/%s", name);
    assert_int_equal(symlink(target, file_path), 0);
}

#define NEEDS_ROOT()                                                                                                   \
    do {                                                                                                               \
        if (geteuid() != 0)                                                                                            \
            SKIP_WITH("only root can act for another user");                                                           \
    } while (0)

static void what_root_recovers_is_the_users_who_owns_the_ring(void **state) {
    (void)state;
    NEEDS_ROOT();
    leave_records_of_the_user();
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_said("records moved: 2");
    assert_said("(65534)");
    assert_file_is("one\ntwo\n");
    struct stat status;
    assert_int_equal(stat(file_path, &status), 0);
    assert_int_equal(status.st_uid, USER);
    assert_int_not_equal(status.st_gid, 0);
    append_as_the_user();
    assert_file_is("one\ntwo\nthree\n");
}

static void root_recovers_nothing_to_where_the_rings_owner_may_not_write(void **state) {
    (void)state;
    NEEDS_ROOT();
    leave_records_of_the_user();
    make_file_of_root("other", 0700, "");
    link_log_file_to("stolen");
    run("recover %s", ring_path);
    char path[128];
    snprintf(path, sizeof path, "%s/root/stolen", folder);
    assert_int_equal(access(path, F_OK), -1);
}

static void root_appends_nothing_to_a_file_that_the_rings_owner_may_not_write(void **state) {
    (void)state;
    NEEDS_ROOT();
    leave_records_of_the_user();
    make_file_of_root("accounts", 0755, "");
    link_log_file_to("accounts");
    run("recover %s", ring_path);
    struct stat status;
    assert_int_equal(stat(file_path, &status), 0);
    assert_int_equal(status.st_uid, 0);
    assert_int_equal(status.st_size, 0);
}

static void what_the_owner_may_not_do_is_told_with_his_name(void **state) {
    (void)state;
    NEEDS_ROOT();
    leave_records_of_the_user();
    assert_int_equal(chown(folder, 0, 0), 0);
    assert_int_equal(chmod(folder, 0711), 0);
    assert_int_equal(run("recover %s", ring_path), 3);
    assert_said("with the rights of user ");
    assert_int_equal(access(file_path, F_OK), -1);
    assert_int_equal(chown(folder, USER, USER), 0);
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_file_is("one\ntwo\n");
}

static void a_ring_whose_owners_rights_cannot_be_taken_is_not_recovered(void **state) {
    (void)state;
    NEEDS_ROOT();
    if (system("unshare --user --map-root-user true 2>/dev/null") != 0) {
        SKIP_WITH("no user namespaces here, in which root may become nobody else");
    }
    leave_records_of_the_user();
    assert_int_equal(chmod(ring_path, 0666), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    char command[1024];
    snprintf(command, sizeof command, "unshare --user --map-root-user %s recover %s 2>&1", BURST_CLI, ring_path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    assert_int_equal(WEXITSTATUS(pclose(pipe)), 3);
    assert_said("whose rights cannot be taken");
    assert_int_equal(access(file_path, F_OK), -1);
}

static void an_open_by_root_writes_nowhere_that_only_the_ring_of_a_user_names(void **state) {
    (void)state;
    NEEDS_ROOT();
    leave_records_of_the_user();
    make_file_of_root("other", 0700, "");
    link_log_file_to("stolen");
    char path[128], other[160];
    snprintf(path, sizeof path, "%s/root/stolen", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    burst_config_t config = small_config();
    main_config.file_name = other;
    assert_refused(&config, EPERM, "is of user 65534 and names log file");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(other, F_OK), -1);
    assert_int_equal(unlink(file_path), 0);
    assert_refused(&config, EPERM, "burstlog recover");
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_file_is("one\ntwo\n");
    burst_t *log = open_with(&config); /* no record waits: the open does not look at the other file */
    assert_int_equal(burst_append(log, "three\n", 6, 0), 3);
    assert_int_equal(burst_close(log), 0);
    assert_file_is("one\ntwo\n");
}

static void an_open_by_root_with_the_log_file_that_the_ring_names_goes_on(void **state) {
    (void)state;
    NEEDS_ROOT();
    leave_records_of_the_user();
    burst_t *log = open_small();
    assert_int_equal(burst_append(log, "three\n", 6, 0), 3);
    assert_int_equal(burst_close(log), 0);
    assert_file_is("one\ntwo\nthree\n");
}

/* LeakSanitizer traces the process, which the command forbids once it has taken another user's rights. */
static void look_for_no_leaks_in_the_command(void) {
    const char *before = getenv("ASAN_OPTIONS");
    char options[512];
    if (before != NULL) {
        snprintf(options, sizeof options, "%s:detect_leaks=0", before);
        setenv("ASAN_OPTIONS", options, 1);
    }
}

int main(void) {
#define OWNER_TEST(name) cmocka_unit_test_setup_teardown(name, make_users_folder, remove_users_folder)
    look_for_no_leaks_in_the_command();
    const struct CMUnitTest tests[] = {
        OWNER_TEST(what_root_recovers_is_the_users_who_owns_the_ring),
        OWNER_TEST(root_recovers_nothing_to_where_the_rings_owner_may_not_write),
        OWNER_TEST(root_appends_nothing_to_a_file_that_the_rings_owner_may_not_write),
        OWNER_TEST(what_the_owner_may_not_do_is_told_with_his_name),
        OWNER_TEST(a_ring_whose_owners_rights_cannot_be_taken_is_not_recovered),
        OWNER_TEST(an_open_by_root_writes_nowhere_that_only_the_ring_of_a_user_names),
        OWNER_TEST(an_open_by_root_with_the_log_file_that_the_ring_names_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
