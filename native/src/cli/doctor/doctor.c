/* SPDX-License-Identifier: Apache-2.0 */
/* The command `doctor`: reads its options and does one of its tasks. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/cli.h"
#include "cli/doctor/doctor.h"
#include "cli/verify/engines.h"
#include "device/open.h"
#include "device/probe.h"
#include "ledger/ledger.h"

static const char usage[] =
    "burstlog doctor [RING] [--file LOG] [--pid PID] [--json] [--root DIR]\n"
    "       burstlog doctor --jitter [RING] [--seconds N] [--cpu LIST] [--together] [--json]\n"
    "       burstlog doctor --slow-appends FOLDER [DEVICE] [--seconds N] [--io ENGINE] [--json]\n"
    "       burstlog doctor --drive-report FOLDER-OR-DEVICE [--blocks N] [--force] [--root DIR]\n"
    "                       [--verify-device TEST --check N]\n"
    "       burstlog doctor --verify-device DEVICE-OR-FILE --serve [--report HOST:PORT] "
    "[--blocks N]\n"
    "                       [--size SIZE] [--io ENGINE] [--force]\n"
    "       burstlog doctor --verify-device DEVICE-OR-FILE --check N [--json]\n"
    "       burstlog doctor --listen [ADDRESS:]PORT [--seconds N]";

static const char about[] =
    "\nFinds what makes a log slow or unsteady on this host: in cores, memory, the ring's disk, file systems, clock,\n"
    "load, and the options of a JVM. Each finding says what was read where, what it costs and what mends it.\n"
    "It changes nothing. What it cannot read it calls unknown, never in order; root can read the most. A cost is an order\n"
    "of magnitude from the field, unless it names the command that measured it.\n"
    "  RING          a block device or a file, with a ring or for one to be; its disk is checked\n"
    "  --file LOG    the log file, if the ring does not name it yet\n"
    "  --pid PID     the process that logs, for instance a JVM; default: the one that has the ring open\n"
    "  --root DIR    checks a recorded host instead: DIR holds its /proc and /sys\n"
    "\n--jitter measures on each core of LIST (default: all), for N seconds (default: 1), how long a running thread is\n"
    "kept from it: one core after the other, or all --together. It advises cores for the threads that log and for\n"
    "the drain.\n"
    "\n--slow-appends logs in FOLDER for N seconds (default: 5), and says of the slowest appends what held each up and\n"
    "whose that was: the machine's, the medium's, or Burstlog's. The ring is in FOLDER, too, or on DEVICE, which must be\n"
    "blank and keeps it. The rest is gone when it ends.\n"
    "\n--drive-report prints one line for the table of drives in docs/benchmarks.md: model, firmware, write cache, and\n"
    "what N durable writes of a block take (default: 20000, for 30 s at most), in us; then writes of 8 KiB a second without\n"
    "sync, with O_DSYNC and with fdatasync; and what a ring writes to the drive in a day. In a folder it writes a file of\n"
    "16M that is gone when it ends; a device must be blank. Nothing else should use the drive. With --verify-device and\n"
    "--check the line also has what the plug-pull test found there.\n"
    "\n--verify-device is the plug-pull test: does a disk keep what it acknowledged when the power goes?\n"
    "  1. on another machine:   burstlog doctor --listen 7007\n"
    "  2. on this one:          burstlog doctor --verify-device /dev/sdX --serve --report OTHER:7007\n"
    "  3. pull the plug; the other machine shows the last number acknowledged, N\n"
    "  4. after the start:      burstlog doctor --verify-device /dev/sdX --check N\n"
    "It writes in turns with every engine that io=auto may take for a ring there, or with ENGINE alone; --check gives\n"
    "a verdict for each. It overwrites the first SIZE (default: 64M) of a blank device or of a new file. A medium\n"
    "that holds anything is refused without --force.\n"
    "\nExit codes: 0 nothing found, 1 findings (--check: blocks lost), 2 wrong usage, 3 refused, 4 I/O error.\n";

enum task { CHECK_HOST, JITTER, SLOW_APPENDS, VERIFY, LISTEN, DRIVE };

struct doctor_request {
    enum task task;
    const char *ring, *log;
    int pid, json, serve, check;
    struct host host;
    struct jitter_request jitter;
    struct slow_request slow;
    struct verify_request verify;
};

/* Reads from the ring the name of its log file and how much memory its image takes. Neither is known for a ring that
 * does not exist yet. */
