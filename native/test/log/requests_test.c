/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the application to the drain, and the drain's answers. */
#define CAPACITY_BYTES (1024u * 4096u)
#include "log/requests.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/error.h"
#include "drain/drain.h"
#include "log/requests_fixture.h"
#include "memory_ring.h"

/* A drain that notes what it is asked for: "+a" opens a file of that name, "-1" closes an id. */
static char done[8192];
static int open_rc;
static uint16_t last_id;

static int note_open(void *argument, const struct engine_stream *stream, uint16_t *id) {
    (void)argument;
    strcat(strcat(strcat(done, "+"), strrchr(stream->path, '/') + 1), " ");
    *id = ++last_id;
    FILE *const made = fopen(stream->path, "w"); /* as an outlet does, before it fails; the others have no folder */
    if (made != NULL) {
        fclose(made);
    }
    return open_rc < 0 ? error_set(-open_rc, "it cannot be opened") : 0;
}

static void note_close(void *argument, uint16_t id) {
    (void)argument;
    snprintf(done + strlen(done), 8, "-%u ", id);
}

static const struct request_server server = {.open = note_open, .close = note_close, .answered = note_answer};
static int closed;

static void note_closed(void *argument) {
    (void)argument;
    closed++;
}

static int begin(void **state) {
    (void)state;
    requests = requests_create(&platform_linux, NULL);
    done[0] = '\0';
    last_id = 0;
    open_rc = closed = 0;
    return requests == NULL;
}

static void ask_close(struct request_ticket *ticket) {
    requests_close(requests, ticket, note_closed, NULL);
}

static void serve(void) {
    requests_serve(requests, &server);
    assert_false(requests_wait(requests));
}

/* Another drain takes over: it knows nothing of what was open, and finds the requests. */
static void begin_drain_anew(void) {
    memset(requests->answered, 0, sizeof requests->answered);
    requests->served = 0;
}

static void changes_are_dealt_with_in_their_order(void **state) {
    (void)state;
    struct request_ticket one = ask("/none/a");
    serve();
    ask_close(&one);
    const struct request_ticket again = ask("/none/a"), other = ask("/none/b");
    assert_true(requests_wait(requests));
    assert_null(requests_answer(requests, &again));
    serve();
    assert_string_equal(done, "+a -1 +a +b ");
    assert_int_equal(requests_answer(requests, &again)->id, 2);
    assert_int_equal(requests_answer(requests, &other)->id, 3);
    assert_int_equal(closed, 1);
    serve();
    assert_string_equal(done, "+a -1 +a +b ");
}

static void a_wish_that_is_withdrawn_in_time_is_never_done(void **state) {
    (void)state;
    struct request_ticket one = ask("/none/a");
    ask_close(&one);
    serve();
    assert_string_equal(done, "");
    assert_int_equal(closed, 1);
    assert_non_null(requests_answer(requests, &one));
}

static void a_refusal_is_told_and_frees_its_place(void **state) {
    (void)state;
    open_rc = -EACCES;
    for (unsigned i = 0; i < 2 * REQUESTS_MOST; i++) {
        const struct request_ticket ticket = ask("/none/a");
        done[0] = '\0';
        serve();
        assert_string_equal(done, "+a ");
        assert_int_equal(requests_answer(requests, &ticket)->rc, -EACCES);
        assert_string_equal(requests_answer(requests, &ticket)->text, "it cannot be opened");
        requests_forget(requests, &ticket);
    }
}

static void a_file_that_was_made_for_a_refused_stream_is_gone(void **state) {
    (void)state;
    char folder[] = "requests-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f", folder);
    ask(path);
    open_rc = -EACCES;
    serve();
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(rmdir(folder), 0);
}

static void no_place_is_written_before_the_drain_has_dealt_with_it(void **state) {
    (void)state;
    const struct engine_stream stream = {.name = "", .path = "/none/late"};
    struct request_ticket tickets[REQUESTS_MOST], late;
    for (unsigned i = 0; i < REQUESTS_MOST; i++) {
        tickets[i] = ask("/none/a");
        ask_close(&tickets[i]);
    }
    assert_int_equal(requests_open(requests, "/ring", &stream, &late), -EBUSY);
    assert_non_null(strstr(error_text(), "/none/late"));
    assert_non_null(strstr(error_text(), "/ring"));
    serve();
    assert_int_equal(closed, REQUESTS_MOST);
    assert_int_equal(requests_open(requests, "/ring", &stream, &late), 0);
    serve();
    assert_string_equal(done, "+late ");
}

static void a_drain_that_begins_anew_opens_what_shall_be_open(void **state) {
    (void)state;
    struct request_ticket one = ask("/none/a");
    ask("/none/b");
    serve();
    ask_close(&one);
    serve();
    done[0] = '\0';
    begin_drain_anew();
    serve();
    assert_string_equal(done, "+b ");
}

