/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of file_rules.h over its whole domain, and beside docs/recovery.md.
 *
 *   outlet-file-file_rules_test --print    the rows as the page has them
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "outlet/file/file_rules.h"

/* ------------------------------------------------------------------------------------------- the words of the page */

static const char *const moments[MOMENTS] = {
    [MOMENT_BIND] = "bind",   [MOMENT_FIND] = "find", [MOMENT_BEGIN] = "begin", [MOMENT_WRITE] = "write",
    [MOMENT_SYNCED] = "sync", [MOMENT_ROLL] = "roll", [MOMENT_MOVED] = "moved"};
static const char *const of_handle[] = {"none", "ours",    "deleted", "renamed",  "extended",
                                        "cut",  "changed", "cut off", "unmounted"};
static const char *const of_noted[] = {"all", "some", "part of a batch"};
static const char *const of_redo[] = {"none", "?", "same", "blank", "other", "unreadable"};
static const char *const of_next[] = {"the noted file", "the same", "the same name", "another"};
static const char *const of_name[] = {"?", "the file", "another file", "unknown", "missing", "no folder", "unreadable"};
static const char *const of_candidate[] = {"?",
                                           "under its name",
                                           "not under its name",
                                           "renamed",
                                           "renamed, by its number alone",
                                           "was hidden",
                                           "absent",
                                           "copy",
                                           "no copy",
                                           "held",
                                           "unreadable",
                                           "shut"};
static const char *const of_length[] = {"empty", "not empty"};
static const char *const of_missed[] = {"?", "no", "yes"};
static const char *const of_diverted[] = {"no", "yes", "by an old name"};
static const char *const of_configured[] = {"?", "free", "ours", "taken", "elsewhere", "unreadable"};
static const char *const of_mount[] = {"?", "here", "away", "unknown"};
static const char *const of_caller[] = {"drain", "open", "roll"};
static const char *const of_lock[] = {"may come", "held too long", "passed over"};
static const char *const of_tried[] = {"nothing", "the name", "a diverted name", "a rename", "moving"};
static const char *const of_error[] = {"none",    "exists",    "held",   "passing", "a roll waits",
                                       "no file", "forbidden", "a ring", "lasting"};
static const char *const of_cut[] = {"?", "done", "failed"};
static const char *const of_own[] = {"?", "its own", "gone", "unmounted", "dead", "unreadable"};
static const char *const of_roller[] = {"?", "nobody", "answered", "refuses", "waits", "failed"};
static const char *const of_plan[] = {"rename", "keep", "go on"};
static const char *const of_target[] = {"open", "done"};
static const char *const of_trust[] = {"all", "this record", "nothing"};
static const char *const of_phase[] = {"writing", "rolling"};

static const char *const actions[FILE_ACTIONS] = {
    [FILE_GO_ON] = "go on",
    [FILE_STALL] = "stall",
    [FILE_REFUSE] = "refuse the open",
    [FILE_WAIT_FOR_LOCK] = "wait for the lock",
    [FILE_PASS_OVER] = "pass over what is held",
    [FILE_AWAIT_ROLL] = "leave it to the roll",
    [FILE_FIND] = "find the noted file",
    [FILE_BEGIN] = "begin the next file",
    [FILE_BIND] = "continue or create it",
    [FILE_CONTINUE] = "continue in it",
    [FILE_SYNC_FIRST] = "sync first",
    [FILE_REWIND_SAME] = "rewind; the same file, opened again",
    [FILE_REWIND_SAME_NAME] = "rewind; a new file of its name",
    [FILE_REWIND_DIVERTED] = "rewind; another file",
    [FILE_NEXT_SAME_NAME] = "leave it; a new file of its name",
    [FILE_NEXT_DIVERTED] = "leave it; another file",
    [FILE_CREATE_NAME] = "create the noted name",
    [FILE_CREATE_FREE] = "create the configured name",
    [FILE_CREATE_DIVERTED] = "create a diverted name",
    [FILE_TAKE_NAME] = "take the configured name",
    [FILE_GO_BACK] = "go back to the configured file",
    [FILE_STAY] = "stay",
    [FILE_DROP_OLD_NAME] = "rename to a diverted name of today",
    [FILE_HAND_UP] = "hand up the state",
    [FILE_CUT] = "cut it to the noted length",
    [FILE_KEEP_UNCUT] = "leave it uncut",
    [FILE_FAIL_SAME] = "stall; the same file, opened again",
    [FILE_FAIL_DIVERTED] = "stall; another file",
    [FILE_FAIL_NOTED] = "stall; the noted file",
    [FILE_GIVE_UP_ROLL] = "give up the roll",
    [FILE_RENAME] = "rename to the target",
    [FILE_BEGIN_ROLLED] = "sync the names; the next file",
};

