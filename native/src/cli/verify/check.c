/* SPDX-License-Identifier: Apache-2.0 */
/* The plug-pull test, after the cut: finds whether each acknowledged block is there and whole. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/cli.h"
#include "cli/doctor/doctor.h"
#include "cli/report.h"
#include "cli/verify/block.h"
#include "device/medium.h"
#include "device/open.h"

#define TORN UINT64_MAX /* in place of a number: the block is torn */
#define RANGES_SHOWN 16

struct outcome {
    uint64_t first, last; /* the first and the last number looked for */
    uint64_t highest;     /* the highest number found */
    uint64_t missing, torn;
    uint64_t last_lost;
    struct verify_block test;
    /* By engine: numbers looked for, and those of them that are lost. */
    uint64_t blocks_of[VERIFY_TURNS], lost_of[VERIFY_TURNS];
    /* Ranges of numbers that are missing or torn; the first few of them follow. */
    unsigned ranges;
    struct {
        uint64_t from, to;
    } range[RANGES_SHOWN];
};

/* Fills found[slot] with the number of this test's whole block in the slot, TORN, or 0 if there is none. */
static int read_slots(struct device *device, uint8_t *block, const struct verify_block *test, uint64_t *found) {
    for (uint64_t slot = 0; slot < test->slots; slot++) {
        struct verify_block header;
        const int rc = device->ops->read(device, (1 + slot) * test->block_bytes, block, test->block_bytes);
        if (rc < 0) {
            return rc;
        }
        const enum verify_verdict verdict = verify_judge_block(block, test->block_bytes, &header);
        if (verdict == VERIFY_FOREIGN || header.test_id != test->test_id) {
            continue;
        }
        found[slot] = verdict == VERIFY_TORN || (header.number - 1) % test->slots != slot ? TORN : header.number;
    }
    return 0;
}

static void note_loss(struct outcome *outcome, uint64_t number, int torn) {
    *(torn ? &outcome->torn : &outcome->missing) += 1;
    const int goes_on = outcome->ranges > 0 && outcome->last_lost + 1 == number;
    outcome->last_lost = number;
    outcome->ranges += !goes_on;
    if (outcome->ranges <= RANGES_SHOWN) {
        outcome->range[outcome->ranges - 1].to = number;
    }
    if (!goes_on && outcome->ranges <= RANGES_SHOWN) {
        outcome->range[outcome->ranges - 1].from = number;
    }
}

/*
 * A slot must hold its number, or one of a later round. The write under way at the cut may have left one torn block. It
 * can only be the block behind the highest number found: each block was written after the one before it was
 * acknowledged.
 */
static void judge_slots(const uint64_t *found, const struct verify_block *test, uint64_t last,
                        struct outcome *outcome) {
    const uint64_t slots = test->slots;
    *outcome = (struct outcome){.last = last, .first = last > slots ? last - slots + 1 : 1, .test = *test};
    for (uint64_t slot = 0; slot < slots; slot++) {
        if (found[slot] != TORN && found[slot] > outcome->highest) {
            outcome->highest = found[slot];
        }
    }
    for (uint64_t number = outcome->first; number <= last; number++) {
        const uint64_t here = found[(number - 1) % slots];
        const int is_there = here != TORN && here >= number;
        const uint32_t turn = verify_turn_of(test, number);
        outcome->blocks_of[turn]++;
        const int is_under_way = number <= outcome->highest && (outcome->highest + 1 - number) % slots == 0;
        if (!is_there && !is_under_way) {
            note_loss(outcome, number, here == TORN);
            outcome->lost_of[turn]++;
        }
    }
}

static void describe_ranges(const struct outcome *outcome, char *text, size_t room) {
    size_t used = 0;
    for (unsigned i = 0; i < outcome->ranges && i < RANGES_SHOWN; i++) {
        const uint64_t from = outcome->range[i].from, to = outcome->range[i].to;
        used += (size_t)snprintf(text + used, room - used, from == to ? "%s%" PRIu64 : "%s%" PRIu64 "..%" PRIu64,
                                 i > 0 ? ", " : "", from, to);
    }
    if (outcome->ranges > RANGES_SHOWN) {
        snprintf(text + used, room - used, " and %u ranges more", outcome->ranges - RANGES_SHOWN);
    }
}

/* The engine that wrote from the last number looked for to the cut, as an index of turns. VERIFY_TURNS: others may have
 * written behind that number, since it is older than a turn, or was the last one of its turn. */
static uint32_t writer_of(const struct outcome *outcome) {
    const uint64_t newest = outcome->highest > outcome->last ? outcome->highest : outcome->last;
    return newest < verify_turn_end(&outcome->test, outcome->last) ? verify_turn_of(&outcome->test, outcome->last)
                                                                   : VERIFY_TURNS;
}

/* An engine without a loss is not proved good: the next engine's flush may have saved the blocks that it left in the
 * cache. */
static const char *verdict_of(const struct outcome *outcome, uint32_t turn) {
    const uint32_t writer = writer_of(outcome);
    return outcome->lost_of[turn] > 0 ? "lost acknowledged blocks: no ring is safe there with it"
           : writer == VERIFY_TURNS   ? "lost none, but another engine may have been writing when the power went"
           : turn == writer           ? "lost none, and was writing when the power went"
                                      : "lost none, but was not writing when the power went";
}

static int has_turn(const struct outcome *outcome, uint32_t turn) {
    return turn < VERIFY_TURNS && outcome->test.turns[turn].io != 0;
}

