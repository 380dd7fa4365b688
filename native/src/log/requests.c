/* SPDX-License-Identifier: Apache-2.0 */
#include "log/requests.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "log/log_file_open.h"

struct requests *requests_create(const struct platform *platform, struct stream_requests *table) {
    struct requests *requests = platform_allocate(platform, sizeof *requests, PLATFORM_PLAIN);
    if (requests == NULL) {
        return NULL;
    }
    pthread_mutex_init(&requests->lock, NULL);
    requests->owns_table = table == NULL;
    requests->table =
        requests->owns_table ? platform_allocate(platform, sizeof *requests->table, PLATFORM_PLAIN) : table;
    if (requests->table == NULL) {
        platform_release(platform, requests, sizeof *requests);
        return NULL;
    }
    return requests;
}

void requests_destroy(const struct platform *platform, struct requests *requests) {
    if (requests == NULL) {
        return;
    }
    for (unsigned entry = 0; entry < REQUESTS_MOST; entry++) {
        const struct request_local *local = &requests->locals[entry];
        if (local->closed != NULL) {
            local->closed(local->argument);
        }
    }
    if (requests->owns_table) {
        platform_release(platform, requests->table, sizeof *requests->table);
    }
    platform_release(platform, requests, sizeof *requests);
}

/* --------------------------------------------------------------------------------------------- the application */

static int is_free(const struct requests *requests, unsigned entry) {
    const struct stream_request *asked = &requests->table->asked[entry];
    return atomic_load(&asked->wants) == REQUEST_CLOSED &&
           atomic_load(&requests->answered[entry].number) == atomic_load(&asked->number);
}

static void copy(char *to, size_t room, const char *from) {
    snprintf(to, room, "%s", from == NULL ? "" : from);
}

/* Publishes the entry as it is now. The caller has the lock. */
static void publish(struct requests *requests, struct request_ticket *ticket, enum request_wants wants) {
    struct stream_request *asked = &requests->table->asked[ticket->entry];
    ticket->number = atomic_load(&requests->table->newest) + 1;
    atomic_store(&asked->wants, wants);
    atomic_store(&asked->number, ticket->number);
    atomic_store(&requests->table->newest, ticket->number);
}

static int put(struct requests *requests, const struct engine_stream *stream, struct request_ticket *ticket) {
    unsigned entry = 0;
    while (entry < REQUESTS_MOST && !is_free(requests, entry)) {
        entry++;
    }
    if (entry == REQUESTS_MOST) {
        return -EBUSY;
    }
    struct stream_request *asked = &requests->table->asked[entry];
    asked->file_mode = stream->new_file.mode;
    asked->has_index = (uint32_t)stream->has_index;
    asked->has_segments = stream->segments != NULL;
    asked->is_tidied = (uint32_t)stream->is_tidied;
    asked->is_main = (uint32_t)stream->is_main;
    asked->segment_bytes = stream->segment_bytes;
    copy(asked->name, sizeof asked->name, stream->name);
    copy(asked->path, sizeof asked->path, stream->path);
    copy(asked->segments, sizeof asked->segments, stream->segments);
    copy(asked->owner, sizeof asked->owner, stream->new_file.owner);
    copy(asked->group, sizeof asked->group, stream->new_file.group);
    requests->locals[entry] = (struct request_local){.roller = stream->roller};
    ticket->entry = entry;
    publish(requests, ticket, REQUEST_OPEN);
    return 0;
}

int requests_open(struct requests *requests, const char *ring, const struct engine_stream *stream,
                  struct request_ticket *ticket) {
    pthread_mutex_lock(&requests->lock);
    const int rc = put(requests, stream, ticket);
    pthread_mutex_unlock(&requests->lock);
    return rc < 0 ? error_set(-rc,
                              "log file %s cannot be opened now: %u streams of ring %s are open or wait for the drain, "
                              "which waits for a log file that does not answer; open it again when that has passed",
                              stream->path, REQUESTS_MOST, ring)
                  : 0;
}

