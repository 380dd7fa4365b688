/* SPDX-License-Identifier: Apache-2.0 */
/* The periodic work of an open log: requests, and a step of the drain between the two halves of the keeper's. */
#include "log/engine.h"

void engine_ask(struct engine *engine, struct engine_call *call) {
    call->next = atomic_load(&engine->calls);
    while (!atomic_compare_exchange_weak(&engine->calls, &call->next, call)) {
    }
    event_count_notify(&engine->ring->drain, engine->parts.platform);
}

/* Does the requests in the order in which they came: a stream that is opened again was closed before. */
static void run_calls(struct engine *engine) {
    struct engine_call *asked = atomic_exchange(&engine->calls, NULL), *call = NULL;
    while (asked != NULL) {
        struct engine_call *before = asked->next;
        asked->next = call;
        call = asked;
        asked = before;
    }
    while (call != NULL) {
        struct engine_call *next = call->next; /* the asking thread may free a request that is done */
        call->run(call, engine);
        event_count_notify(&engine->keeper.drained, engine->parts.platform);
        call = next;
    }
}

int engine_step(struct engine *engine, int sync) {
    run_calls(engine);
    const uint64_t durable = keeper_begin_step(&engine->keeper);
    const int rc = drain_step(engine->drainer.drain, sync);
    keeper_end_step(&engine->keeper, durable, rc);
    return rc;
}

void engine_note_end(struct engine *engine) {
    keeper_note_end(&engine->keeper, drain_is_done(engine->drainer.drain));
}