static void print_engines(const struct outcome *outcome) {
    for (uint32_t i = 0; has_turn(outcome, i); i++) {
        printf("  %-10s %s (%" PRIu64 " of %" PRIu64 " blocks lost)\n", device_io_name(outcome->test.turns[i].io),
               verdict_of(outcome, i), outcome->lost_of[i], outcome->blocks_of[i]);
    }
}

static void report_engines(struct report *report, const struct outcome *outcome) {
    report_list(report, "engines");
    for (uint32_t i = 0; has_turn(outcome, i); i++) {
        report_group(report, NULL);
        report_text(report, "engine", device_io_name(outcome->test.turns[i].io));
        report_text(report, "verdict", verdict_of(outcome, i));
        report_number(report, "blocks", outcome->blocks_of[i]);
        report_number(report, "lost", outcome->lost_of[i]);
        report_flag(report, "was writing", i == writer_of(outcome));
        report_group_end(report);
    }
    report_list_end(report);
}

static void print_outcome(const struct device *device, const struct outcome *outcome, int json) {
    char ranges[RANGES_SHOWN * 48 + 64] = "", verdict[sizeof ranges + 512];
    const uint64_t lost = outcome->missing + outcome->torn;
    describe_ranges(outcome, ranges, sizeof ranges);
    if (lost == 0) {
        snprintf(verdict, sizeof verdict,
                 "honours its flushes: blocks %" PRIu64 "..%" PRIu64 " were acknowledged, and every one of them is "
                 "there and whole; the highest found is %" PRIu64,
                 outcome->first, outcome->last, outcome->highest);
    } else {
        snprintf(verdict, sizeof verdict,
                 "lies about its flushes: of the blocks %" PRIu64 "..%" PRIu64 " that it acknowledged, %" PRIu64
                 " are lost (%" PRIu64 " missing, %" PRIu64 " torn): %s",
                 outcome->first, outcome->last, lost, outcome->missing, outcome->torn, ranges);
    }
    if (!json) {
        printf("%s %s\n", device->path, verdict);
        print_engines(outcome);
        return;
    }
    struct report report;
    report_begin(&report, stdout, 1);
    report_text(&report, "medium", device->path);
    report_text(&report, "verdict", verdict);
    report_flag(&report, "honours flushes", lost == 0);
    report_number(&report, "first", outcome->first);
    report_number(&report, "last", outcome->last);
    report_number(&report, "highest found", outcome->highest);
    report_number(&report, "missing", outcome->missing);
    report_number(&report, "torn", outcome->torn);
    report_text(&report, "lost", ranges);
    report_engines(&report, outcome);
    report_end(&report);
}

static int check_blocks(struct device *device, uint8_t *block, const struct verify_request *request,
                        struct outcome *outcome) {
    struct verify_block test;
    int rc = device->ops->read(device, 0, block, device->block_bytes);
    if (rc < 0) {
        return rc;
    }
    if (verify_judge_block(block, device->block_bytes, &test) != VERIFY_WHOLE || test.number != 0 || test.slots == 0 ||
        test.slots > device->medium_bytes / device->block_bytes - 1) {
        return error_set(ENODATA,
                         "%s holds no blocks of this test; if --serve wrote here, the device has lost even the first "
                         "block",
                         device->path);
    }
    uint64_t *found = calloc(test.slots, sizeof *found);
    if (found == NULL) {
        return error_set(ENOMEM, "no memory for the numbers of %" PRIu64 " blocks", test.slots);
    }
    rc = read_slots(device, block, &test, found);
    if (rc == 0) {
        judge_slots(found, &test, request->last, outcome);
    }
    free(found);
    return rc;
}

static int look(struct device *device, const struct verify_request *request, struct outcome *outcome) {
    uint8_t *block = platform_allocate(&platform_linux, device->block_bytes, PLATFORM_PLAIN);
    const int rc = block == NULL ? error_set(ENOMEM, "no memory for a block of %u bytes", device->block_bytes)
                                 : check_blocks(device, block, request, outcome);
    if (block != NULL) {
        platform_release(&platform_linux, block, device->block_bytes);
    }
    return rc;
}

int verify_check(const struct verify_request *request) {
    struct device *device;
    struct outcome outcome;
    int rc = device_open(&platform_linux, request->path, DEVICE_READ_ONLY, BURST_IO_AUTO, &device);
    if (rc < 0) {
        return cli_failed(rc);
    }
    rc = look(device, request, &outcome);
    if (rc == 0) {
        print_outcome(device, &outcome, request->json);
    }
    device_close(device);
    return rc < 0 ? cli_failed(rc) : outcome.missing + outcome.torn > 0 ? EXIT_DAMAGE : EXIT_OK;
}

int verify_result(const struct verify_request *request, char *words, size_t room) {
    struct device *device;
    struct outcome outcome;
    int rc = device_open(&platform_linux, request->path, DEVICE_READ_ONLY, BURST_IO_AUTO, &device);
    if (rc < 0) {
        return rc;
    }
    rc = look(device, request, &outcome);
    if (rc == 0) {
        const uint32_t writer = writer_of(&outcome);
        snprintf(words, room, "one cut, by %s: %" PRIu64 " of %" PRIu64 " blocks lost",
                 writer < VERIFY_TURNS ? device_io_name(outcome.test.turns[writer].io) : "an unknown engine",
                 outcome.missing + outcome.torn, outcome.last - outcome.first + 1);
    }
    device_close(device);
    return rc;
}