static void a_stream_is_closed_while_its_drain_is_away(void **state) {
    (void)state;
    struct request_ticket one = ask("/none/a");
    serve();
    begin_drain_anew();
    ask_close(&one);
    done[0] = '\0';
    serve();
    assert_string_equal(done, "");
    assert_int_equal(closed, 1);
    assert_non_null(requests_answer(requests, &one));
}

/* ------------------------------------------------------------------------------------------- in a step of the engine */

static struct files_ops ops;
static char second[sizeof host.file + 8];
static struct request_ticket asked;
static int has_asked;

static void ask_engine(void) {
    const struct engine_stream stream = {.name = "", .path = second};
    snprintf(second, sizeof second, "%s.2", host.file);
    has_asked = 1;
    assert_int_equal(requests_open(host.engine->requests, "/ring", &stream, &asked), 0);
    engine_ask(host.engine);
}

static int64_t ask_and_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    if (!has_asked) {
        ask_engine();
    }
    return files_posix.ops->write(files, file, data, bytes, offset);
}

static void open_clean(void) {
    has_asked = closed = 0;
    ops = *files_posix.ops;
    host.files.ops = &ops;
    open_ring();
}

static void a_step_ends_after_its_batch_for_who_asks(void **state) {
    (void)state;
    struct stat status;
    open_clean();
    for (int i = 0; i < 300; i++) {
        append(2 * BLOCK_BYTES);
    }
    ops.write = ask_and_write;
    assert_int_equal(engine_step(host.engine, 0), 1);
    assert_null(requests_answer(host.engine->requests, &asked));
    assert_int_equal(stat(host.file, &status), 0);
    assert_in_range(status.st_size, 1, 299 * 2 * BLOCK_BYTES);
    assert_int_equal(engine_step(host.engine, 0), 1);
    const struct stream_answer *answer = requests_answer(host.engine->requests, &asked);
    assert_int_equal(answer->rc, 0);
    assert_int_equal(answer->id, 1);
    assert_int_equal(stat(second, &status), 0);
    unlink(second);
}

static void the_close_of_the_engine_tells_who_waits(void **state) {
    (void)state;
    open_clean();
    ask_engine();
    requests_close(host.engine->requests, &asked, note_closed, NULL);
    close_ring();
    assert_int_equal(closed, 1);
    assert_int_equal(access(second, F_OK), -1);
}

static uint8_t slot_bytes[1 + LAYOUT_CHECKPOINT_SLOTS][LAYOUT_CHECKPOINT_BYTES];

static int fail_to_read(struct device *from, uint64_t offset, void *data, size_t bytes) {
    (void)from, (void)offset, (void)data, (void)bytes;
    return error_set(EIO, "the medium cannot be read");
}

/* The drain's word is not enough: the writer itself looks whether both slots name the stream. */
static void a_stream_that_the_slots_do_not_name_takes_no_records(void **state) {
    (void)state;
    open_clean();
    const struct device_ops *const whole = host.device.ops;
    struct device_ops unreadable = *whole;
    unreadable.read = fail_to_read;
    host.engine->parts.reads_slots = 1;
    host.engine->keeper.slots.bytes = slot_bytes[0];
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        host.engine->keeper.slots.kept[slot] = slot_bytes[1 + slot];
    }
    host.device.ops = &unreadable;
    ask_engine();
    engine_step(host.engine, 0);
    const struct stream_answer *answer = requests_answer(host.engine->requests, &asked);
    assert_int_equal(answer->rc, -EIO);
    assert_non_null(strstr(answer->text, "do not both name log file"));
    assert_int_equal(access(second, F_OK), -1);
    host.device.ops = whole;
    requests_forget(host.engine->requests, &asked);
    ask_engine();
    engine_step(host.engine, 0);
    assert_int_equal(requests_answer(host.engine->requests, &asked)->rc, 0);
    host.engine->keeper.slots.bytes = NULL;
    host.engine->parts.reads_slots = 0;
    unlink(second);
}

static struct stream_answer answers[REQUESTS_MOST];

static void answer_far(const struct request_ticket *ticket, int is_open) {
    memset(answers, 0, sizeof answers);
    answers[ticket->entry].id = 7;
    answers[ticket->entry].is_open = (uint16_t)is_open;
    atomic_store(&answers[ticket->entry].number, ticket->number);
}

/* The drain of another process answers; this one serves nothing. */
static void answers_of_another_process_are_taken_once(void **state) {
    (void)state;
    struct request_ticket one = ask("/none/a");
    answer_far(&one, 1);
    assert_true(requests_are_waiting(requests));
    assert_true(requests_take_answers(requests, answers));
    assert_false(requests_are_waiting(requests));
    assert_int_equal(requests_answer(requests, &one)->id, 7);
    assert_false(requests_take_answers(requests, answers));
    assert_string_equal(done, "");
}

/* The open was answered when the close was asked for already: only its own answer says that it is closed. */
static void an_answer_to_the_open_closes_nothing(void **state) {
    (void)state;
    struct request_ticket one = ask("/none/a");
    answer_far(&one, 1);
    ask_close(&one);
    assert_true(requests_take_answers(requests, answers));
    assert_int_equal(closed, 0);
    assert_null(requests_answer(requests, &one));
    answer_far(&one, 0);
    assert_true(requests_take_answers(requests, answers));
    assert_int_equal(closed, 1);
    assert_non_null(requests_answer(requests, &one));
}

