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

void recovery_statement(const struct recovery *recovery, char *text_bytes, size_t room) {
    struct text text = {.bytes = text_bytes, .room = room};
    const uint64_t last = recovery->next_sequence - 1;
    if (recovery->records == 0) {
        say(&text, "no record was waiting in the ring");
    } else {
        say(&text, "%" PRIu64 " record%s waiting in the ring (sequences %" PRIu64 "..%" PRIu64 ")", recovery->records,
            recovery->records == 1 ? " was" : "s were", recovery->first_sequence, last);
    }
    size_t damaged = 0;
    for (size_t i = 0; i < recovery->jump_count; i++) {
        const struct recovery_jump *jump = &recovery->jumps[i];
        if (!jump->damaged || ++damaged > LOSSES_TOLD) {
            continue;
        }
        if (jump->count == 0) {
            say(&text, "; positions %" PRIu64 "..%" PRIu64 " are damaged, no record is missing there", jump->from,
                jump->to);
        } else {
            say(&text, "; LOST: records %" PRIu64 "..%" PRIu64 " (%" PRIu64 "), damaged at positions %" PRIu64
                "..%" PRIu64, jump->first_sequence, jump->first_sequence + jump->count - 1, jump->count, jump->from,
                jump->to);
        }
    }
    if (damaged > LOSSES_TOLD) {
        say(&text, "; and %zu more damaged ranges: %" PRIu64 " records are lost in all", damaged - LOSSES_TOLD,
            recovery->lost);
    }
    if (recovery->unreadable_bytes > 0) {
        say(&text, "; %" PRIu64 " bytes of the ring could not be read: records after %" PRIu64 " that stood there are "
            "LOST without a proof", recovery->unreadable_bytes, last);
    }
    say(&text, "; nothing proves a record after %" PRIu64, last);
}