static const char *const questions[] = {
    [ASK_REDO] = "ask: redo",
    [ASK_NAME] = "ask: name",
    [ASK_NAMED] = "ask: open the name",
    [ASK_FOLDER] = "ask: search the folder",
    [ASK_COPY] = "ask: open a copy",
    [ASK_MISSED] = "ask: missed",
    [ASK_CONFIGURED] = "ask: configured",
    [ASK_MOUNT] = "ask: mount",
    [ASK_OWN] = "ask: own name",
    [ASK_ROLLER] = "ask: roller",
};

static const char *const sentences[FILE_SENTENCES] = {
    [SAY_NOTHING] = "",
    [SAY_DELETED] = "was deleted by others",
    [SAY_CUT] = "was cut by others",
    [SAY_CUT_AND_GROWN] = "was cut and has grown again, or was edited",
    [SAY_EXTENDED] = "others wrote behind it",
    [SAY_EXTENDED_TWICE] = "others wrote behind it; records may be in both",
    [SAY_RENAMED] = "was renamed or replaced",
    [SAY_OTHER_BYTES] = "holds other bytes",
    [SAY_FOUND_RENAMED] = "was renamed",
    [SAY_FOUND_COPY] = "is taken for its copy",
    [SAY_FOUND_EXTENDED] = "others wrote behind it",
    [SAY_GONE] = "is gone",
    [SAY_NOT_THE_ONE] = "is not the one that was written",
    [SAY_SYNC_FAILED] = "syncing failed",
    [SAY_NOT_CUT] = "could not be cut",
    [SAY_STAYS_DIVERTED] = "records go there, and why",
    [SAY_UNMOUNTED] = "nothing is mounted",
    [SAY_UNREADABLE] = "what may be it cannot be read",
    [SAY_CANNOT_BE_OPENED] = "cannot be opened",
    [SAY_CANNOT_BE_READ] = "cannot be opened to be read and written",
    [SAY_HELD] = "is held by another writer",
    [SAY_IS_RING] = "is a ring",
    [SAY_NOT_ROLLED] = "could not be rolled",
    [SAY_ROLL_FORBIDDEN] = "could not be rolled, others forbid it",
};

static void add_values(char *text, size_t bytes, const char *fact, unsigned mask, const char *const *words) {
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, bytes - used, "%s%s: ", used > 0 ? "; " : "", fact);
    const char *between = "";
    for (unsigned value = 0; mask >> value != 0; value++) {
        if (mask >> value & 1) {
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", between, words[value]);
            between = " / ";
        }
    }
}

