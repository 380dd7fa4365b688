/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that logs like any other; the tests change its system calls: writer RING LOG FIRST COUNT SECONDS. Standard
 * output gets a line for each record: its number, and what the append returned. Then the program waits for the drain,
 * so many seconds at most, and prints events and the close's result behind "#". With 0 seconds it waits before the last
 * record until the drain has told that it cannot write the log file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/rigs/witness.h"

#define PATIENCE_NS 60000000000

static struct witness witness;

/* Prints events: those that are there, or all until one says `last`. */
static void hear(burst_t *log, const char *last) {
    burst_event_t event = {.struct_bytes = sizeof event};
    int is_said = last == NULL;
    while (burst_next_event(log, &event, is_said ? 0 : PATIENCE_NS) == 1) {
        printf("# event: %s\n", event.text);
        is_said |= last != NULL && strstr(event.text, last) != NULL;
    }
}

int main(int count, char **arguments) {
    if (count != 6) {
        fprintf(stderr, "usage: writer RING LOG FIRST COUNT SECONDS\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = arguments[2]};
    burst_config_t config;
    burst_config_init(&config);
    config.ring = arguments[1];
    config.io = BURST_IO_PWRITE; /* strace counts its calls */
    config.main = &main_config;
    config.ring_bytes = 2 << 20;
    config.durability = BURST_DURABILITY_PROCESS;
    config.drain_interval_ns = 2000000;
    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        printf("# open: %s\n", burst_last_error());
        return 1;
    }
    witness_begin(&witness);
    witness.next[0] = strtoull(arguments[3], NULL, 10);
    const int64_t wait_ns = atoll(arguments[5]) * 1000000000;
    int told = 0;
    const uint64_t end = witness.next[0] + strtoull(arguments[4], NULL, 10);
    while (witness.next[0] < end) {
        const unsigned long long number = witness.next[0];
        if (number + 1 == end && wait_ns == 0) {
            hear(log, "cannot be written");
        } else if (number + 1 == end) { /* the drain tells of a step before it begins the next one */
            burst_await_drained(log, wait_ns);
        }
        const long long result = witness_append(&witness, log, 0, 0);
        printf("%llu %lld\n", number, result);
        if (result < 0 && !told)
            printf("# append: %s\n", burst_last_error());
        told |= result < 0;
    }
    burst_await_drained(log, wait_ns);
    hear(log, NULL);
    const int64_t left = burst_close(log);
    printf("# close: %lld\n", (long long)left);
    witness_end(&witness);
    return left == 0 ? 0 : 1;
}
