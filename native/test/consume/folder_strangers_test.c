/* SPDX-License-Identifier: Apache-2.0 */
/* Others put things into the folder of positions: the engine follows none of their links, writes to none of their
 * files, and names each in an event. */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "consume/consumer_log.h"
#include "consume/retention.h"

#define BLANK_BYTES (4096u + 64u) /* the size of a position that acknowledges nothing */
#define NO_LIMIT .limit_bytes = UINT64_MAX, .limit_ns = INT64_MAX

static const char *in_positions(const char *name) {
    static char path[600];
    snprintf(path, sizeof path, "%s/consumers/%s", seg_log.path, name);
    return path;
}

static void put(const char *path, int byte, size_t bytes) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < bytes; i++) {
        fputc(byte, file);
    }
    assert_int_equal(fclose(file), 0);
}

static void assert_refused(const char *name, int code, const char *words) {
    burst_consumer_t *opened;
    assert_int_equal(burst_consumer_open(seg_log.path, name, &opened), -code);
    assert_null(opened);
    assert_non_null(strstr(burst_last_error(), words));
}

static void assert_bytes(const char *path, int byte, size_t bytes) {
    static uint8_t found[20000];
    assert_int_equal(read_whole(path, found, sizeof found), bytes);
    for (size_t i = 0; i < bytes; i++) {
        assert_int_equal(found[i], byte);
    }
}

/* ------------------------------------------------------------------------------------------------------ positions */

static void a_link_is_not_followed(void **state) {
    (void)state;
    char target[300];
    snprintf(target, sizeof target, "%s/elsewhere", seg_log.folder);
    assert_int_equal(symlink(target, in_positions("victim")), 0);
    assert_refused("victim", ELOOP, "consumers/victim");
    assert_int_equal(access(target, F_OK), -1);
    put(target, 0, BLANK_BYTES);
    assert_refused("victim", ELOOP, "a link");
    assert_bytes(target, 0, BLANK_BYTES);
}

static void the_folder_of_positions_is_no_link(void **state) {
    (void)state;
    char positions[300], target[300];
    snprintf(positions, sizeof positions, "%s/consumers", seg_log.path);
    snprintf(target, sizeof target, "%s/elsewhere", seg_log.folder);
    assert_int_equal(rename(positions, target), 0);
    assert_int_equal(symlink(target, positions), 0);
    assert_refused("victim", ENOTDIR, "no link");
    snprintf(target, sizeof target, "%s/elsewhere/victim", seg_log.folder);
    assert_int_equal(access(target, F_OK), -1);
}

static void a_file_with_a_second_name_is_not_written(void **state) {
    (void)state;
    char target[300];
    snprintf(target, sizeof target, "%s/elsewhere", seg_log.folder);
    put(target, 0, BLANK_BYTES - 1);
    assert_int_equal(link(target, in_positions("victim")), 0);
    assert_refused("victim", EMLINK, "other names");
    assert_bytes(target, 0, BLANK_BYTES - 1);
    assert_int_equal(unlink(target), 0);
    burst_consumer_close(open_consumer("victim"));
}

static void make_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int made = socket(AF_UNIX, SOCK_STREAM, 0);
    char before[500];
    assert_non_null(getcwd(before, sizeof before)); /* a socket's path has room for few bytes */
    assert_int_equal(chdir(seg_log.path), 0);
    snprintf(address.sun_path, sizeof address.sun_path, "consumers/%s", strrchr(path, '/') + 1);
    assert_int_equal(bind(made, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(close(made), 0);
    assert_int_equal(chdir(before), 0);
}

static void what_is_no_file_holds_up_nobody(void **state) {
    (void)state;
    assert_int_equal(mkfifo(in_positions("fifo"), 0600), 0);
    assert_int_equal(mkdir(in_positions("folder"), 0700), 0);
    make_socket(in_positions("socket"));
    assert_refused("fifo", ENOTSUP, "consumers/fifo");
    assert_refused("folder", EISDIR, "no file");
    assert_refused("socket", ENOTSUP, "no file");
}

static void only_zeros_and_no_more_than_a_position_has_are_blank(void **state) {
    (void)state;
    static const size_t blank[] = {0, 1, 4096, BLANK_BYTES}; /* a short one was interrupted when it was made */
    for (size_t i = 0; i < sizeof blank / sizeof *blank; i++) {
        put(in_positions("new"), 0, blank[i]);
        burst_consumer_close(open_consumer("new"));
        assert_bytes(in_positions("new"), 0, BLANK_BYTES);
    }
    static const size_t other[] = {BLANK_BYTES + 1, 9000};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        put(in_positions("new"), 0, other[i]);
        assert_refused("new", EUCLEAN, "damaged, or of another folder");
        assert_bytes(in_positions("new"), 0, other[i]);
    }
}

