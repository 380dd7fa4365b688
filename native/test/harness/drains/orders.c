/* SPDX-License-Identifier: Apache-2.0 */
/* The writer of scripts/prove/upgrade, built against the library of one version. It appends an order each millisecond, and
 * prints it when it is durable; its events go to standard error. Its drain is another process. It closes the log at SIGTERM.
 *
 *     orders RING LOG-FILE FOLDER-OF-THE-WINDOW FIRST-ORDER */
#include <burstlog.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RING_BYTES (2 << 20)
#define ORDER_EVERY_US 1000

static volatile sig_atomic_t is_ended;

static void end(int signal) {
    (void)signal;
    is_ended = 1;
}

static _Noreturn void give_up(const char *sentence) {
    fprintf(stderr, "%s\n", sentence);
    exit(1);
}

static burst_t *open_log(const char *ring, const char *file_name, const char *window) {
    burst_config_t config;
    burst_stream_config_t file;
    burst_t *log;
    burst_config_init(&config);
    burst_stream_config_init(&file);
    file.file_name = file_name;
    config.ring = ring;
    config.main = &file;
    config.window = window;
    config.drain = BURST_DRAIN_EXTERNAL;
    config.durability = BURST_DURABILITY_PROCESS;
    config.ring_bytes = RING_BYTES;
    if (burst_open(&config, &log) < 0) {
        give_up(burst_last_error());
    }
    return log;
}

static void tell_events(burst_t *log) {
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, 0) == 1) {
        fprintf(stderr, "%s\n", event.text);
    }
}

int main(int count, char **arguments) {
    if (count != 5) {
        give_up("usage: orders RING LOG-FILE FOLDER-OF-THE-WINDOW FIRST-ORDER");
    }
    signal(SIGTERM, end);
    burst_t *log = open_log(arguments[1], arguments[2], arguments[3]);
    for (long order = strtol(arguments[4], NULL, 10); !is_ended; order++) {
        char line[32];
        const int length = snprintf(line, sizeof line, "order %ld\n", order);
        if (burst_append(log, line, (size_t)length, 0) < 0) {
            give_up(burst_last_error());
        }
        if (write(STDOUT_FILENO, line, (size_t)length) != length) {
            give_up("the number of a durable order could not be written");
        }
        tell_events(log);
        usleep(ORDER_EVERY_US);
    }
    if (burst_close(log) < 0) {
        give_up(burst_last_error());
    }
    return 0;
}
