/* SPDX-License-Identifier: Apache-2.0 */
#include "media/roll.h"

#include <string.h>

/* The variable parts, in the order in which they stand in the payload. */
struct part {
    const void *data;
    uint32_t bytes;
};

enum { PARTS = 5 };

static void list_parts(const struct roll *roll, struct part parts[PARTS]) {
    parts[0] = (struct part){roll->footer, roll->footer_bytes};
    parts[1] = (struct part){roll->header, roll->header_bytes};
    parts[2] = (struct part){roll->target, roll->target_bytes};
    parts[3] = (struct part){roll->next, roll->next_bytes};
    parts[4] = (struct part){roll->note, roll->note_bytes};
}

static uint32_t rules_size(const struct roll_rules *rules) {
    return rules->are_there ? (uint32_t)sizeof rules->head + rules->head.pattern_bytes : 0;
}

size_t roll_size(const struct roll *roll) {
    return sizeof(struct roll_head) + rules_size(&roll->rules) + (size_t)roll->footer_bytes + roll->header_bytes +
           roll->target_bytes + roll->next_bytes + roll->note_bytes;
}

static uint8_t *put_rules(const struct roll_rules *rules, uint8_t *place) {
    struct roll_rules_head head = rules->head;
    if (!rules->are_there) {
        return place;
    }
    head.bytes = sizeof head;
    memcpy(place, &head, sizeof head);
    if (head.pattern_bytes > 0) {
        memcpy(place + sizeof head, rules->pattern, head.pattern_bytes);
    }
    return place + rules_size(rules);
}

void roll_encode(const struct roll *roll, uint8_t *payload) {
    const struct roll_head head = {.bytes = (uint32_t)sizeof head + rules_size(&roll->rules),
                                   .rules_bytes = rules_size(&roll->rules),
                                   .footer_bytes = roll->footer_bytes,
                                   .header_bytes = roll->header_bytes,
                                   .target_bytes = roll->target_bytes,
                                   .next_bytes = roll->next_bytes,
                                   .note_bytes = roll->note_bytes,
                                   .by_caller = roll->by_caller,
                                   .next_time_ns = roll->next_time_ns,
                                   .next_file_bytes = roll->next_file_bytes};
    struct part parts[PARTS];
    memcpy(payload, &head, sizeof head);
    payload = put_rules(&roll->rules, payload + sizeof head);
    list_parts(roll, parts);
    for (int i = 0; i < PARTS; i++) {
        if (parts[i].bytes > 0) {
            memcpy(payload, parts[i].data, parts[i].bytes);
            payload += parts[i].bytes;
        }
    }
}

static int is_path(const char *path, uint32_t bytes) {
    return bytes == 0 || (bytes < LAYOUT_FILE_NAME_BYTES && path[0] == '/' && memchr(path, '\0', bytes) == NULL);
}

static int are_plausible(const struct roll_rules_head *head) {
    return head->file_mode <= 07777 && head->mode_is_exact <= 1 && head->is_by_time <= 1 &&
           head->compression <= ROLL_COMPRESSION_ZSTD && head->level >= -ROLL_LEVEL_MOST &&
           head->level <= ROLL_LEVEL_MOST && head->delay_ns >= 0 && head->keep_ns >= 0;
}

/* The head of the roll says that so many bytes behind it are rules. */
static void decode_rules(const uint8_t *payload, uint32_t bytes, struct roll_rules *rules) {
    struct roll_rules_head head;
    if (bytes < sizeof head) {
        return;
    }
    memcpy(&head, payload, sizeof head);
    const char *pattern = (const char *)payload + head.bytes;
    if (head.bytes >= sizeof head && (uint64_t)head.bytes + head.pattern_bytes == bytes && are_plausible(&head) &&
        is_path(pattern, head.pattern_bytes)) {
        *rules = (struct roll_rules){.are_there = 1, .head = head, .pattern = pattern};
    }
}

int roll_decode(const uint8_t *payload, size_t bytes, struct roll *roll) {
    struct roll_head head;
    memset(roll, 0, sizeof *roll);
    if (bytes < sizeof head) {
        return 0;
    }
    memcpy(&head, payload, sizeof head);
    const uint64_t sum = (uint64_t)head.bytes + head.footer_bytes + head.header_bytes + head.target_bytes +
                         head.next_bytes + head.note_bytes;
    if (head.bytes < sizeof head || sum != bytes || head.note_bytes > ROLL_NOTE_BYTES || head.next_time_ns < 0 ||
        head.next_file_bytes > INT64_MAX || head.by_caller > 1 || head.rules_bytes > head.bytes - sizeof head) {
        return 0;
    }
    const uint8_t *footer = payload + head.bytes, *header = footer + head.footer_bytes;
    const char *target = (const char *)header + head.header_bytes, *next = target + head.target_bytes;
    if (!is_path(target, head.target_bytes) || !is_path(next, head.next_bytes)) {
        return 0;
    }
    *roll = (struct roll){.footer = footer,
                          .header = header,
                          .target = target,
                          .next = next,
                          .note = (const uint8_t *)next + head.next_bytes,
                          .footer_bytes = head.footer_bytes,
                          .header_bytes = head.header_bytes,
                          .target_bytes = head.target_bytes,
                          .next_bytes = head.next_bytes,
                          .note_bytes = head.note_bytes,
                          .by_caller = head.by_caller,
                          .next_time_ns = head.next_time_ns,
                          .next_file_bytes = head.next_file_bytes};
    decode_rules(payload + sizeof head, head.rules_bytes, &roll->rules);
    return 1;
}
