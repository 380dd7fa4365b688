/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A drain of another process that is hostile: any page, whole or cut, of any version, with any answers, events and figures. The
 * log has asked for streams, and asks for more between two pages. It takes only a page that was sealed, of its own version and
 * epoch, each once; answers only to what was asked, a stream only by an id that both slots name; and it tells texts that end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "harness/fuzz/exchange.h"
#include "harness/fuzz/violation.h"
#include "log/hand_over.h"
#include "media/record.h"
#include "window/locks.h"
#include "window/page_file.h"

#define EPOCH 7u
#define SLOT_BYTES (64u * 1024u)
#define ERRNO_MOST 4095

static struct page_input input;
static uint8_t uuid[16] = "a ring";
static char folder[64], file[128];
static burst_t log;
static struct engine engine;
static struct device device;
static struct ring ring;
static uint8_t slots[LAYOUT_CHECKPOINT_SLOTS][SLOT_BYTES];
static struct drain_page page;
static struct request_ticket tickets[ACTS];
static unsigned ticket_count;
static int closes_asked[ACTS], closes_told[ACTS]; /* by ticket */

/* ------------------------------------------------------------------------------------------------------------ the host */

int __wrap_locks_open(struct ring_locks *locks, const char *in, const uint8_t id[16]);
int __wrap_locks_await_writer(struct ring_locks *locks, const char *path, int64_t wait_ns);
int __wrap_locks_is_held(const struct ring_locks *locks, enum locks_byte byte);
int __wrap_locks_is_named(const struct ring_locks *locks);
int __wrap_locks_try(struct ring_locks *locks, enum locks_byte byte);
void __wrap_locks_holder(const struct ring_locks *locks, enum locks_byte byte, char *text, size_t room);

int __wrap_locks_open(struct ring_locks *locks, const char *in, const uint8_t id[16]) {
    (void)in, (void)id;
    *locks = (struct ring_locks){.fd = -1};
    return 0;
}

int __wrap_locks_await_writer(struct ring_locks *locks, const char *path, int64_t wait_ns) {
    (void)locks, (void)path, (void)wait_ns;
    return 0;
}

int __wrap_locks_is_held(const struct ring_locks *locks, enum locks_byte byte) {
    (void)locks;
    return byte == LOCKS_DRAIN;
}

int __wrap_locks_is_named(const struct ring_locks *locks) {
    (void)locks;
    return 1;
}

int __wrap_locks_try(struct ring_locks *locks, enum locks_byte byte) {
    (void)locks, (void)byte;
    return -EBUSY;
}

void __wrap_locks_holder(const struct ring_locks *locks, enum locks_byte byte, char *text, size_t room) {
    (void)locks, (void)byte;
    snprintf(text, room, "process 1");
}

static void make_slot(unsigned slot, uint64_t named) {
    static struct stream_state states[LAYOUT_STREAMS_MAX];
    const struct stream_state *these[LAYOUT_STREAMS_MAX];
    const struct checkpoint_facts facts = {.generation = slot + 1, .epoch = EPOCH};
    unsigned count = 0;
    for (unsigned id = 0; id < LAYOUT_STREAMS_MAX; id++) {
        if (id == LAYOUT_MAIN_STREAM || (named >> id & 1) != 0) {
            stream_state_first(&states[count]);
            states[count].id = (uint16_t)id;
            states[count].next_sequence = 1;
            these[count] = &states[count];
            count++;
        }
    }
    checkpoint_encode(&facts, these, count, crc_seed_of(uuid), slots[slot], SLOT_BYTES);
    engine.keeper.slots.kept[slot] = slots[slot];
    engine.keeper.slots.seen[slot].generation = slot + 1;
}

static int is_named(unsigned id) {
    return id == LAYOUT_MAIN_STREAM || (id < LAYOUT_STREAMS_MAX && (input.named[0] & input.named[1]) >> id & 1);
}

/* ------------------------------------------------------------------------------------------------------------- the log */

static void note_closed(void *argument) {
    const unsigned ticket = (unsigned)(uintptr_t)argument;
    closes_told[ticket]++;
    MUST(closes_told[ticket] <= closes_asked[ticket]);
}

