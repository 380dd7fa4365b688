/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog top`. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/top/screen.h"

#define USAGE "burstlog top [--json] [--count=N] [--window=FOLDER] RING..."
#define ABOUT                                                                                                            \
    "Shows once a second what the logs of these rings do now: how far they are durable, how long that takes, how full\n" \
    "the rings are. The logs must have a window; name a ring, or the socket of its window. Changes nothing, and costs\n" \
    "the log some 100 us of a thread of its own each second.\n"                                                          \
    "  --json            one object a line, for each ring each second\n"                                                 \
    "  --count=N         ends after N looks\n"                                                                           \
    "  --window=FOLDER   where the sockets of the windows are\n"                                                         \
    "Keys: s, c and r choose the file, the consumer of segments, and the ring; q ends."
#define PERIOD_NS 1000000000
#define LOOKS_FOR_EVER UINT64_MAX

static volatile sig_atomic_t is_over;
static struct termios before;
static int is_changed; /* the terminal has to be given back */

static void end(int signal_number) {
    (void)signal_number;
    is_over = 1;
}

/* Takes single keys, unseen. */
static void take_terminal(void) {
    if (isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &before) == 0) {
        struct termios keys = before;
        keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        is_changed = tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
    }
}

static void give_terminal_back(void) {
    if (is_changed) {
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
        fputs("\033[?25h\n", stdout);
    }
}

/* The locale that a terminal is used with, without setting it: numbers stay as they are. */
static int is_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && *value != '\0') {
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL;
        }
    }
    return 0;
}

struct top {
    struct watch *watches;
    unsigned count;
    int json;
    uint64_t looks;
    struct screen screen;
    struct screen_choice choice;
    int rc; /* of the output */
};

/* Nothing more is drawn after a failure. */
static void draw(struct top *top) {
    errno = 0;
    if (top->json) {
        for (unsigned i = 0; i < top->count; i++) {
            screen_json(stdout, &top->watches[i]);
        }
    } else {
        fputs(top->screen.is_terminal ? "\033[?25l\033[H" : "", stdout);
        screen_draw(&top->screen, &top->watches[top->choice.ring], top->count, &top->choice);
        fputs(top->screen.is_terminal ? "\033[J" : "", stdout);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        top->rc = cli_output_failed();
        is_over = 1;
    }
}

/* Takes the keys that were pressed. */
static void take_keys(struct top *top) {
    char key;
    if (read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q') {
        is_over = 1;
        return;
    }
    switch (key) {
    case 's':
        top->choice.stream++;
        break;
    case 'c':
        top->choice.consumer++;
        break;
    case 'r':
        top->choice = (struct screen_choice){.ring = (top->choice.ring + 1) % top->count};
        break;
    default:
        return;
    }
    draw(top);
}

static void rest_until(struct top *top, int64_t time_ns) {
    for (int64_t left_ns; !is_over && (left_ns = time_ns - platform_monotonic_ns(&platform_linux)) > 0;) {
        struct pollfd keys = {.fd = is_changed ? STDIN_FILENO : -1, .events = POLLIN};
        if (poll(&keys, 1, (int)(left_ns / 1000000) + 1) > 0) {
            take_keys(top);
        }
    }
}

/* Returns the exit code: not OK if no log was ever seen. */
static int run(struct top *top) {
    unsigned ever_seen = 0;
    int64_t next_ns = platform_monotonic_ns(&platform_linux);
    for (uint64_t look = 0; look < top->looks && !is_over; look++) {
        for (unsigned i = 0; i < top->count; i++) {
            ever_seen += (unsigned)watch_look(&top->watches[i]);
        }
        if (look == 0 && ever_seen == 0) {
            fprintf(stderr, "burstlog: %s%s\n", top->watches[0].why,
                    top->count > 1 ? " (nor is there a log of the other rings)" : "");
            return EXIT_REFUSED;
        }
        draw(top);
        next_ns += PERIOD_NS;
        if (look + 1 < top->looks) {
            rest_until(top, next_ns);
        }
    }
    return top->rc == 0 || top->rc == -EPIPE ? EXIT_OK : cli_failed(top->rc);
}

static int watch_all(struct top *top, char **rings, const char *folder) {
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < top->count; i++) {
        rc = watch_open(&top->watches[i], rings[i], folder);
    }
    if (rc < 0) {
        return cli_failed(rc);
    }
    const struct sigaction action = {.sa_handler = end};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* the reader of a pipe has gone: -EPIPE */
    top->screen = (struct screen){.out = stdout, .is_utf8 = is_utf8(), .is_terminal = isatty(STDOUT_FILENO)};
    if (top->screen.is_terminal && !top->json) {
        take_terminal();
        fputs("\033[2J", stdout);
    }
    const int code = run(top);
    give_terminal_back();
    for (unsigned i = 0; i < top->count; i++) {
        watch_close(&top->watches[i]);
    }
    return code;
}

int command_top(int argc, char **argv) {
    static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                            {"count", required_argument, NULL, 'n'},
                                            {"window", required_argument, NULL, 'w'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct top top = {.looks = LOOKS_FOR_EVER};
    const char *folder = NULL;
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        char *rest = NULL;
        switch (option) {
        case 'h':
            printf("usage: %s\n%s\n", USAGE, ABOUT);
            return EXIT_OK;
        case 'j':
            top.json = 1;
            break;
        case 'w':
            folder = optarg;
            break;
        case 'n':
            top.looks = strtoull(optarg, &rest, 10);
            if (*optarg < '1' || *optarg > '9' || *rest != '\0') {
                return cli_misused(USAGE, "--count wants a number of looks, 1 or more", optarg);
            }
            break;
        default:
            return cli_misused(USAGE, "wrong option, as the line above says", NULL);
        }
    }
    if (optind == argc) {
        return cli_misused(USAGE, "name a ring, or the socket of its window", NULL);
    }
    top.count = (unsigned)(argc - optind);
    top.watches = calloc(top.count, sizeof *top.watches);
    if (top.watches == NULL) {
        return cli_failed(error_set(ENOMEM, "no memory to watch %u rings", top.count));
    }
    const int code = watch_all(&top, argv + optind, folder);
    free(top.watches);
    return code;
}
