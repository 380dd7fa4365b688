/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog drain`: a process that moves the records of a ring to its log files, beside the process that writes it. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/worker.h"
#include "cli/below.h"
#include "cli/cli.h"
#include "cli/owner.h"
#include "device/open.h"
#include "log/ring_drain.h"
#include "window/locks.h"

#define INTERVAL_MOST_MS 60000
#define EVENT_WAIT_NS 100000000
#define BELOW_MOST 64

static const char usage[] = "burstlog drain [--window FOLDER] [--interval MS] [--below FOLDER].. RING";
static const char about[] =
    "Moves the records of a ring to its log files, segments and devices, beside the process that writes the ring with\n"
    "drain=external, and when that is dead. Runs until SIGTERM or SIGINT. Root takes the rights of a ring file's owner.\n"
    "  --window FOLDER   the window folder of that process; default: beside a ring file, else /run/burstlog\n"
    "  --interval MS     a durable record is in its log file within this time; default 100\n"
    "  --below FOLDER    it writes below these folders only, beside ring and window; a log device is named itself; default:\n"
    "                    wherever the ring says\n";

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
    const char *below[BELOW_MOST + 2]; /* and the ring, and the folder of its window */
    size_t below_count;
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

/* The list is of absolute paths, without links. */
static int add_below(struct command *command, const char *path) {
    char *absolute = command->below_count < BELOW_MOST ? realpath(path, NULL) : NULL;
    if (absolute == NULL) {
        return command->below_count < BELOW_MOST
                   ? error_set(errno, "--below %s: %s; the folder has to be there", path, error_name(errno))
                   : error_set(E2BIG, "--below: more than %d folders", BELOW_MOST);
    }
    command->below[command->below_count++] = absolute;
    return 0;
}

static int confine(struct command *command, const struct device *device) {
    static char folder[4096];
    size_t count = command->below_count;
    if (count == 0) {
        return device->is_file && device->file.owner != geteuid()
                   ? error_set(
                         EPERM,
                         "ring %s is of user %u, who can name any file in it, and this process is of user %u: name "
                         "the folders below which it may write for that user (--below)",
                         device->path, (unsigned)device->file.owner, (unsigned)geteuid())
                   : 0;
    }
    const int rc = locks_folder(command->config.window, device->path, device->is_file, folder, sizeof folder);
    command->config.below = command->below;
    command->config.below_count = count;
    command->below[count++] = device->path;
    command->below[count++] = folder;
    return rc < 0 ? rc : below_confine(command->below, count);
}

/* The drain writes where the ring says: with the rights of the ring's owner, who can say anything, or below its own list of
 * folders. */
static int take_rights(struct command *command) {
    struct owner owner;
    struct device *device;
    int rc = device_open(&platform_linux, command->config.ring, DEVICE_READ_ONLY, DEVICE_IO_AUTO, &device);
    if (rc == 0) {
        rc = owner_become(device, &owner);
        rc = rc < 0 ? rc : confine(command, device);
        device_close(device);
    }
    return rc;
}

static int drain(struct command *command) {
    struct worker worker = {.is_stopped = 0};
    const struct sigaction action = {.sa_handler = ask_to_stop};
    int rc = take_rights(command);
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
                                            {"below", required_argument, NULL, 'b'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    static struct command command;
    char *end;
    long long interval_ms;
    int rc;
    events_init(&command.events, &platform_linux);
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (option) {
        case 'w':
            command.config.window = optarg;
            break;
        case 'i':
            interval_ms = strtoll(optarg, &end, 10);
            if (*end != '\0' || interval_ms <= 0 || interval_ms > INTERVAL_MOST_MS) {
                return cli_misused(usage, "--interval takes 1 to 60000 milliseconds", optarg);
            }
            command.config.interval_ns = interval_ms * 1000000;
            break;
        case 'b':
            rc = add_below(&command, optarg);
            if (rc < 0) {
                return cli_failed(rc);
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