static void render(const struct file_row *row, char *line, size_t bytes) {
    char when[100] = "", facts[1000] = "";
    for (unsigned moment = 0; moment < MOMENTS; moment++) {
        if (row->moments >> moment & 1) {
            snprintf(when + strlen(when), sizeof when - strlen(when), "%s%s", *when == '\0' ? "" : ", ",
                     moments[moment]);
        }
    }
#define FILE_FACT(fact, values)                                                                                        \
    _Static_assert(sizeof of_##fact / sizeof *of_##fact == values, "each value has its words");                        \
    if (row->fact != 0) {                                                                                              \
        add_values(facts, sizeof facts, #fact, row->fact, of_##fact);                                                  \
    }
    FILE_FACTS(FILE_FACT)
#undef FILE_FACT
    snprintf(line, bytes, "| %s | %s | %s | %s | %s |\n", row->label, when, *facts == '\0' ? "-" : facts,
             row->action == FILE_ASK ? questions[row->question] : actions[row->action], sentences[row->sentence]);
}

#ifdef RECOVERY_PAGE
static void the_page_has_these_rows_in_this_order_and_no_other(void **state) {
    (void)state;
    char line[4096], wanted[2000];
    size_t next = 0;
    FILE *page = fopen(RECOVERY_PAGE, "r");
    assert_non_null(page);
    int is_table = 0;
    while (fgets(line, sizeof line, page) != NULL) {
        if (strncmp(line, "| row |", 7) == 0) {
            is_table = 1;
        } else if (is_table && strncmp(line, "|--", 3) != 0) {
            is_table = line[0] == '|';
            if (is_table) {
                assert_true(next < FILE_ROWS);
                render(&file_rows[next++], wanted, sizeof wanted);
                assert_string_equal(line, wanted);
            }
        }
    }
    fclose(page);
    assert_int_equal(next, FILE_ROWS);
}
#endif

/* ------------------------------------------------------------------------------------------------- the whole domain */

typedef void (*each_case)(enum file_moment moment, const struct file_facts *facts, const struct file_row *row);

/* Every combination of those facts that a row of the moment names; the others are 0. */
static void walk(enum file_moment moment, each_case each) {
    struct file_facts facts, sizes;
    memset(&facts, 0, sizeof facts);
    memset(&sizes, 1, sizeof sizes);
    for (size_t i = 0; i < FILE_ROWS; i++) {
        if (file_rows[i].moments >> moment & 1) {
#define FILE_FACT(fact, values) sizes.fact = file_rows[i].fact != 0 ? values : sizes.fact;
            FILE_FACTS(FILE_FACT)
#undef FILE_FACT
        }
    }
    uint8_t *const digits = (uint8_t *)&facts;
    const uint8_t *const radix = (const uint8_t *)&sizes;
    for (size_t digit = 0; digit < sizeof facts;) {
        each(moment, &facts, file_rule_for(moment, &facts));
        for (digit = 0; digit < sizeof facts && ++digits[digit] == radix[digit]; digit++) {
            digits[digit] = 0;
        }
    }
}

static void walk_all(each_case each) {
    for (unsigned moment = 0; moment < MOMENTS; moment++) {
        walk((enum file_moment)moment, each);
    }
}

static unsigned long long firsts[FILE_ROWS], cases;

static void count(enum file_moment moment, const struct file_facts *facts, const struct file_row *row) {
    (void)facts;
    if (row == NULL) {
        fail_msg("no row in the moment \"%s\"", moments[moment]);
        return;
    }
    firsts[row - file_rows]++;
    cases++;
}

static void each_combination_has_a_row_and_each_row_is_first_somewhere(void **state) {
    (void)state;
    walk_all(count);
    for (size_t i = 0; i < FILE_ROWS; i++) {
        if (firsts[i] == 0) {
            fail_msg("row %s is never the first", file_rows[i].label);
        }
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(file_rows[i].label, file_rows[j].label);
        }
    }
    print_message("%llu combinations\n", cases);
}

static int rewinds(enum file_action action) {
    return action == FILE_REWIND_SAME || action == FILE_REWIND_SAME_NAME || action == FILE_REWIND_DIVERTED;
}

/* The acts that leave the open file, without a rewind, for one in which what waits begins. */
static int leaves(enum file_action action) {
    return action == FILE_NEXT_SAME_NAME || action == FILE_NEXT_DIVERTED || action == FILE_TAKE_NAME ||
           action == FILE_GO_BACK;
}

static int touches_bytes(enum file_action action) {
    return action == FILE_GO_ON || action == FILE_CUT || action == FILE_CONTINUE;
}

static void keeps_bytes_of_others(enum file_moment moment, const struct file_facts *facts, const struct file_row *row) {
    if (moment == MOMENT_WRITE && row->action == FILE_GO_ON) {
        assert_true(facts->handle == HANDLE_OURS || facts->handle == HANDLE_RENAMED ||
                    (facts->handle == HANDLE_EXTENDED && facts->redo != REDO_NONE));
        assert_true(facts->redo == REDO_NONE || facts->redo == REDO_SAME || facts->redo == REDO_BLANK);
    }
    if (moment == MOMENT_SYNCED && touches_bytes(row->action)) {
        assert_true(facts->handle != HANDLE_EXTENDED && facts->handle != HANDLE_CHANGED);
    }
    if (moment == MOMENT_FIND && row->action == FILE_CONTINUE) {
        assert_true(facts->redo == REDO_SAME || facts->redo == REDO_BLANK);
        assert_true(facts->candidate != CANDIDATE_NUMBERED || facts->redo == REDO_SAME);
    }
    if (row->action == FILE_CREATE_FREE || row->action == FILE_GO_BACK) {
        assert_int_equal(facts->configured, CONFIGURED_FREE);
    }
}

static void bytes_of_others_stay(void **state) {
    (void)state;
    walk_all(keeps_bytes_of_others);
}

/* A file gets bytes only after GO_ON, and that is said of a file that is open; each act that opens one is followed by a note. */
static void writes_only_to_a_noted_file(enum file_moment moment, const struct file_facts *facts,
                                        const struct file_row *row) {
    if (moment == MOMENT_WRITE && row->action == FILE_GO_ON) {
        assert_int_not_equal(facts->handle, HANDLE_CLOSED);
    }
    if (moment == MOMENT_FIND) {
        assert_int_not_equal(row->action, FILE_GO_ON);
    }
    if (moment == MOMENT_BEGIN && row->action == FILE_GO_ON) {
        assert_int_equal(facts->caller, CALLER_OPEN); /* none is open then: the next call begins one */
        assert_int_equal(facts->error, ERROR_PASSING);
    }
    if (facts->phase == PHASE_ROLLING && moment == MOMENT_FIND && facts->caller == CALLER_OPEN) {
        assert_int_equal(row->action, FILE_AWAIT_ROLL);
    }
}

static void no_byte_goes_to_a_file_that_both_slots_do_not_name(void **state) {
    (void)state;
    walk_all(writes_only_to_a_noted_file);
}

static void leaves_nothing_unnoted(enum file_moment moment, const struct file_facts *facts,
                                   const struct file_row *row) {
    if (moment != MOMENT_WRITE && moment != MOMENT_MOVED) {
        return;
    }
    if (leaves(row->action) && facts->handle != HANDLE_CLOSED) {
        assert_int_equal(facts->noted, NOTED_ALL);
    }
    if (facts->handle == HANDLE_DELETED || facts->handle == HANDLE_TRUNCATED || facts->handle == HANDLE_CHANGED ||
        facts->handle == HANDLE_CUT_OFF) {
        assert_true(rewinds(row->action) || facts->tried == TRIED_MOVE);
    }
}

static void nothing_is_left_behind_without_a_redo(void **state) {
    (void)state;
    walk_all(leaves_nothing_unnoted);
}

static void obeys_no_stranger(enum file_moment moment, const struct file_facts *facts, const struct file_row *row) {
    if (moment == MOMENT_ROLL && facts->trust == TRUST_NOTHING &&
        (row->action == FILE_RENAME || row->action == FILE_DROP_OLD_NAME)) {
        assert_true(row->action == FILE_RENAME && facts->roller == ROLLER_ANSWERED);
    }
    if (row->action == FILE_DROP_OLD_NAME) {
        assert_int_equal(facts->trust, TRUST_ALL);
    }
}

static void a_recovered_roll_of_an_untrusted_ring_renames_nothing(void **state) {
    (void)state;
    walk_all(obeys_no_stranger);
}

/* Below a mount that is away nothing is created; and who only waits for a lock, or refuses, is an open. */
static void creates_nothing_below_a_mount(enum file_moment moment, const struct file_facts *facts,
                                          const struct file_row *row) {
    if (moment == MOMENT_BEGIN && facts->mount == MOUNT_AWAY) {
        assert_true(row->action == FILE_STALL || row->action == FILE_REFUSE);
    }
    if ((moment == MOMENT_FIND || moment == MOMENT_BEGIN) &&
        (row->action == FILE_REFUSE || row->action == FILE_WAIT_FOR_LOCK)) {
        assert_int_equal(facts->caller, CALLER_OPEN);
    }
    if (row->action == FILE_WAIT_FOR_LOCK) {
        assert_int_equal(facts->lock, LOCK_WAIT);
    }
}

static void nothing_is_created_below_a_mount_and_only_an_open_waits_or_refuses(void **state) {
    (void)state;
    walk_all(creates_nothing_below_a_mount);
}

/* An answer is never asked for twice: each question is of a fact that is not known. */
static void asks_for_what_is_not_known(enum file_moment moment, const struct file_facts *facts,
                                       const struct file_row *row) {
    (void)moment;
    const int is_open =
        row->action != FILE_ASK ||
        (row->question == ASK_REDO
             ? facts->redo == REDO_NOT_ASKED || facts->redo == REDO_NONE || facts->redo == REDO_UNREADABLE
         : row->question == ASK_NAME   ? facts->name == NAME_NOT_ASKED
         : row->question == ASK_NAMED  ? facts->candidate == CANDIDATE_NOT_ASKED
         : row->question == ASK_FOLDER ? facts->candidate <= CANDIDATE_NOT_NAMED
         : row->question == ASK_COPY   ? facts->candidate == CANDIDATE_ABSENT || facts->candidate == CANDIDATE_NUMBERED
         : row->question == ASK_MISSED ? facts->missed == MISSED_NOT_ASKED
         : row->question == ASK_CONFIGURED ? facts->configured == CONFIGURED_NOT_ASKED
         : row->question == ASK_MOUNT      ? facts->mount == MOUNT_NOT_ASKED
         : row->question == ASK_OWN        ? facts->own == OWN_NOT_ASKED
                                           : facts->roller == ROLLER_NOT_ASKED);
    assert_true(is_open);
}

static void nothing_is_asked_twice(void **state) {
    (void)state;
    walk_all(asks_for_what_is_not_known);
}

int main(int count_of, char **words) {
    if (count_of == 2 && strcmp(words[1], "--print") == 0) {
        char line[2000];
        for (size_t i = 0; i < FILE_ROWS; i++) {
            render(&file_rows[i], line, sizeof line);
            fputs(line, stdout);
        }
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_combination_has_a_row_and_each_row_is_first_somewhere),
#ifdef RECOVERY_PAGE
        cmocka_unit_test(the_page_has_these_rows_in_this_order_and_no_other),
#endif
        cmocka_unit_test(bytes_of_others_stay),
        cmocka_unit_test(no_byte_goes_to_a_file_that_both_slots_do_not_name),
        cmocka_unit_test(nothing_is_left_behind_without_a_redo),
        cmocka_unit_test(a_recovered_roll_of_an_untrusted_ring_renames_nothing),
        cmocka_unit_test(nothing_is_created_below_a_mount_and_only_an_open_waits_or_refuses),
        cmocka_unit_test(nothing_is_asked_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