void requests_close(struct requests *requests, struct request_ticket *ticket, request_closed *closed, void *argument) {
    pthread_mutex_lock(&requests->lock);
    struct request_local *local = &requests->locals[ticket->entry];
    local->argument = argument;
    local->closed = closed;
    publish(requests, ticket, REQUEST_CLOSED);
    pthread_mutex_unlock(&requests->lock);
}

void requests_forget(struct requests *requests, const struct request_ticket *ticket) {
    pthread_mutex_lock(&requests->lock);
    atomic_store(&requests->table->asked[ticket->entry].wants, REQUEST_CLOSED);
    pthread_mutex_unlock(&requests->lock);
}

const struct stream_answer *requests_answer(const struct requests *requests, const struct request_ticket *ticket) {
    const struct stream_answer *answer = &requests->answered[ticket->entry];
    return atomic_load(&answer->number) >= ticket->number ? answer : NULL;
}

/* ---------------------------------------------------------------------------------------------------- the drain */

static const char *unless_empty(const char *text) {
    return text[0] != '\0' ? text : NULL;
}

/* Those who ask may be another process, whose texts need not end, and may change while they are used. */
static void end_texts(struct stream_request *asked) {
    asked->name[sizeof asked->name - 1] = '\0';
    asked->path[sizeof asked->path - 1] = '\0';
    asked->segments[sizeof asked->segments - 1] = '\0';
    asked->owner[sizeof asked->owner - 1] = '\0';
    asked->group[sizeof asked->group - 1] = '\0';
}

/* Opens the stream. If that fails, removes the log file and the folders that were made for it. */
static int open_asked(const struct stream_request *given, const struct roller *roller,
                      const struct request_server *server, uint16_t *id) {
    struct stream_request copied;
    struct stream_request *const asked = &copied;
    const size_t begin = offsetof(struct stream_request, file_mode); /* who gives up changes what comes before */
    memcpy((char *)asked + begin, (const char *)given + begin, sizeof *asked - begin);
    end_texts(asked);
    const struct engine_stream stream = {.name = asked->name,
                                         .path = asked->path,
                                         .roller = roller,
                                         .segments = asked->has_segments ? asked->segments : NULL,
                                         .segment_bytes = asked->segment_bytes,
                                         .has_index = (int)asked->has_index,
                                         .is_tidied = (int)asked->is_tidied,
                                         .is_main = (int)asked->is_main,
                                         .new_file = {.mode = asked->file_mode,
                                                      .owner = unless_empty(asked->owner),
                                                      .group = unless_empty(asked->group)}};
    struct log_file_before before;
    int rc = server->check == NULL ? 0 : server->check(server->argument, &stream);
    if (rc < 0) {
        return rc;
    }
    log_file_look(asked->path, &before);
    rc = server->open(server->argument, &stream, id);
    if (rc < 0) {
        log_file_take_back(&before);
    }
    return rc;
}

static void close_asked(struct request_local *local, struct stream_answer *answer,
                        const struct request_server *server) {
    if (answer->is_open) {
        server->close(server->argument, answer->id);
    }
    answer->rc = answer->is_open = 0;
    if (local->closed != NULL) {
        request_closed *const closed = local->closed;
        local->closed = NULL;
        closed(local->argument);
    }
}

static void serve(struct requests *requests, unsigned entry, uint64_t number, const struct request_server *server) {
    const struct stream_request *asked = &requests->table->asked[entry];
    struct stream_answer *answer = &requests->answered[entry];
    if (atomic_load(&asked->wants) == REQUEST_CLOSED) { /* perhaps withdrawn since the number was read */
        close_asked(&requests->locals[entry], answer, server);
    } else if (!answer->is_open) {
        answer->rc = open_asked(asked, requests->locals[entry].roller, server, &answer->id);
        answer->is_open = answer->rc == 0;
        copy(answer->text, sizeof answer->text, answer->rc < 0 ? error_text() : "");
    }
    atomic_store(&answer->number, number);
    server->answered(server->argument);
}

/* The entry with the lowest number up to `newest` that was not dealt with; REQUESTS_MOST: there is none. An entry that was
 * looked at may get its number before a later one does: `newest`, read first, leaves both to the next look. */
