/* SPDX-License-Identifier: Apache-2.0 */
/* In which order a drain deals with what is asked meanwhile, and when it ends. */
#include "log/requests_fixture.h"

#include <string.h>

static char done[100]; /* "+" opens a stream, "-" closes it */

static int note_open(void *argument, const struct engine_stream *stream, uint16_t *id) {
    (void)argument, (void)stream;
    strcat(done, "+");
    *id = 1;
    return 0;
}

static void note_close(void *argument, uint16_t id) {
    (void)argument, (void)id;
    strcat(done, "-");
}

static int begin(void **state) {
    (void)state;
    requests = requests_create(&platform_linux, NULL);
    done[0] = '\0';
    return requests == NULL;
}

/* The drain looks at the entries one after the other. A close and then an open may get their numbers between two of its
 * looks, so that it meets the open alone. */
static void what_is_asked_during_a_look_waits_for_the_next_one(void **state) {
    static const struct request_server server = {.open = note_open, .close = note_close, .answered = note_answer};
    (void)state;
    struct request_ticket first = ask("/none/a");
    requests_serve(requests, &server);
    const uint64_t newest = atomic_load(&requests->table->newest);
    requests_close(requests, &first, NULL, NULL);
    const struct request_ticket again = ask("/none/a");
    const uint64_t close_number = atomic_exchange(&requests->table->asked[first.entry].number, newest);
    atomic_store(&requests->table->newest, newest); /* as the drain has seen both */
    requests_serve(requests, &server);
    assert_string_equal(done, "+");
    atomic_store(&requests->table->asked[first.entry].number, close_number);
    atomic_store(&requests->table->newest, again.number);
    requests_serve(requests, &server);
    assert_string_equal(done, "+-+");
}

static int answered_count;

static void ask_again(void *argument) {
    const struct request_ticket *ticket = argument;
    struct stream_requests *table = requests->table;
    answered_count++;
    atomic_fetch_sub(&table->asked[ticket->entry].number, 1); /* no log does: each change has a higher one */
}

/* A log of another process that does so would keep its drain from everything else, and from its end. */
static void who_asks_for_ever_is_not_served_for_ever(void **state) {
    (void)state;
    struct request_ticket one = ask("/none/a");
    const struct request_server endless = {
        .argument = &one, .open = note_open, .close = note_close, .answered = ask_again};
    answered_count = 0;
    atomic_store(&requests->table->newest, 1000000);
    atomic_store(&requests->table->asked[one.entry].number, 1000000);
    requests_serve(requests, &endless);
    assert_in_range(answered_count, 1, REQUESTS_MOST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_asked_during_a_look_waits_for_the_next_one, begin, end),
        cmocka_unit_test_setup_teardown(who_asks_for_ever_is_not_served_for_ever, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