static void do_act(const struct act *act) {
    const struct engine_stream stream = {.name = "", .path = "/fuzz/log"};
    const unsigned which = ticket_count == 0 ? 0 : act->ticket % ticket_count;
    struct request_ticket *ticket = &tickets[which];
    if (act->kind % ACTS_THERE_ARE == ACT_OPEN) {
        MUST(requests_open(engine.requests, "/ring", &stream, &tickets[ticket_count]) == 0);
        ticket_count++;
    } else if (ticket_count == 0 || closes_asked[which] != 0) {
        return;
    } else if (act->kind % ACTS_THERE_ARE == ACT_CLOSE) {
        closes_asked[which] = 1;
        requests_close(engine.requests, ticket, note_closed, (void *)(uintptr_t)which);
    } else {
        const struct stream_answer *answer = requests_answer(engine.requests, ticket);
        if (answer != NULL && answer->rc < 0) {
            requests_forget(engine.requests, ticket);
            closes_asked[which] = 2; /* the log has no such stream any more */
        }
    }
}

/* ------------------------------------------------------------------------------------------------------ the hostile drain */

static void put_answer(const struct page_answer *given) {
    const unsigned entry = given->entry % (ACTS + 1) == ACTS ? REQUESTS_MOST - 1 : given->entry % (ACTS + 1);
    struct stream_answer *answer = &page.answers[entry];
    const uint64_t asked = atomic_load(&engine.requests->table->asked[entry].number);
    atomic_store(&answer->number, (given->how % 4 == 1 ? 0 : asked) + (uint64_t)(int64_t)given->number);
    answer->rc = given->rc;
    answer->id = given->id;
    answer->is_open = given->is_open;
    memset(answer->text, 0, sizeof answer->text);
    if (given->text % 4 != 0) {
        memset(answer->text, 'a', given->text % 4 == 3 ? sizeof answer->text : sizeof answer->text - given->text % 4);
    }
}

static void poke(const struct exchange_poke *poke) {
    const size_t bytes = poke->area % 2 == 0 ? offsetof(struct drain_page, event) : sizeof page;
    uint8_t *at = (uint8_t *)&page + (poke->at + poke->area / 2 * 65536ull) % (bytes / 8) * 8;
    int64_t value;
    memcpy(&value, at, sizeof value);
    value = exchange_value(poke, value);
    memcpy(at, &value, sizeof value);
}

/* Returns whether it is a page that a drain of this version may have written. */
static int make_page(unsigned round) {
    static struct drain_page sealed;
    memset(&page, 0, sizeof page);
    page.drain = input.drain[round];
    page.change = input.change[round];
    page.events = input.events[round];
    page.epoch = EPOCH + input.epoch;
    for (unsigned i = 0; i < DRAIN_PAGE_EVENTS; i++) {
        memset(page.event[i].text, 'e', DRAIN_EVENT_BYTES - (input.text % 16 == 1 ? 0 : 1));
        page.event[i].severity = i;
    }
    for (unsigned i = 0; i < input.answer_count % (ANSWERS + 1); i++) {
        if (input.answers[i].round % ROUNDS <= round) {
            put_answer(&input.answers[i]);
        }
    }
    for (unsigned i = 0; i < input.poke_count % (PAGE_POKES + 1); i++) {
        poke(&input.pokes[i]);
    }
    const uint32_t crc_seed = crc_seed_of(uuid);
    drain_page_seal(&page, crc_seed);
    page.version += input.version % 16;
    page.bytes += input.bytes % 16;
    page.crc = crc32c(crc_seed, &page, offsetof(struct drain_page, crc));
    memcpy(&sealed, &page, sizeof page);
    for (unsigned i = 0; i < input.late_count % 4; i++) {
        poke(&input.pokes[PAGE_POKES - 1 - i]);
    }
    int ends = input.text % 16 != 1;
    for (unsigned i = 0; i < DRAIN_PAGE_EVENTS && ends; i++) {
        ends = memchr(page.event[i].text, 0, DRAIN_EVENT_BYTES) != NULL;
    }
    for (unsigned i = 0; i < REQUESTS_MOST && ends; i++) {
        ends = memchr(page.answers[i].text, 0, REQUEST_ANSWER_BYTES) != NULL;
    }
    return ends && memcmp(&sealed, &page, sizeof page) == 0 && page.version == HANDOVER_VERSION &&
           page.bytes == sizeof page;
}

/* Returns whether all of it is there. */
static int write_page(void) {
    const size_t bytes = input.cut % 8 == 1 ? input.cut / 8 % (sizeof page + 1) : sizeof page;
    const int fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC | O_TRUNC, 0600);
    MUST(fd >= 0 && write(fd, &page, bytes) == (ssize_t)bytes && close(fd) == 0);
    return bytes == sizeof page;
}

/* -------------------------------------------------------------------------------------------------------- what must be */