/* A hostile or outdated page cannot answer what was never asked. */
static void an_answer_to_a_later_change_than_the_last_is_not_taken(void **state) {
    (void)state;
    struct request_ticket one = ask("/none/a");
    answer_far(&one, 1);
    atomic_store(&answers[one.entry].number, one.number + 1);
    assert_false(requests_take_answers(requests, answers));
    assert_null(requests_answer(requests, &one));
}

/* The log would use it as a stream's id, or as an error code. */
static void an_answer_that_no_drain_gives_is_a_refusal(void **state) {
    (void)state;
    static const struct {
        int32_t rc;
        uint16_t id, is_open;
        const char *text;
    } lies[] = {
        {.id = LAYOUT_STREAMS_MAX, .is_open = 1}, {.id = 1, .is_open = 0},
        {.rc = -EIO, .id = 1, .is_open = 1},      {.rc = EIO, .text = "it went well"},
        {.rc = INT32_MIN, .text = "it did not"},  {.rc = -EIO, .text = ""},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct request_ticket one = ask("/none/a");
        answer_far(&one, lies[i].is_open);
        answers[one.entry].rc = lies[i].rc;
        answers[one.entry].id = lies[i].id;
        snprintf(answers[one.entry].text, REQUEST_ANSWER_BYTES, "%s", lies[i].text == NULL ? "" : lies[i].text);
        assert_true(requests_take_answers(requests, answers));
        const struct stream_answer *answer = requests_answer(requests, &one);
        assert_int_equal(answer->rc, -EPROTO);
        assert_false(answer->is_open);
        assert_non_null(strstr(answer->text, "answered as none does"));
        requests_forget(requests, &one);
    }
}

static int refuse_place(void *argument, const struct engine_stream *stream) {
    FILE *const made = fopen(stream->path, "w"); /* somebody else makes it in this moment */
    (void)argument;
    fclose(made);
    return error_set(EPERM, "not there");
}

/* The drain would delete what others have there. */
static void nothing_is_done_in_a_place_that_is_not_allowed(void **state) {
    (void)state;
    char folder[] = "requests-XXXXXX", path[64];
    const struct request_server strict = {
        .check = refuse_place, .open = note_open, .close = note_close, .answered = note_answer};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f", folder);
    const struct request_ticket one = ask(path);
    requests_serve(requests, &strict);
    assert_int_equal(requests_answer(requests, &one)->rc, -EPERM);
    assert_string_equal(done, "");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void a_drain_of_this_process_serves_again_what_another_one_had_open(void **state) {
    (void)state;
    struct request_ticket one = ask("/none/a");
    answer_far(&one, 1);
    assert_true(requests_take_answers(requests, answers));
    requests_begin_anew(requests);
    serve();
    assert_string_equal(done, "+a ");
    ask_close(&one);
    serve();
    assert_string_equal(done, "+a -1 ");
    requests_begin_anew(requests);
    serve();
    assert_string_equal(done, "+a -1 ");
}

/* Another process wrote them: they need not end. */
static void texts_that_do_not_end_are_cut(void **state) {
    (void)state;
    const struct request_ticket one = ask("/none/a");
    memset(requests->table->asked[one.entry].path + 6, 'x', LAYOUT_FILE_NAME_BYTES - 6);
    memset(requests->table->asked[one.entry].name, 'x', LAYOUT_STREAM_NAME_BYTES);
    open_rc = -EIO;
    serve();
    assert_int_equal(strlen(done), 1 + LAYOUT_FILE_NAME_BYTES - 1 - 6 + 1);
}

#define ASKED(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        ASKED(changes_are_dealt_with_in_their_order),
        ASKED(a_wish_that_is_withdrawn_in_time_is_never_done),
        ASKED(a_refusal_is_told_and_frees_its_place),
        ASKED(a_file_that_was_made_for_a_refused_stream_is_gone),
        ASKED(no_place_is_written_before_the_drain_has_dealt_with_it),
        ASKED(a_drain_that_begins_anew_opens_what_shall_be_open),
        ASKED(a_stream_is_closed_while_its_drain_is_away),
        ASKED(answers_of_another_process_are_taken_once),
        ASKED(an_answer_to_the_open_closes_nothing),
        ASKED(an_answer_to_a_later_change_than_the_last_is_not_taken),
        ASKED(an_answer_that_no_drain_gives_is_a_refusal),
        ASKED(nothing_is_done_in_a_place_that_is_not_allowed),
        ASKED(a_drain_of_this_process_serves_again_what_another_one_had_open),
        ASKED(texts_that_do_not_end_are_cut),
        RING_TEST(a_step_ends_after_its_batch_for_who_asks),
        RING_TEST(a_stream_that_the_slots_do_not_name_takes_no_records),
        RING_TEST(the_close_of_the_engine_tells_who_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
