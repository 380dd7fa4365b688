/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the commands that read a log. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/path.h"
#include "base/platform.h"
#include "cli/cli.h"
#include "cli/read.h"

#define SECOND_NS 1000000000ll

/* ------------------------------------------------------------------------------------------------------------ points */

/* "-5min": so long before now. */
static int parse_ago(const char *text, int64_t now_ns, struct read_point *point) {
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ms", SECOND_NS / 1000}, {"s", SECOND_NS},        {"sec", SECOND_NS},      {"min", 60 * SECOND_NS},
                 {"m", 60 * SECOND_NS},    {"h", 3600 * SECOND_NS}, {"d", 86400 * SECOND_NS}};
    char *end;
    errno = 0;
    const long long count = strtoll(text + 1, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (end != text + 1 && errno == 0 && strcmp(end, units[i].name) == 0 && count >= 0 &&
            count < now_ns / units[i].ns) {
            *point = (struct read_point){.kind = POINT_TIME, .value = now_ns - count * units[i].ns};
            return 0;
        }
    }
    return -1;
}

/* Seconds east of Greenwich of "Z", "+01:00" or "+0100". Returns 0, or -1. */
static int parse_zone(const char *text, long *seconds) {
    int hours, minutes, used = 0;
    if (strcmp(text, "Z") == 0) {
        *seconds = 0;
        return 0;
    }
    const int is_zone = (text[0] == '+' || text[0] == '-') && isdigit((unsigned char)text[1]) &&
                        (sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &used) == 2 ||
                         sscanf(text + 1, "%2d%2d%n", &hours, &minutes, &used) == 2) &&
                        text[1 + used] == '\0' && hours < 24 && minutes < 60;
    *seconds = is_zone ? (text[0] == '-' ? -1 : 1) * (hours * 3600l + minutes * 60l) : 0;
    return is_zone ? 0 : -1;
}

/* ".123": the part of a second in nanoseconds. Returns where it ends. */
static const char *parse_fraction(const char *text, int64_t *ns) {
    *ns = 0;
    if (*text != '.' && *text != ',') {
        return text;
    }
    int64_t unit = SECOND_NS / 10;
    for (text++; isdigit((unsigned char)*text); text++, unit /= 10) {
        *ns += (*text - '0') * unit;
    }
    return text;
}

/* "2026-11-23T10:31:07.5Z", with a blank in place of the T, without seconds, or a time of today. */
static int parse_time(const char *text, int64_t now_ns, struct read_point *point) {
    static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M",
                                        "%Y-%m-%d",          "%H:%M:%S",          "%H:%M"};
    const time_t now = (time_t)(now_ns / SECOND_NS);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct tm parts;
        int64_t fraction_ns;
        long zone = 0;
        localtime_r(&now, &parts);
        parts.tm_sec = 0;
        if (strcmp(forms[i], "%Y-%m-%d") == 0) {
            parts.tm_hour = parts.tm_min = 0;
        }
        const char *rest = strptime(text, forms[i], &parts);
        rest = rest == NULL ? NULL : parse_fraction(rest, &fraction_ns);
        if (rest == NULL || (*rest != '\0' && parse_zone(rest, &zone) < 0)) {
            continue;
        }
        parts.tm_isdst = -1;
        const int64_t seconds = *rest == '\0' ? mktime(&parts) : timegm(&parts) - zone;
        point->kind = POINT_TIME;
        return __builtin_mul_overflow(seconds, SECOND_NS, &point->value) ||
                       __builtin_add_overflow(point->value, fraction_ns, &point->value)
                   ? -1 /* a year before 1678 or behind 2261 */
                   : 0;
    }
    return -1;
}

int read_point_parse(const char *text, int64_t now_ns, struct read_point *point) {
    char *end;
    if (*text == '-') {
        return parse_ago(text, now_ns, point);
    }
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (end != text && *end == '\0') {
        *point = (struct read_point){.kind = POINT_SEQUENCE, .value = number};
        return errno == 0 && number > 0 ? 0 : -1;
    }
    return parse_time(text, now_ns, point);
}

/* ----------------------------------------------------------------------------------------------------------- options */

static int parse_count(const char *text, uint64_t *count) {
    char *end;
    errno = 0;
    *count = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *text != '-' && *count <= INT64_MAX ? 0 : -1;
}

static int parse_speed(const char *text, double *speed) {
    char *end;
    if (strcmp(text, "max") == 0) {
        *speed = 0;
        return 0;
    }
    *speed = strtod(text, &end);
    return end != text && *end == '\0' && *speed > 0 && *speed < 1e9 ? 0 : -1;
}

