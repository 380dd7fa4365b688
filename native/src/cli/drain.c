/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog drain`: a process that moves the records of a ring to its log files, beside the process that writes it. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/worker.h"
#include "cli/cli.h"
#include "cli/owner.h"
#include "device/open.h"
#include "log/ring_drain.h"

#define INTERVAL_MOST_MS 60000
#define EVENT_WAIT_NS 100000000

static const char usage[] = "burstlog drain [--window FOLDER] [--interval MS] RING";
static const char about[] =
    "Moves the records of a ring to its log files, segments and devices, beside the process that writes the ring with\n"
    "drain=external, and when that is dead. Runs until SIGTERM or SIGINT. Root takes the rights of a ring file's owner.\n"
    "  --window FOLDER   the window folder of that process; default: beside a ring file, else /run/burstlog\n"
    "  --interval MS     a durable record is in its log file within this time; default 100\n";

static _Atomic uint32_t stop;

static void ask_to_stop(int number) {
    (void)number;
    atomic_store(&stop, 1);
}

struct command {
    struct ring_drain_config config;
    struct events events;
    int rc;
    char error[4096];
};

static void run(void *argument) {
    struct command *command = argument;
    command->rc = ring_drain_run(&command->config, &command->events, &stop);
    snprintf(command->error, sizeof command->error, "%s", command->rc < 0 ? error_text() : "");
    events_close(&command->events);
}

static void print_events(struct command *command) {
    static const char *const severities[] = {"INFO", "WARN", "ERROR"};
    struct event event;
    int rc;
    while ((rc = events_take(&command->events, &event, EVENT_WAIT_NS)) >= 0) {
        if (rc == 1) {
            fprintf(stderr, "%s %s\n", severities[event.severity % 3], event.text);
        }
    }
}

/* The drain writes where the ring says: with the rights of the ring's owner, who can say anything. */
static int take_rights(const char *path) {
    struct owner owner;
    struct device *device;
    int rc = device_open(&platform_linux, path, DEVICE_READ_ONLY, DEVICE_IO_AUTO, &device);
    if (rc == 0) {
        rc = owner_become(device, &owner);
        device_close(device);
    }
    return rc;
}

static int drain(struct command *command) {
    struct worker worker = {.is_stopped = 0};
    const struct sigaction action = {.sa_handler = ask_to_stop};
    int rc = take_rights(command->config.ring);
    if (rc < 0) {
        return cli_failed(rc);
    }
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a log file that reaches a limit stalls */
    rc = worker_start(&worker, "burst-drain", run, command);
    if (rc == 0) {
        print_events(command);
        worker_join(&worker);
        rc = command->rc < 0 ? error_set(-command->rc, "%s", command->error) : 0;
    }
    return rc < 0 ? cli_failed(rc) : EXIT_OK;
}

int command_drain(int argc, char **argv) {
    static const struct option options[] = {{"window", required_argument, NULL, 'w'},
                                            {"interval", required_argument, NULL, 'i'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    static struct command command;
    char *end;
    events_init(&command.events, &platform_linux);
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (option) {
        case 'w':
            command.config.window = optarg;
            break;
        case 'i':
            command.config.interval_ns = strtoll(optarg, &end, 10) * 1000000;
            if (*end != '\0' || command.config.interval_ns <= 0 ||
                command.config.interval_ns > INTERVAL_MOST_MS * 1000000ll) {
                return cli_misused(usage, "--interval takes 1 to 60000 milliseconds", optarg);
            }
            break;
        case 'h':
            printf("usage: %s\n\n%s", usage, about);
            return EXIT_OK;
        default:
            fprintf(stderr, "usage: %s\n", usage);
            return EXIT_USAGE;
        }
    }
    if (optind + 1 != argc) {
        return cli_misused(usage, optind == argc ? "no ring is named" : "one ring is drained", NULL);
    }
    command.config.ring = argv[optind];
    return drain(&command);
}
