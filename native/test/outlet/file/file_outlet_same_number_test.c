/* SPDX-License-Identifier: Apache-2.0 */
/* Two files with one inode number, on two file systems: as behind a mount in the folder of the log. */
#include "rolled_log.h"

static char elsewhere[sizeof archive + 16]; /* its file is on another file system, and has the number of the log file */
static uint64_t number;
static int looks_left; /* then it is what it is; < 0: never */

static int identity(const struct files *files, int file, struct file_identity *seen) {
    const int rc = files_posix.ops->identity(files, file, seen);
    number = rc == 0 ? seen->inode : number;
    return rc;
}

static int identity_of_path(const struct files *files, const char *path, struct file_identity *seen) {
    const int rc = files_posix.ops->identity_of_path(files, path, seen);
    if (rc == 0 && strcmp(path, elsewhere) == 0 && looks_left != 0) {
        looks_left -= looks_left > 0;
        seen->device++;
        seen->inode = number;
    } else if (rc == 0 && strcmp(path, host.file) == 0) {
        number = seen->inode;
    }
    return rc;
}

static int begin(void **state) {
    begin_rolled_log(state);
    snprintf(archive, sizeof archive, "%.4000s/1", host.folder);
    elsewhere[0] = '\0';
    looks_left = -1;
    ops.identity = identity;
    ops.identity_of_path = identity_of_path;
    open_ring();
    append_text("a\n");
    drain_all();
    return 0;
}

static void such_a_target_is_taken(void **state) {
    (void)state;
    char beside[sizeof archive + 8];
    snprintf(beside, sizeof beside, "%s.1", archive);
    snprintf(elsewhere, sizeof elsewhere, "%s", archive);
    put_file(archive, "theirs");
    append_roll("f", "h", archive);
    append_text("b\n");
    drain_all();
    assert_file(archive, "theirs");
    assert_file(beside, "a\nf");
    assert_int_equal(renames, 1);
    assert_file(host.file, "hb\n");
}

static void such_a_file_under_the_name_is_another(void **state) {
    (void)state;
    char moved[sizeof host.file + 8];
    snprintf(moved, sizeof moved, "%s.moved", host.file);
    assert_int_equal(rename(host.file, moved), 0);
    put_file(host.file, "");
    snprintf(elsewhere, sizeof elsewhere, "%s", host.file);
    looks_left = 1;
    append_text("b\n");
    drain_all();
    assert_file(moved, "a\n");
    assert_file(host.file, "b\n");
}

static void a_diverted_log_has_not_got_its_name_by_such_a_file(void **state) {
    (void)state;
    char diverted[sizeof host.file + 16];
    snprintf(diverted, sizeof diverted, "%s.burst-2", host.file);
    put_file(host.file, "");
    append_text("b\n");
    drain_all();
    close_ring();
    put_file(host.file, "theirs");
    snprintf(elsewhere, sizeof elsewhere, "%s", host.file);
    open_ring();
    assert_int_equal(checkpoint(newest_slot())->stream.diverted_sequence, 2);
    append_text("c\n");
    drain_all();
    assert_file(diverted, "b\nc\n");
    assert_file(host.file, "theirs");
}

#define NUMBER_TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        NUMBER_TEST(such_a_target_is_taken),
        NUMBER_TEST(such_a_file_under_the_name_is_another),
        NUMBER_TEST(a_diverted_log_has_not_got_its_name_by_such_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
