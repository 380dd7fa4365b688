/* SPDX-License-Identifier: Apache-2.0 */
/* Applications, and operators with their drains. */
#include "harness/simulator/log.h"
#include "harness/simulator/processes/play.h"

#define SECOND_NS 1000000000ll

static uint32_t length_of(unsigned record) {
    return 100 + record * 977 % 2900;
}

/* Records that come now and then, for so long that everybody's patience ends. */
static void slow_records(void) {
    application_open();
    while (application_records() < 9) {
        application_append(length_of(application_records()));
        application_rest(3 * SECOND_NS);
    }
    application_close();
}

static void fast_records(void) {
    application_open();
    while (application_records() < 14) {
        application_append(length_of(application_records()));
        if (application_records() % 5 == 0) {
            application_await_files();
        }
    }
    application_close();
}

/* Four times as much as the ring holds. */
static void many_records(void) {
    application_open();
    while (application_records() < 40) {
        application_append(1500 + length_of(application_records()));
    }
    application_close();
}

/* An epoch for each few records, and some without a record. */
static void opens_and_closes(void) {
    while (application_records() < 9) {
        application_open();
        for (unsigned i = 0; i < 3 && application_records() < 9; i++) {
            application_append(length_of(application_records()));
        }
        application_close();
        application_open();
        application_close();
    }
}

/* Two lives of three records each. */
static void comes_and_goes(void) {
    while (application_records() < 6) {
        application_open();
        do {
            application_append(length_of(application_records()));
        } while (application_records() % 3 != 0);
        application_close();
        application_rest(application_records() < 6 ? 5 * SECOND_NS : 0);
    }
}

/* The second of three lives has drain="inner". */
static void drains_by_itself_for_a_while(void) {
    while (application_records() < 9) {
        application_drain_by_itself(application_records() / 3 == 1);
        application_open();
        do {
            application_append(length_of(application_records()));
            application_rest(SECOND_NS);
        } while (application_records() % 3 != 0);
        application_close();
    }
}

/* A record and an epoch without one, which nobody moves while the drain is stopped. The next epoch begins about when it goes on. */
static void empty_epochs(void) {
    while (application_records() < 12) {
        application_open();
        application_append(length_of(application_records()));
        application_close();
        application_open();
        application_close();
        application_rest((int64_t)run_random(1000) * 1000000);
        application_open();
        application_append(length_of(application_records()));
        application_close();
    }
}

static void rolls(void) {
    application_open();
    while (application_records() < 12) {
        if (application_records() % 4 == 3) {
            application_roll();
        } else {
            application_append(length_of(application_records()));
        }
        application_rest(application_records() % 6 == 5 ? SECOND_NS : 0);
    }
    application_close();
}

/* Stream 1 is there for the records 3 to 6, stream 2 from the 5th on. */
static void streams(void) {
    struct world *world = run.world;
    world->has_streams = 1;
    application_open();
    for (unsigned next; (next = application_records()) < 12;) {
        if (next >= 3 && next < 7 && !world->streams[1].is_open) {
            world->streams[1].name = "fills";
            world->streams[1].path = "/logs/fills.log";
            application_open_stream(1);
        }
        if (next >= 7 && world->streams[1].is_open) {
            application_close_stream(1);
        }
        if (next >= 5 && !world->streams[2].is_open) {
            world->streams[2].name = "audit";
            world->streams[2].path = "/logs/audit.log";
            application_open_stream(2);
        }
        application_write_to(world->streams[1 + next % 2].is_open ? 1 + next % 2 : 0);
        application_append(length_of(next));
        application_rest(2 * SECOND_NS);
    }
    application_close();
}

