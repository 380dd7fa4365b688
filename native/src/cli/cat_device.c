/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/cat_device.h"
#include "cli/cli.h"
#include "outlet/raw/view.h"

static const char usage[] = "burstlog cat [--from=BYTE] LOG_DEVICE";

#define PIECE_BYTES (1u << 20)

struct copy {
    const char *path;
    struct raw_medium *medium;
    struct raw_view view;
    uint64_t next; /* the log's next byte to print */
    uint8_t *piece;
};

/* Returns 0, or as cli_output_failed does. */
static int put(const uint8_t *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        const ssize_t written = write(STDOUT_FILENO, data + done, bytes - done);
        if (written > 0)
            done += (size_t)written;
        else if (errno != EINTR)
            return cli_output_failed();
    }
    return 0;
}

static int look(struct copy *copy) {
    const int rc = raw_view_read(copy->medium, copy->path, &copy->view);
    return rc == 0 && copy->view.newest < 0 ? raw_view_refuse_unknown_length(copy->path) : rc;
}

/* Prints the log up to the end that the last look found. */
static int print_rest(struct copy *copy) {
    const uint64_t end = raw_view_length(&copy->view);
    int rc = 0;
    while (rc == 0 && copy->next < end) {
        const size_t bytes = end - copy->next < PIECE_BYTES ? (size_t)(end - copy->next) : PIECE_BYTES;
        rc = copy->medium->ops->read(copy->medium, copy->piece, bytes, copy->view.header.data_offset + copy->next);
        if (rc < 0)
            return error_set(-rc,
                             "log device %s cannot be read behind byte %llu of the log: %s; --from goes on elsewhere",
                             copy->path, (unsigned long long)copy->next, error_name(-rc));
        rc = put(copy->piece, bytes);
        copy->next += bytes;
    }
    return rc;
}

/* Prints in two rounds: bytes that came during the first round belong to the log, too. */
static int print(struct copy *copy) {
    int rc = look(copy);
    if (rc < 0)
        return rc;
    if (copy->next > raw_view_length(&copy->view))
        return error_set(EINVAL, "--from=%llu lies behind the log on %s, which has %llu bytes",
                         (unsigned long long)copy->next, copy->path, (unsigned long long)raw_view_length(&copy->view));
    const struct raw_header before = copy->view.header;
    rc = print_rest(copy);
    rc = rc < 0 ? rc : look(copy);
    if (rc == 0 && memcmp(&before, &copy->view.header, sizeof before) != 0)
        rc = error_set(ESTALE, "log device %s was formatted anew while it was read: what was printed is worth nothing",
                       copy->path);
    return rc < 0 ? rc : print_rest(copy);
}

/* Tells which copies are bad, although the log is readable. */
static int tell_damage(const struct raw_view *view, const char *path) {
    struct raw_end one[RAW_END_SLOTS] = {{0}};
    int damaged = 0;
    for (unsigned copy = 0; copy < RAW_HEADER_COPIES; copy++) {
        if (view->copies[copy] != RAW_VALID) {
            fprintf(stderr, "burstlog: header copy %u of log device %s is bad, the other one is used\n", copy, path);
            damaged = 1;
        }
    }
    for (unsigned slot = 0; slot < RAW_END_SLOTS; slot++) {
        one[0] = view->ends[slot];
        if (raw_end_newest(one, &view->header) < 0) {
            fprintf(
                stderr,
                "burstlog: end slot %u of log device %s is bad, the other one is used: usual after a loss of power; "
                "otherwise the bytes that were written last may be missing, and the next open of the log finds them\n",
                slot, path);
            damaged = 1;
        }
    }
    return damaged;
}

static int cat(struct copy *copy) {
    int rc = raw_media_posix.open(&raw_media_posix, copy->path, DEVICE_READ_ONLY, &copy->medium);
    if (rc < 0)
        return cli_failed(rc);
    copy->piece = malloc(PIECE_BYTES);
    rc = copy->piece == NULL ? error_set(ENOMEM, "no memory to read log device %s", copy->path) : print(copy);
    const int damaged = rc == 0 && tell_damage(&copy->view, copy->path);
    free(copy->piece);
    copy->medium->ops->close(copy->medium);
    return rc == -EPIPE ? EXIT_OK : rc < 0 ? cli_failed(rc) : damaged ? EXIT_DAMAGE : EXIT_OK;
}

int cat_device(int argc, char **argv) {
    static const struct option options[] = {
        {"from", required_argument, NULL, 'f'}, {"help", no_argument, NULL, 'h'}, {0}};
    struct copy copy = {.next = 0};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        unsigned long long from;
        switch (option) {
        case 'f':
            if (cli_parse_size(optarg, &from) < 0)
                return cli_misused(usage, "--from wants a number of bytes, K, M or G", optarg);
            copy.next = from;
            break;
        case 'h':
            printf("usage: %s\n"
                   "Prints the bytes of the log that is on a block device (burstlog format --destination), or in the "
                   "image of\n"
                   "one, from BYTE of the log on. Beside a running writer too: up to what is durable when it ends.\n",
                   usage);
            return EXIT_OK;
        default:
            return cli_misused(usage, "see above", NULL);
        }
    }
    if (argc - optind != 1)
        return cli_misused(usage, "name one log device", NULL);
    copy.path = argv[optind];
    signal(SIGPIPE, SIG_IGN);
    return cat(&copy);
}

int cat_device_is(const char *path) {
    struct raw_medium *medium;
    struct raw_view view;
    if (raw_media_posix.open(&raw_media_posix, path, DEVICE_READ_ONLY, &medium) < 0) {
        return 0;
    }
    const int rc = raw_view_read(medium, path, &view);
    medium->ops->close(medium);
    return rc == 0 || rc == -EUCLEAN;
}