/* A foreign byte may stand anywhere, also where no slot is. */
static void content_of_others_is_not_overwritten(void **state) {
    (void)state;
    static const long places[] = {0, 64, 2000, 4095, 4096, BLANK_BYTES - 1};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        put(in_positions("new"), 0, BLANK_BYTES);
        FILE *file = fopen(in_positions("new"), "r+");
        fseek(file, places[i], SEEK_SET);
        fputc('x', file);
        fclose(file);
        assert_refused("new", EUCLEAN, "damaged, or of another folder");
        file = fopen(in_positions("new"), "r");
        fseek(file, places[i], SEEK_SET);
        assert_int_equal(fgetc(file), 'x');
        fclose(file);
    }
}

/* ------------------------------------------------------------------------------------------------------ retention */

static struct retention *retention;

static int begin_to_retain(void **state) {
    if (begin_with_consumer(state) != 0) {
        return 1;
    }
    retention = retention_create(seg_log.path, &(struct retention_limits){NO_LIMIT}, &seg_log.events);
    return retention == NULL;
}

static int end_to_retain(void **state) {
    retention_destroy(retention);
    return end_with_consumer(state);
}

static size_t count_segments(void) {
    struct segment_list list;
    const int folder = open(seg_log.path, O_RDONLY | O_DIRECTORY);
    assert_int_equal(folder_segments(folder, &list), 0);
    close(folder);
    const size_t count = list.count;
    segment_list_free(&list);
    return count;
}

/* All that was told, as one text. */
static const char *told(void) {
    static char all[20000];
    struct event event;
    all[0] = '\0';
    while (events_take(&seg_log.events, &event, 0) == 1) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%d %s\n", (int)event.severity, event.text);
    }
    return all;
}

static void look(void) {
    retention_look(retention, platform_realtime_ns(&platform_linux));
}

/* The fixture's consumer acknowledges everything. */
static void pass_all(void) {
    assert_int_equal(log_write(900), 0);
    const uint64_t behind = assert_all(1, 900);
    assert_int_equal(burst_consumer_ack(consumer, behind - 1), 0);
}

static void assert_holds(const char *name, const char *words) {
    char entry[300];
    snprintf(entry, sizeof entry, "consumers/%s holds all segments", name);
    const size_t before = count_segments();
    look();
    const char *text = told();
    assert_non_null(strstr(text, entry));
    assert_non_null(strstr(text, words));
    assert_non_null(strstr(text, "delete it or move it out"));
    look();
    assert_string_equal(told(), "");
    assert_int_equal(count_segments(), before);
}

static void a_file_that_is_no_position_holds_and_is_told_by_name(void **state) {
    (void)state;
    pass_all();
    put(in_positions("README"), 'r', 300);
    assert_holds("README", "no position of a consumer");
    put(in_positions("to-db.bak"), 'r', 9000);
    assert_holds("to-db.bak", "no position of a consumer");
    assert_int_equal(unlink(in_positions("README")), 0);
    assert_int_equal(unlink(in_positions("to-db.bak")), 0);
    look();
    assert_int_equal(count_segments(), 1);
    assert_string_equal(told(), "");
    put(in_positions("README"), 'r', 300); /* it was gone: it is told again */
    assert_holds("README", "no position of a consumer");
}

static void a_position_of_another_folder_holds_and_is_told_by_name(void **state) {
    (void)state;
    struct segments_position other;
    const uint8_t uuid[16] = {9, 9};
    pass_all();
    segments_position_make(&other, uuid, 1, 500, 5);
    put(in_positions("earlier"), 0, BLANK_BYTES);
    FILE *file = fopen(in_positions("earlier"), "r+");
    assert_int_equal(fwrite(&other, sizeof other, 1, file), 1);
    fclose(file);
    assert_holds("earlier", "of another folder");
}