static void read_ring(struct doctor *doctor, char *log, size_t room) {
    static struct stream_state first;
    struct ledger *ledger;
    struct device *device;
    log[0] = '\0';
    const int rc = device_open(&platform_linux, doctor->ring.path, DEVICE_READ_ONLY, BURST_IO_AUTO, &device);
    if (rc < 0) {
        doctor->ring_failure = rc == -ENOENT ? 0 : rc; /* -ENOENT: the ring does not exist yet */
        return;
    }
    if (ledger_read(&platform_linux, device, &ledger) == 0) {
        doctor->ring_bytes = ledger_view(ledger)->superblock.capacity_bytes;
        ledger_stream(ledger, ledger_newest(ledger), 0, &first);
        outlet_state_file(&first.outlet, log, room);
    }
    ledger_close(ledger);
    device_close(device);
}

static int holder_of(const char *path) {
    char holders[BURST_TEXT_BYTES] = "";
    const int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd >= 0) {
        medium_holders(fd, holders, sizeof holders);
        close(fd);
    }
    return atoi(holders);
}

static int find_process(struct doctor *doctor, int named) {
    char path[64];
    doctor->pid = named;
    if (named == 0 && doctor->ring.path[0] != '\0' && !host_is_recorded(&doctor->host)) {
        doctor->pid = holder_of(doctor->ring.path);
    }
    if (doctor->pid == 0) {
        return 0;
    }
    snprintf(path, sizeof path, "/proc/%d/comm", doctor->pid);
    const int rc = host_line(&doctor->host, path, doctor->process, sizeof doctor->process);
    return rc < 0 ? error_set(-rc, "there is no process %d: %s cannot be read: %s", doctor->pid, path, error_name(rc))
                  : 0;
}

static int find_subject(struct doctor *doctor, const struct doctor_request *request) {
    char log[BURST_PATH_BYTES] = "";
    int rc = 0;
    doctor->host = request->host;
    if (request->ring != NULL) {
        rc = device_location_find(&doctor->host, request->ring, &doctor->ring);
    }
    if (rc == 0 && request->ring != NULL && !host_is_recorded(&doctor->host)) {
        read_ring(doctor, log, sizeof log);
    }
    if (request->log != NULL) {
        snprintf(log, sizeof log, "%s", request->log);
    }
    if (rc == 0 && log[0] != '\0') {
        rc = device_location_find(&doctor->host, log, &doctor->log);
    }
    return rc < 0 ? rc : find_process(doctor, request->pid);
}

static int check_host(const struct doctor_request *request) {
    static doctor_check *const checks[] = {doctor_check_cpus,   doctor_check_threads, doctor_check_numa,
                                           doctor_check_memory, doctor_check_device,  doctor_check_files,
                                           doctor_check_clock,  doctor_check_load,    doctor_check_jvm};
    static struct doctor doctor;
    const int rc = find_subject(&doctor, request);
    if (rc < 0) {
        return cli_failed(rc);
    }
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        checks[i](&doctor);
    }
    return doctor_print(&doctor, request->json) > 0 ? EXIT_DAMAGE : EXIT_OK;
}

static int measure_jitter(const struct doctor_request *request) {
    static struct doctor doctor;
    doctor.host = request->host;
    const int rc = request->ring == NULL ? 0 : device_location_find(&doctor.host, request->ring, &doctor.ring);
    return rc < 0 ? cli_failed(rc) : doctor_jitter(&doctor, &request->jitter);
}

static int run_task(struct doctor_request *request) {
    request->jitter.json = request->verify.json = request->json;
    switch (request->task) {
    case JITTER:
        return host_is_recorded(&request->host)
                   ? cli_misused(usage, "--jitter measures this host, so it takes no --root", NULL)
                   : measure_jitter(request);
    case SLOW_APPENDS:
        request->slow.ring = request->ring;
        request->slow.io = request->verify.io;
        request->slow.force = request->verify.force;
        request->slow.json = request->json;
        return host_is_recorded(&request->host)
                   ? cli_misused(usage, "--slow-appends measures this host, so it takes no --root", NULL)
                   : doctor_slow_appends(&request->slow);
    case VERIFY:
        return request->serve == request->check
                   ? cli_misused(usage, "--verify-device wants either --serve or --check N", NULL)
               : request->serve ? verify_serve(&request->verify)
                                : verify_check(&request->verify);
    case LISTEN:
        return verify_listen(&request->verify);
    case DRIVE:
        if (request->serve || request->check != (request->verify.path != NULL)) {
            return cli_misused(
                usage, "--drive-report takes a plug-pull test on that drive as --verify-device and --check N", NULL);
        }
        if (request->check && host_is_recorded(&request->host)) {
            return cli_misused(usage, "--drive-report with --root measures nothing, so it takes no --check", NULL);
        }
        return doctor_drive_report(&request->host, &request->verify);
    default:
        return check_host(request);
    }
}

static int read_number(const char *text, unsigned long long *number) {
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno != 0 || end == text || *end != '\0' || *text == '-' ? -1 : 0;
}