static void check_answer(unsigned entry, const struct stream_answer *before) {
    const struct stream_answer *after = &engine.requests->answered[entry], *given = &page.answers[entry];
    const struct stream_request *asked = &engine.requests->table->asked[entry];
    const uint64_t number = atomic_load(&after->number);
    if (number == atomic_load(&before->number)) {
        MUST(memcmp(after, before, sizeof *after) == 0);
        return;
    }
    MUST(number == atomic_load(&given->number) && number > atomic_load(&before->number));
    MUST(number <= atomic_load(&asked->number)); /* somebody has asked for that */
    MUST(memchr(after->text, 0, sizeof after->text) != NULL);
    MUST(after->is_open ? after->rc == 0 && is_named(after->id) : after->rc <= 0 && after->rc >= -ERRNO_MOST);
    MUST(after->rc == 0 || after->text[0] != '\0');
    if (number == atomic_load(&asked->number) && atomic_load(&asked->wants) == REQUEST_OPEN) {
        MUST((after->is_open != 0) == (after->rc == 0)); /* it takes records, or is refused */
    }
}

static void look(unsigned round, uint64_t *drain, uint64_t *change) {
    static struct stream_answer before[REQUESTS_MOST];
    const int is_good = make_page(round) & write_page();
    const int is_new = page.drain != *drain || page.change != *change;
    const uint64_t posted = log.events.end;
    memcpy(before, engine.requests->answered, sizeof before);
    hand_over_look(&log);
    if (!is_good || !is_new) {
        MUST(log.events.end == posted);
    } else {
        *drain = page.drain;
        *change = page.change;
    }
    if (!is_good || !is_new || page.epoch != EPOCH) {
        MUST(memcmp(before, engine.requests->answered, sizeof before) == 0);
    }
    for (unsigned entry = 0; entry < REQUESTS_MOST; entry++) {
        check_answer(entry, &before[entry]);
    }
    MUST(log.events.end - posted <= DRAIN_PAGE_EVENTS);
    for (uint64_t i = posted; i < log.events.end; i++) {
        const struct event *event = &log.events.kept[i % EVENTS_KEPT];
        MUST(event->severity <= EVENT_ERROR && memchr(event->text, 0, sizeof event->text) != NULL);
    }
    for (unsigned i = 0; i < ticket_count; i++) {
        MUST(closes_told[i] == 0 || requests_answer(engine.requests, &tickets[i]) != NULL);
    }
}

/* ------------------------------------------------------------------------------------------------------------- the run */

static void remove_file(void) {
    unlink(file);
}

static void begin(void) {
    static struct checked_config config;
    struct page_file named;
    enum engine_drains drains;
    snprintf(folder, sizeof folder, "/dev/shm");
    uuid[8] = (uint8_t)(getpid() & 255);
    uuid[9] = (uint8_t)(getpid() >> 8 & 255);
    uuid[10] = (uint8_t)(getpid() >> 16 & 255);
    MUST(page_file_name(&named, folder, uuid) == 0);
    snprintf(file, sizeof file, "%s", named.path);
    atexit(remove_file);
    memset(&log, 0, sizeof log);
    memset(&engine, 0, sizeof engine);
    strcpy(device.path, "/ring");
    device.io = DEVICE_IO_PWRITE;
    ring.epoch = EPOCH;
    engine.parts.platform = &platform_linux;
    engine.parts.device = &device;
    engine.ring = &ring;
    log.engine = &engine;
    log.device = &device;
    log.ring = &ring;
    log.is_external = 1;
    config.values.window = folder;
    MUST(hand_over_begin(&log, &config, uuid, &drains) == 0 && drains == ENGINE_DRAINS_NOT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t drain = 0, change = 0;
    memset(&input, 0, sizeof input);
    memcpy(&input, data, size < sizeof input ? size : sizeof input);
    begin();
    events_init(&log.events, &platform_linux);
    engine.requests = requests_create(&platform_linux, NULL);
    MUST(engine.requests != NULL && engine_far_create(&engine) == 0);
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        make_slot(slot, input.named[slot]);
    }
    ticket_count = 0;
    memset(closes_asked, 0, sizeof closes_asked);
    memset(closes_told, 0, sizeof closes_told);
    for (unsigned round = 0; round < 1 + input.rounds % ROUNDS; round++) {
        for (unsigned i = 0; i < input.act_count % (ACTS + 1); i++) {
            if (input.acts[i].round % ROUNDS == round) {
                do_act(&input.acts[i]);
            }
        }
        look(round, &drain, &change);
    }
    engine_far_destroy(&engine);
    requests_destroy(&platform_linux, engine.requests); /* tells what waits for its close */
    for (unsigned i = 0; i < ticket_count; i++) {
        MUST(closes_told[i] == (closes_asked[i] == 1));
    }
    hand_over_end(&log);
    return 0;
}

/* The fields are all that a change can mean: no other mutator knows more. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    (void)seed;
    return LLVMFuzzerMutate(data, size, room);
}
