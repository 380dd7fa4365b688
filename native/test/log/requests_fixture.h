/* SPDX-License-Identifier: Apache-2.0 */
/* Requests without a ring, and an application that asks. */
#ifndef REQUESTS_FIXTURE_H
#define REQUESTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "log/requests.h"

static struct requests *requests;

static inline void note_answer(void *argument) {
    (void)argument;
}

static inline int end(void **state) {
    (void)state;
    requests_destroy(&platform_linux, requests);
    return 0;
}

static inline struct request_ticket ask(const char *path) {
    const struct engine_stream stream = {.name = "", .path = path};
    struct request_ticket ticket;
    assert_int_equal(requests_open(requests, "/ring", &stream, &ticket), 0);
    return ticket;
}

#endif