static unsigned oldest(const struct requests *requests, uint64_t newest, uint64_t *number) {
    unsigned found = REQUESTS_MOST;
    *number = UINT64_MAX;
    for (unsigned entry = 0; entry < REQUESTS_MOST; entry++) {
        const uint64_t asked = atomic_load(&requests->table->asked[entry].number);
        if (asked != atomic_load(&requests->answered[entry].number) && asked <= newest && asked < *number) {
            *number = asked;
            found = entry;
        }
    }
    return found;
}

void requests_serve(struct requests *requests, const struct request_server *server) {
    const uint64_t newest = atomic_load(&requests->table->newest);
    uint64_t number;
    /* Each entry has one change up to `newest`. Another process may write other numbers for ever. */
    for (unsigned served = 0, entry;
         served < REQUESTS_MOST && (entry = oldest(requests, newest, &number)) < REQUESTS_MOST; served++) {
        serve(requests, entry, number, server);
    }
    requests->served = newest;
}

int requests_are_waiting(const struct requests *requests) {
    uint64_t number;
    return oldest(requests, UINT64_MAX, &number) < REQUESTS_MOST;
}

void requests_note_open(struct requests *requests, const struct request_ticket *ticket, uint16_t id) {
    struct stream_answer *answer = &requests->answered[ticket->entry];
    answer->rc = 0;
    answer->id = id;
    answer->is_open = 1;
    atomic_store(&answer->number, ticket->number);
}

void requests_begin_anew(struct requests *requests) {
    requests->served = 0;
    for (unsigned entry = 0; entry < REQUESTS_MOST; entry++) {
        struct stream_answer *answer = &requests->answered[entry];
        answer->is_open = 0;
        if (atomic_load(&requests->table->asked[entry].wants) == REQUEST_OPEN) {
            atomic_store(&answer->number, 0);
        }
    }
}

/* ------------------------------------------------------------------------------------- the drain of another process */

#define ERRNO_MOST 4095

/* Whether it is what a drain answers: a stream that is open; a sentence why it is not; or, only to a close, neither. */
static int is_plausible(const struct stream_answer *given, int asks_open) {
    return given->is_open   ? given->rc == 0 && given->id < LAYOUT_STREAMS_MAX
           : given->rc == 0 ? !asks_open
                            : given->rc < 0 && given->rc >= -ERRNO_MOST && given->text[0] != '\0';
}

static void take_answer(struct requests *requests, unsigned entry, const struct stream_answer *given) {
    struct stream_answer *answer = &requests->answered[entry];
    struct request_local *local = &requests->locals[entry];
    const struct stream_request *asked = &requests->table->asked[entry];
    answer->rc = given->rc;
    answer->id = given->id;
    answer->is_open = given->is_open;
    copy(answer->text, sizeof answer->text, given->text);
    if (!is_plausible(given, atomic_load(&asked->wants) == REQUEST_OPEN)) {
        answer->rc = -EPROTO;
        answer->is_open = 0;
        snprintf(answer->text, sizeof answer->text,
                 "the drain in another process answered as none does: result %d, stream %u, open %u; end it, and run "
                 "`burstlog drain` of the version of this process",
                 given->rc, given->id, given->is_open);
    }
    atomic_store(&answer->number, atomic_load(&given->number));
    /* An answer to the open may come when the close is asked for: that has a number of its own. */
    if (atomic_load(&asked->wants) == REQUEST_CLOSED && local->closed != NULL &&
        atomic_load(&answer->number) == atomic_load(&asked->number)) {
        request_closed *const closed = local->closed;
        local->closed = NULL;
        closed(local->argument);
    }
}

int requests_take_answers(struct requests *requests, const struct stream_answer *answers) {
    int took = 0;
    for (unsigned entry = 0; entry < REQUESTS_MOST; entry++) {
        const uint64_t number = atomic_load(&answers[entry].number);
        if (number > atomic_load(&requests->answered[entry].number) &&
            number <= atomic_load(&requests->table->asked[entry].number)) {
            take_answer(requests, entry, &answers[entry]);
            took = 1;
        }
    }
    return took;
}