/* Takes one option. Returns 0; 1 if the value cannot be used; 2 if it is not for this command. */
static int take(int option, const struct read_command *command, int64_t now_ns, struct read_options *options) {
    if (option < 128 && isalpha(option) && strchr(command->options, option) == NULL) {
        return 2;
    }
    switch (option) {
    case 128:
        return read_point_parse(optarg, now_ns, &options->from) < 0;
    case 129:
        return read_point_parse(optarg, now_ns, &options->to) < 0;
    case 130:
        options->stream = optarg;
        return 0;
    case 131:
        return parse_count(optarg, &options->limit) < 0;
    case 132:
        options->json = 1;
        return 0;
    case 133:
        options->window = optarg;
        return 0;
    case 134:
        options->archives = optarg;
        return 0;
    case 135:
        options->quiet = 1;
        return 0;
    case 136:
        options->appender = optarg;
        return 0;
    case 'f':
        options->follow = 1;
        return 0;
    case 'n':
        return parse_count(optarg, &options->last) < 0;
    case 'i':
        options->ignore_case = 1;
        return 0;
    case 'v':
        options->invert = 1;
        return 0;
    case 'c':
        options->count = 1;
        return 0;
    case 'F':
        options->fixed = 1;
        return 0;
    case 's':
        return parse_speed(optarg, &options->speed) < 0;
    default:
        return 2;
    }
}

static const struct option long_options[] = {
    {"from", required_argument, NULL, 128},     {"to", required_argument, NULL, 129},
    {"stream", required_argument, NULL, 130},   {"limit", required_argument, NULL, 131},
    {"json", no_argument, NULL, 132},           {"window", required_argument, NULL, 133},
    {"archives", required_argument, NULL, 134}, {"quiet", no_argument, NULL, 135},
    {"appender", required_argument, NULL, 136}, {"follow", no_argument, NULL, 'f'},
    {"lines", required_argument, NULL, 'n'},    {"ignore-case", no_argument, NULL, 'i'},
    {"invert-match", no_argument, NULL, 'v'},   {"count", no_argument, NULL, 'c'},
    {"fixed-strings", no_argument, NULL, 'F'},  {"speed", required_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'},           {0}};

static const char about_options[] =
    "SOURCE is a ring, the socket of a window, a log file or an archive of one (plain, .gz, .zst), a folder of segments,\n"
    "a signed archive, or a Log4j configuration, which names ring and files.\n"
    "  --from POINT      begin at a sequence, a time (2026-11-23T10:31:07Z; without a zone: local), or -5min\n"
    "  --to POINT        end behind it\n"
    "  --stream STREAM   only this stream: its name, its log file, or its number in `burstlog dump`\n"
    "  --limit N         end after N\n"
    "  --json            one object a line: sequence, time, stream, and the payload as text\n"
    "  --archives GLOB   the archives of the log file, if they are not beside it; \"\": none\n"
    "  --window FOLDER   where the log makes its window; \"\": read the medium\n"
    "  --appender NAME   which Burst appender of a configuration\n"
    "  --quiet           do not say at the end what was read\n";

static int is_configuration(const char *source) {
    const char *suffix = strrchr(source, '.');
    return suffix != NULL && strcmp(suffix, ".xml") == 0;
}

static int check(const struct read_command *command, const struct read_options *options) {
    if (options->last != UINT64_MAX && options->from.kind != POINT_NONE) {
        return cli_misused(command->usage, "-n and --from both say where to begin: leave one out", NULL);
    }
    return CLI_GO_ON;
}

int read_arguments(int argc, char **argv, const struct read_command *command, struct read_options *options,
                   char ***operands) {
    const int64_t now_ns = platform_realtime_ns(&platform_linux);
    *options = (struct read_options){.limit = UINT64_MAX, .last = UINT64_MAX, .speed = 1};
    for (int option; (option = getopt_long(argc, argv, "hfn:ivcF", long_options, NULL)) != -1;) {
        if (option == 'h') {
            printf("usage: %s\n%s%s", command->usage, command->about, about_options);
            return EXIT_OK;
        }
        const int wrong = option == '?' ? 2 : take(option, command, now_ns, options);
        if (wrong != 0) {
            return cli_misused(command->usage,
                               wrong == 1 ? "this value cannot be used" : "wrong option, or one of another command",
                               wrong == 1 ? optarg : NULL);
        }
    }
    if (argc - optind != command->operands + 1) {
        return cli_misused(command->usage, "name one source", NULL);
    }
    *operands = argv + optind;
    options->source = argv[optind + command->operands];
    if (is_configuration(options->source) && log4j_file_resolve(options) < 0) {
        return cli_failed(-EINVAL);
    }
    return check(command, options);
}