static int read_seconds(const char *text, double *seconds) {
    char *end;
    *seconds = strtod(text, &end);
    return end == text || *end != '\0' || !(*seconds > 0 && *seconds <= 1e6) ? -1 : 0;
}

/* Reads one option. Returns CLI_GO_ON or the exit code. */
static int read_option(int option, const char *value, struct doctor_request *request) {
    unsigned long long number;
    switch (option) {
    case 'f':
        request->log = value;
        return CLI_GO_ON;
    case 'p':
        if (read_number(value, &number) < 0 || number == 0 || number > 1u << 30) {
            return cli_misused(usage, "--pid wants the number of a process", value);
        }
        request->pid = (int)number;
        return CLI_GO_ON;
    case 'j':
        request->json = 1;
        return CLI_GO_ON;
    case 'r':
        request->host.root = strcmp(value, "/") == 0 ? "" : value;
        return CLI_GO_ON;
    case 'J':
        request->task = JITTER;
        return CLI_GO_ON;
    case 'W':
        request->task = SLOW_APPENDS;
        request->slow.folder = value;
        return CLI_GO_ON;
    case 's':
        if (read_seconds(value, &request->jitter.seconds) < 0) {
            return cli_misused(usage, "--seconds wants a number of seconds", value);
        }
        request->verify.seconds = request->slow.seconds = request->jitter.seconds;
        return CLI_GO_ON;
    case 'c':
        request->jitter.cpus = value;
        return CLI_GO_ON;
    case 't':
        request->jitter.together = 1;
        return CLI_GO_ON;
    case 'V':
        request->task = request->task == DRIVE ? DRIVE : VERIFY;
        request->verify.path = value;
        return CLI_GO_ON;
    case 'D':
        request->task = DRIVE;
        request->verify.drive = value;
        return CLI_GO_ON;
    case 'S':
        request->serve = 1;
        return CLI_GO_ON;
    case 'C':
        request->check = 1;
        return read_number(value, &request->verify.last) == 0 && request->verify.last > 0 &&
                       request->verify.last <= INT64_MAX
                   ? CLI_GO_ON
                   : cli_misused(usage, "--check wants the last number that was reported", value);
    case 'R':
        request->verify.report = value;
        return CLI_GO_ON;
    case 'L':
        request->task = LISTEN;
        request->verify.listen = value;
        return CLI_GO_ON;
    case 'b':
        return read_number(value, &request->verify.blocks) == 0 && request->verify.blocks > 0
                   ? CLI_GO_ON
                   : cli_misused(usage, "--blocks wants a number of blocks", value);
    case 'z':
        return cli_parse_size(value, &request->verify.size) == 0 && request->verify.size > 0
                   ? CLI_GO_ON
                   : cli_misused(usage, "--size wants a size such as 64M, 1G or a number of bytes", value);
    case 'i':
        return verify_parse_io(value, &request->verify.io) == 0
                   ? CLI_GO_ON
                   : cli_misused(usage, "--io wants the name of an engine, such as uring (docs/io-engines.md)", value);
    case 'F':
        request->verify.force = 1;
        return CLI_GO_ON;
    case 'h':
        printf("usage: %s\n%s", usage, about);
        return EXIT_OK;
    default:
        return cli_misused(usage, "wrong option, as the line above says", NULL);
    }
}

int command_doctor(int argc, char **argv) {
    static const struct option options[] = {{"file", required_argument, NULL, 'f'},
                                            {"pid", required_argument, NULL, 'p'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"root", required_argument, NULL, 'r'},
                                            {"jitter", no_argument, NULL, 'J'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"cpu", required_argument, NULL, 'c'},
                                            {"together", no_argument, NULL, 't'},
                                            {"verify-device", required_argument, NULL, 'V'},
                                            {"slow-appends", required_argument, NULL, 'W'},
                                            {"drive-report", required_argument, NULL, 'D'},
                                            {"serve", no_argument, NULL, 'S'},
                                            {"check", required_argument, NULL, 'C'},
                                            {"report", required_argument, NULL, 'R'},
                                            {"listen", required_argument, NULL, 'L'},
                                            {"blocks", required_argument, NULL, 'b'},
                                            {"size", required_argument, NULL, 'z'},
                                            {"io", required_argument, NULL, 'i'},
                                            {"force", no_argument, NULL, 'F'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct doctor_request request = {.host.root = "", .jitter.seconds = 1, .slow.seconds = 5};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        const int code = read_option(option, optarg, &request);
        if (code != CLI_GO_ON) {
            return code;
        }
    }
    const int named = argc - optind;
    if (named > (request.task <= SLOW_APPENDS)) {
        return cli_misused(usage, "one argument too many", argv[argc - 1]);
    }
    request.ring = named == 1 ? argv[optind] : NULL;
    return run_task(&request);
}