const struct play plays[] = {
    {"drain-beside-the-application", 12, fast_records, NULL, {{0, STARTS, DRAIN}, {0, STARTS, APPLICATION}}},
    {"application-before-its-drain", 12, fast_records, NULL, {{0, STARTS, APPLICATION}, {400, STARTS, DRAIN}}},
    {"drain-comes-after-the-patience", 12, slow_records, NULL, {{0, STARTS, APPLICATION}, {16000, STARTS, DRAIN}}},
    {"drain-is-restarted",
     12,
     slow_records,
     NULL,
     {{0, STARTS, DRAIN}, {100, STARTS, APPLICATION}, {4000, ENDS, DRAIN}, {6000, STARTS, DRAIN}}},
    {"drain-is-away-for-long",
     12,
     slow_records,
     NULL,
     {{0, STARTS, DRAIN}, {100, STARTS, APPLICATION}, {3000, KILLS, DRAIN}, {19000, STARTS, DRAIN}}},
    {"ring-gets-full-without-a-drain", 12, many_records, NULL, {{0, STARTS, APPLICATION}, {30000, STARTS, DRAIN}}},
    {"ring-is-full-beside-the-drain", 12, many_records, NULL, {{0, STARTS, DRAIN}, {0, STARTS, APPLICATION}}},
    {"application-starts-again", 16, opens_and_closes, NULL, {{0, STARTS, DRAIN}, {0, STARTS, APPLICATION}}},
    {"epochs-without-a-record",
     16,
     empty_epochs,
     NULL,
     {{0, STARTS, DRAIN},
      {0, STARTS, APPLICATION},
      {700, STOPS, DRAIN},
      {5200, LETS_GO_ON, DRAIN},
      {6500, STOPS, DRAIN},
      {11200, LETS_GO_ON, DRAIN},
      {12500, STOPS, DRAIN},
      {17200, LETS_GO_ON, DRAIN}}},
    {"records-of-a-dead-application",
     12,
     slow_records,
     NULL,
     {{0, STARTS, APPLICATION},
      {7000, KILLS, APPLICATION},
      {8000, STARTS, DRAIN},
      {12000, STARTS, APPLICATION},
      {15000, KILLS, APPLICATION},
      {19000, STARTS, APPLICATION}}},
    {"application-comes-and-goes-beside-a-stopped-drain",
     12,
     comes_and_goes,
     NULL,
     {{0, STARTS, DRAIN}, {0, STARTS, APPLICATION}, {4000, STOPS, DRAIN}, {12000, LETS_GO_ON, DRAIN}}},
    {"second-drain-waits",
     12,
     slow_records,
     NULL,
     {{0, STARTS, DRAIN},
      {0, STARTS, APPLICATION},
      {1000, STARTS, OTHER_DRAIN},
      {5000, ENDS, DRAIN},
      {9000, STARTS, DRAIN},
      {12000, KILLS, OTHER_DRAIN}}},
    {"log-that-drains-by-itself-beside-a-drain",
     12,
     drains_by_itself_for_a_while,
     NULL,
     {{0, STARTS, DRAIN}, {0, STARTS, APPLICATION}, {6000, ENDS, DRAIN}, {8000, STARTS, DRAIN}}},
    {"drains-that-do-not-see-each-other",
     12,
     slow_records,
     FOLDER_OTHER,
     {{0, STARTS, APPLICATION},
      {3000, KILLS, APPLICATION},
      {3000, STARTS, DRAIN},
      {3000, STARTS, OTHER_DRAIN},
      {7000, STARTS, APPLICATION},
      {12000, STARTS, DRAIN},
      {15000, STARTS, OTHER_DRAIN}}},
    {"lock-file-is-deleted",
     12,
     slow_records,
     NULL,
     {{0, STARTS, DRAIN},
      {0, STARTS, APPLICATION},
      {3000, DELETES_LOCK_FILES, OPERATOR},
      {3100, STARTS, OTHER_DRAIN},
      {9000, DELETES_LOCK_FILES, OPERATOR},
      {14000, KILLS, OTHER_DRAIN}}},
    {"lock-file-is-deleted-beside-a-log-that-drains",
     12,
     slow_records,
     NULL,
     {{0, STARTS, APPLICATION},
      {13000, DELETES_LOCK_FILES, OPERATOR},
      {13100, STARTS, DRAIN},
      {20000, ENDS, DRAIN},
      {22000, DELETES_LOCK_FILES, OPERATOR}}},
    {"streams-while-the-drain-is-away",
     16,
     streams,
     NULL,
     {{0, STARTS, DRAIN}, {100, STARTS, APPLICATION}, {3000, ENDS, DRAIN}, {19000, STARTS, DRAIN}}},
    {"streams-beside-a-restarted-drain",
     16,
     streams,
     NULL,
     {{0, STARTS, DRAIN}, {100, STARTS, APPLICATION}, {4000, ENDS, DRAIN}, {7000, STARTS, DRAIN}}},
    {"rolls-beside-the-drain", 16, rolls, NULL, {{0, STARTS, APPLICATION}, {500, STARTS, DRAIN}}},
};
const size_t play_count = sizeof plays / sizeof plays[0];
