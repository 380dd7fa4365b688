/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "recovery/recovery.h"

#define LOSSES_TOLD 8

struct text {
    char *bytes;
    size_t room;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text->bytes + text->used, text->room - text->used, format, arguments);
    va_end(arguments);
    if (wanted > 0) {
        text->used += (size_t)wanted < text->room - text->used ? (size_t)wanted : text->room - text->used - 1;
    }
}

static void say_where_to(struct text *text, const struct recovery_waiting *waiting, uint64_t count) {
    const char *ending = count == 1 ? "es" : "";
    if (!waiting->is_known || waiting->segments == 0) {
        say(text, " and go%s to the log file", ending);
    } else if (waiting->files == 0) {
        say(text, " and go%s to segments; the log file has %s", ending, count == 1 ? "it" : "them");
    } else {
        say(text, ": %" PRIu64 " to the log file, %" PRIu64 " to segments", waiting->files, waiting->segments);
    }
}

void recovery_statement(const struct recovery *recovery, char *text_bytes, size_t room) {
    struct text text = {.bytes = text_bytes, .room = room};
    const uint64_t waiting = recovery->waiting.is_known ? recovery->waiting.any : recovery->records;
    const uint64_t last = recovery->next_sequence - 1,
                   moved = recovery->records > 0 ? last : recovery->first_sequence - 1;
    if (recovery->epoch_highest == 0) {
        say(&text, "the ring is new");
    } else if (waiting > 0) {
        say(&text, "%" PRIu64 " record%s waiting in the ring (sequences %" PRIu64 "..%" PRIu64 ")", waiting,
            waiting == 1 ? " was" : "s were", recovery->first_sequence, last);
        say_where_to(&text, &recovery->waiting, waiting);
    } else if (moved > 0) {
        say(&text,
            "no record was waiting in the ring: what there was up to sequence %" PRIu64 " went to the log file "
            "before",
            moved);
    } else {
        say(&text, "no record was waiting in the ring");
    }
    size_t damaged = 0;
    for (size_t i = 0; i < recovery->jump_count; i++) {
        const struct recovery_jump *jump = &recovery->jumps[i];
        if (!jump->gap.damaged || ++damaged > LOSSES_TOLD) {
            continue;
        }
        if (jump->gap.count == 0) {
            say(&text, "; positions %" PRIu64 "..%" PRIu64 " are damaged, no record is missing there", jump->gap.from,
                jump->gap.to);
        } else {
            say(&text,
                "; LOST: records %" PRIu64 "..%" PRIu64 " (%" PRIu64 "), damaged at positions %" PRIu64 "..%" PRIu64,
                jump->gap.first_sequence, jump->gap.first_sequence + jump->gap.count - 1, jump->gap.count,
                jump->gap.from, jump->gap.to);
        }
    }
    if (damaged > LOSSES_TOLD) {
        say(&text, "; and %zu more damaged ranges: %" PRIu64 " records are lost in all", damaged - LOSSES_TOLD,
            recovery->lost);
    }
    if (recovery->hidden_to > 0) {
        say(&text,
            "; positions %" PRIu64 "..%" PRIu64 " of the ring cannot be read: if a record after %" PRIu64 " stood "
            "there it is lost, and only who wrote it can know",
            recovery->hidden_from, recovery->hidden_to, last);
    } else if (last == 0) {
        say(&text, "; nothing shows that a record was ever written to it");
    } else if (recovery->closed) {
        say(&text, "; record %" PRIu64 " was the last when the log was closed", last);
    } else {
        say(&text, "; the last provable record is %" PRIu64, last);
    }
}
