/* SPDX-License-Identifier: Apache-2.0 */
/* Rolls, and the caller who performs them in the engine's place. */
#include "harness/simulator/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "media/roll.h"

#define PLANNED_NS 1000000
#define PLANNED_BYTES 777
#define ROLL_TEXT_MIN_BYTES (PAYLOAD_MIN_BYTES + 2)

const struct sim_roll plain_roll = {.footer_bytes = 40, .header_bytes = 30};

uint32_t roll_text(const struct model *model, uint64_t sequence, int is_header, char *out) {
    const struct model_record *record = &model->records[sequence];
    const uint32_t bytes = is_header ? record->roll->header_bytes : record->roll->footer_bytes;
    if (bytes == 0) {
        return 0;
    }
    memset(out, payload_fill(sequence, record->incarnation), bytes);
    char name[ROLL_TEXT_MIN_BYTES];
    snprintf(name, sizeof name, "%c%06u.%04u:", is_header ? '>' : '<', (unsigned)sequence % 1000000u,
             record->incarnation % 10000u);
    memcpy(out, name, sizeof name - 1);
    out[bytes - 1] = '\n';
    return bytes;
}

size_t roll_make(const struct world *world, uint64_t sequence, const char *file, char *out) {
    const struct model_record *record = &world->model.records[sequence];
    const struct sim_roll *wanted = record->roll;
    char footer[WORLD_BLOCK_BYTES], header[WORLD_BLOCK_BYTES], target[FILE_NAME_MAX];
    snprintf(target, sizeof target, "%s.r%u.%u", file, (unsigned)sequence, record->incarnation);
    const struct roll roll = {
        .footer = (const uint8_t *)footer,
        .header = (const uint8_t *)header,
        .target = wanted->target == NULL ? target : wanted->target,
        .next = wanted->next,
        .footer_bytes = roll_text(&world->model, sequence, 0, footer),
        .header_bytes = roll_text(&world->model, sequence, 1, header),
        .target_bytes = (uint32_t)strlen(wanted->target == NULL ? target : wanted->target),
        .next_bytes = wanted->next == NULL ? 0 : (uint32_t)strlen(wanted->next),
        .next_time_ns = world->rolls_planned ? world->now_ns + PLANNED_NS : 0,
        .next_file_bytes = world->rolls_planned ? PLANNED_BYTES : 0,
    };
    roll_encode(&roll, (uint8_t *)out);
    return roll_size(&roll);
}

int64_t log_roll(struct world *world, const struct sim_roll *roll) {
    if ((roll->footer_bytes > 0 && roll->footer_bytes < ROLL_TEXT_MIN_BYTES) ||
        (roll->header_bytes > 0 && roll->header_bytes < ROLL_TEXT_MIN_BYTES)) {
        violation(world, "the scenario wants a roll whose text cannot say whose it is");
    }
    world->model.has_rolls = 1;
    if (roll->is_enqueued) {
        return log_offer(world, roll, roll->footer_bytes, ring_enqueue_roll, &never_waits);
    }
    const int64_t rc =
        log_offer(world, roll, roll->footer_bytes, ring_append_roll, world->park_drains ? &for_ever : &unless_full);
    log_note_durable(world);
    if (rc > 0) {
        world->model.acknowledged = (uint64_t)rc;
    }
    return rc;
}

/* The caller renames the file itself, as an action of Log4j does. */
static int rename_it(struct world *world, const char *from, const char *to) {
    const struct files *files = &world->files.files;
    const int rc = files->ops->rename(files, from, to);
    return rc < 0 ? rc : files->ops->sync_name(files, to);
}

static int ask(const struct roller *roller, const struct roll_question *question, struct roll_answer *answer) {
    struct sim_roller *caller = (struct sim_roller *)roller;
    const uint64_t sequence = question->record->sequence;
    if (caller->asked != sequence) {
        caller->asked = question->is_renamed ? 0 : sequence;
        return question->is_renamed ? ROLL_NOBODY : -EINPROGRESS;
    }
    memset(answer, 0, sizeof *answer);
    switch (caller->world->model.rolls_may_fail ? sequence % 4 : sequence % 3) {
    case 0:
        snprintf(answer->target, sizeof answer->target, "%s.c%u", question->file, (unsigned)sequence);
        return 0;
    case 1:
        snprintf(answer->target, sizeof answer->target, "%.*s", (int)question->record->roll.target_bytes,
                 question->record->roll.target);
        return 0;
    case 2: {
        char name[FILE_NAME_MAX + 16];
        snprintf(name, sizeof name, "%.40s.m%u", question->file, (unsigned)sequence);
        if (!question->is_renamed) {
            answer->rc = rename_it(caller->world, question->file, name);
        }
        return 0;
    }
    default:
        answer->rc = -EACCES;
        return 0;
    }
}

void sim_roller_init(struct world *world) {
    for (unsigned i = 0; i < STREAMS_MAX; i++) {
        world->rollers[i] = (struct sim_roller){.roller = {.ask = ask}, .world = world};
    }
}

static int ask_nobody(const struct roller *roller, const struct roll_question *question, struct roll_answer *answer) {
    (void)roller;
    (void)question;
    (void)answer;
    return ROLL_NOBODY;
}

static void plan(const struct roller *roller, struct outlet_roll *roll) {
    (void)roller;
    roll->next_time_ns = roll->born_ns + PLANNED_NS;
    roll->next_file_bytes = PLANNED_BYTES;
}

const struct roller *sim_roller_of(const struct world *world, unsigned which) {
    static const struct roller planner = {.ask = ask_nobody, .plan = plan};
    return world->rolls_by_caller ? &world->rollers[which].roller : world->rolls_planned ? &planner : NULL;
}

void sim_check_plans(const struct world *world) {
    if (!world->rolls_planned || world->rolls_by_caller) { /* a caller plans by its rolls */
        return;
    }
    const struct ledger *ledger = world->engine->view.ledger;
    const unsigned newest = ledger_newest(ledger);
    for (unsigned i = 0; i < ledger_streams(ledger, newest); i++) {
        struct stream_state state;
        ledger_stream(ledger, newest, i, &state);
        const struct outlet_roll *roll = &state.outlet.roll;
        if (state.outlet.path[0] != '\0' && state.outlet.kind == OUTLET_FILE &&
            (roll->next_time_ns != roll->born_ns + PLANNED_NS || roll->next_file_bytes != PLANNED_BYTES)) {
            violation(world, "I10: %s was born at %lld, and its next roll is planned for %lld, and for %llu bytes",
                      state.outlet.path, (long long)roll->born_ns, (long long)roll->next_time_ns,
                      (unsigned long long)roll->next_file_bytes);
        }
    }
}
