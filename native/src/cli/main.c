/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/cli.h"

static const struct command {
    const char *name;
    int (*execute)(int argc, char **argv);
    const char *about;
} commands[] = {
    {"format", command_format, "make a ring on a block device or in a file, or prepare a block device for a log"},
    {"info", command_info, "show the state of a ring, its media and its log; changes nothing"},
    {"dump", command_dump, "show every record that a ring holds; changes nothing"},
    {"spectrum", command_spectrum, "show how long records took to be durable, second by second; changes nothing"},
    {"verify", command_verify, "check superblocks, checkpoints and every record of a ring; changes nothing"},
    {"cat", command_cat, "print a log: of a ring with its files, of a log file, of segments, of a block device"},
    {"tail", command_tail, "print the end of a log, and what comes"},
    {"grep", command_grep, "search a log"},
    {"where", command_where, "tell where a record stands, and since when it is durable"},
    {"replay", command_replay, "print a log at the times of its records"},
    {"top", command_top, "show what logs do now, once a second"},
    {"report", command_report, "write a page of a ring's last day, for a browser"},
    {"recover", command_recover, "move what is left in a ring to its log file"},
    {"drain", command_drain, "move the records of a ring to its log files, beside the process that writes it"},
    {"doctor", command_doctor, "find what costs latency on this host; test whether a disk keeps what it acknowledged"},
};

int cli_failed(int rc) {
    fprintf(stderr, "burstlog: %s\n", error_text());
    switch (-rc) {
    case EFBIG:
    case EIO:
    case ENODATA:
    case ENOSPC:
    case EROFS:
    case ENXIO:
        return rc == -ENODATA ? EXIT_REFUSED : EXIT_IO;
    case EUCLEAN:
        return EXIT_DAMAGE;
    default:
        return EXIT_REFUSED;
    }
}

int cli_output_failed(void) {
    const int code = errno;
    clearerr(stdout);
    return code == EPIPE ? -EPIPE
                         : error_set(EIO, "writing to standard output failed: %s",
                                     code == 0 ? "a part of it is missing" : error_name(code));
}

int cli_misused(const char *usage, const char *complaint, const char *value) {
    fprintf(stderr, "burstlog: %s%s%s\nusage: %s\n", complaint, value == NULL ? "" : ": ", value == NULL ? "" : value,
            usage);
    return EXIT_USAGE;
}

int cli_read_ring(int argc, char **argv, const char *usage, const char *about, int *json, const char **window,
                  const char **ring) {
    static const struct option with_window[] = {{"window", required_argument, NULL, 'w'},
                                                {"json", no_argument, NULL, 'j'},
                                                {"help", no_argument, NULL, 'h'},
                                                {0}};
    const struct option *const options = window == NULL ? with_window + 1 : with_window;
    *json = 0;
    if (window != NULL) {
        *window = NULL;
    }
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (option) {
        case 'w':
            *window = optarg;
            break;
        case 'j':
            *json = 1;
            break;
        case 'h':
            printf("usage: %s\n%s\n", usage, about);
            return EXIT_OK;
        default:
            return cli_misused(usage, "wrong option, as the line above says", NULL);
        }
    }
    if (argc - optind != 1) {
        return cli_misused(usage, "name one ring: a block device or a file", NULL);
    }
    *ring = argv[optind];
    return CLI_GO_ON;
}

int cli_parse_size(const char *text, unsigned long long *bytes) {
    static const char *const units[] = {"", "K", "M", "G", "T"};
    char *end;
    errno = 0;
    *bytes = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *text == '-') {
        return -1;
    }
    while (*end == ' ') {
        end++;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t length = strlen(units[i]);
        const char *rest = end + length;
        if (strncasecmp(end, units[i], length) == 0 &&
            (*rest == '\0' || (length > 0 && (strcasecmp(rest, "B") == 0 || strcasecmp(rest, "iB") == 0)))) {
            if (*bytes > ~0ull >> (10 * i)) {
                return -1;
            }
            *bytes <<= 10 * i;
            return 0;
        }
    }
    return -1;
}

static int tell_usage(FILE *out, int code) {
    fputs("usage: burstlog COMMAND [OPTION...] RING\n\n", out);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        fprintf(out, "  %-8s  %s\n", commands[i].name, commands[i].about);
    }
    fputs(
        "\nRING is a block device or a file. info, dump, spectrum and verify also work while a process writes the ring.\n"
        "`burstlog COMMAND --help` says what a command does and takes.\n"
        "Exit codes: 0 ok, 1 damage found, 2 wrong usage, 3 refused or busy, 4 I/O error.\n",
        out);
    return code;
}

static int execute(int argc, char **argv) {
    if (argc < 2) {
        return tell_usage(stderr, EXIT_USAGE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        return tell_usage(stdout, EXIT_OK);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("burstlog %s\n", burst_version());
        return EXIT_OK;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].execute(argc - 1, argv + 1);
        }
    }
    fprintf(stderr, "burstlog: there is no command %s\n", argv[1]);
    return tell_usage(stderr, EXIT_USAGE);
}

/* A caller may have closed one of the first three descriptors. The next file that is opened, perhaps a ring or a log file, would
 * get its number, and then what is printed. So each gets a file that fails as a closed one does. */
static int keep_standard_files(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) {
            return error_set(errno,
                             "descriptor %d is closed, and /dev/null cannot be opened in its place: %s; leave it open",
                             fd, error_name(errno));
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    if (keep_standard_files() < 0) {
        return cli_failed(-EIO);
    }
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit then fails with EFBIG, which has a sentence */
    const int code = execute(argc, argv);
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    const int rc = cli_output_failed();
    return rc == -EPIPE ? code : cli_failed(rc);
}