static void a_link_holds_and_is_told_by_name(void **state) {
    (void)state;
    pass_all();
    assert_int_equal(symlink("reader", in_positions("link")), 0);
    assert_holds("link", "a link");
}

static void what_becomes_a_consumer_is_one(void **state) {
    (void)state;
    pass_all();
    put(in_positions("second"), 'r', 300);
    assert_holds("second", "no position");
    assert_int_equal(unlink(in_positions("second")), 0);
    burst_consumer_t *second = open_consumer("second");
    const size_t before = count_segments();
    look();
    assert_int_equal(count_segments(), before); /* the second consumer has acknowledged nothing */
    burst_consumer_seek(second, 500);
    assert_int_equal(burst_consumer_ack(second, 499), 0);
    burst_consumer_close(second);
    look();
    assert_true(count_segments() < before);
}

static void what_is_no_file_is_passed_over_and_told_by_name(void **state) {
    (void)state;
    pass_all();
    assert_int_equal(mkfifo(in_positions("fifo"), 0600), 0);
    assert_int_equal(mkdir(in_positions("lost+found"), 0700), 0);
    make_socket(in_positions("socket"));
    look();
    assert_int_equal(count_segments(), 1);
    const char *text = told();
    static const char *const names[] = {"fifo", "lost+found", "socket"};
    for (size_t i = 0; i < 3; i++) {
        char entry[100];
        snprintf(entry, sizeof entry, "consumers/%s is no file", names[i]);
        assert_non_null(strstr(text, entry));
    }
    look();
    assert_string_equal(told(), "");
}

static void strangers_are_no_consumers_that_have_passed_anything(void **state) {
    (void)state;
    pass_all();
    assert_int_equal(unlink(in_positions("reader")), 0);
    assert_int_equal(mkdir(in_positions("lost+found"), 0700), 0);
    const size_t before = count_segments();
    look();
    assert_int_equal(count_segments(), before);
}

static void a_look_passes_over_strangers_and_names_what_cannot_be_read(void **state) {
    (void)state;
    burst_consumer_state_t found = {.struct_bytes = sizeof found};
    pass_all();
    assert_int_equal(mkfifo(in_positions("fifo"), 0600), 0);
    assert_int_equal(mkdir(in_positions("zoo"), 0700), 0);
    assert_int_equal(burst_consumer_look(seg_log.path, 0, &found), 1);
    assert_string_equal(found.name, "reader");
    assert_int_equal(burst_consumer_look(seg_log.path, 1, &found), 0);
    assert_int_equal(symlink("reader", in_positions("link")), 0);
    assert_int_equal(burst_consumer_look(seg_log.path, 0, &found), -ELOOP);
    assert_non_null(strstr(burst_last_error(), "consumers/link"));
}

#define RETENTION_TEST(name) cmocka_unit_test_setup_teardown(name, begin_to_retain, end_to_retain)

int main(void) {
    const struct CMUnitTest tests[] = {
        CONSUMER_TEST(a_link_is_not_followed),
        CONSUMER_TEST(the_folder_of_positions_is_no_link),
        CONSUMER_TEST(a_file_with_a_second_name_is_not_written),
        CONSUMER_TEST(what_is_no_file_holds_up_nobody),
        CONSUMER_TEST(only_zeros_and_no_more_than_a_position_has_are_blank),
        CONSUMER_TEST(content_of_others_is_not_overwritten),
        RETENTION_TEST(a_file_that_is_no_position_holds_and_is_told_by_name),
        RETENTION_TEST(a_position_of_another_folder_holds_and_is_told_by_name),
        RETENTION_TEST(a_link_holds_and_is_told_by_name),
        RETENTION_TEST(what_becomes_a_consumer_is_one),
        RETENTION_TEST(what_is_no_file_is_passed_over_and_told_by_name),
        RETENTION_TEST(strangers_are_no_consumers_that_have_passed_anything),
        RETENTION_TEST(a_look_passes_over_strangers_and_names_what_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
