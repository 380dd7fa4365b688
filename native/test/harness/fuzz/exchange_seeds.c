/* SPDX-License-Identifier: Apache-2.0 */
/* The first inputs of the targets between a log and the drain of another process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "harness/fuzz/exchange.h"
#include "harness/fuzz/seeds.h"
#include "log/requests.h"

static struct request_ticket ask(struct requests *requests, const char *name, const char *path, const char *segments) {
    const struct engine_stream stream = {.name = name, .path = path, .segments = segments};
    struct request_ticket ticket;
    if (requests_open(requests, "/ring", &stream, &ticket) < 0) {
        fprintf(stderr, "%s\n", error_text());
        exit(1);
    }
    return ticket;
}

static void forget(void *argument) {
    (void)argument;
}

/* Inputs of target_requests.c: what a log asks for, as its table has it, and the same for places beside the list. */
static void requests(void) {
    static struct requests_input input = {.steps = 2, .list = 2, .watermark = 0};
    struct requests *requests = requests_create(&platform_linux, NULL);
    struct request_ticket third;
    ask(requests, "orders", "/fuzz/logs/orders.log", NULL);
    ask(requests, "", "/fuzz/one.log", "/fuzz/run/segments");
    third = ask(requests, "audit", "/fuzz/logs/sub/../audit.log", NULL);
    requests_close(requests, &third, forget, NULL);
    ask(requests, "", "/fuzz/logs/../others/log", NULL);
    ask(requests, "", "/fuzz/logs-too/log", "/fuzz/logs");
    for (unsigned i = 0; i < 5; i++) {
        const struct stream_request *asked = &requests->table->asked[i];
        struct wish *wish = &input.wishes[i];
        *wish = (struct wish){.entry = (uint8_t)i,
                              .wants = (uint8_t)atomic_load(&asked->wants),
                              .has_segments = (uint8_t)asked->has_segments,
                              .number = (int32_t)atomic_load(&asked->number)};
        memcpy(wish->path, asked->path, sizeof wish->path);
        memcpy(wish->segments, asked->has_segments ? asked->segments : asked->name, sizeof wish->segments);
        input.wish_count = (uint8_t)(i + 1);
        if (i == 2 || i == 4) {
            write_seed("requests", i == 2 ? "three-streams" : "places-beside-the-list", &input, sizeof input);
        }
    }
    input.wishes[0].is_endless = 1;
    write_seed("requests", "text-without-end", &input, sizeof input);
    input.list = 0;
    input.asks_for_ever = 1;
    write_seed("requests", "asks-for-ever", &input, sizeof input);
    requests_destroy(&platform_linux, requests);
}

/* Inputs of target_page.c: a drain opens two streams and refuses one, of which one is closed; and its lies. */
static void pages(void) {
    static struct page_input input = {
        .act_count = 4,
        .answer_count = 4,
        .rounds = 2,
        .drain = {1, 1, 1},
        .change = {1, 2, 3},
        .events = {1, 2, 20},
        .named = {7, 7},
        .acts = {{.kind = ACT_OPEN}, {.kind = ACT_OPEN}, {.kind = ACT_OPEN}, {.kind = ACT_CLOSE, .round = 1}},
        .answers = {{.entry = 0, .is_open = 1, .id = 1},
                    {.entry = 1, .is_open = 1, .id = 2},
                    {.entry = 2, .rc = -EIO, .text = 2},
                    {.entry = 0, .round = 1}}};
    write_seed("page", "answers", &input, sizeof input);
    input.answers[1].id = LAYOUT_STREAMS_MAX;
    write_seed("page", "id-out-of-range", &input, sizeof input);
    input.answers[1] = (struct page_answer){.entry = 1, .rc = EIO, .text = 3};
    write_seed("page", "refusal-of-another-sign", &input, sizeof input);
    input.version = 1;
    write_seed("page", "another-version", &input, sizeof input);
}

void exchange_seeds(void) {
    requests();
    pages();
}
