/* SPDX-License-Identifier: Apache-2.0 */
/* Confirms many orders with one write. It reads orders, one a line, and confirms each to its client when it is
 * durable, not before. It does not wait for that between two orders. Kill it at any time and start it again: all
 * confirmed orders are in orders.log.
 *
 *     gcc -o confirm confirm.c $(pkg-config --cflags --libs burstlog)
 *     seq -f 'order %g' 1000 | ./confirm [BATCH-DELAY-MS]      how long orders may wait for more to share their write */
#include <burstlog.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ORDER_BYTES 64
#define UNCONFIRMED_MOST 1024

static struct {
    int64_t sequence;
    char order[ORDER_BYTES];
} unconfirmed[UNCONFIRMED_MOST];
static uint64_t first, next; /* of these; both only rise */

static _Noreturn void give_up(const char *sentence) {
    fprintf(stderr, "%s\n", sentence);
    exit(1);
}

/* The watermark covers all records up to it: one look at it confirms all orders of a write. */
static void confirm_durable(const burst_t *log) {
    /* doc: confirm */
    const int64_t durable = burst_durable_sequence(log);
    for (; first < next && unconfirmed[first % UNCONFIRMED_MOST].sequence <= durable; first++) {
        printf("confirmed %s\n", unconfirmed[first % UNCONFIRMED_MOST].order);
    }
    /* end */
    fflush(stdout);
    char why[BURST_TEXT_BYTES];
    if (burst_failure(log, why, sizeof why)) {
        give_up(why); /* orders without a confirmation by now never get one */
    }
}

/* order: ends with its newline */
static void accept_order(burst_t *log, const char *order, size_t bytes) {
    if (next - first == UNCONFIRMED_MOST) {
        if (burst_await_durable(log, unconfirmed[first % UNCONFIRMED_MOST].sequence, -1) < 0) {
            give_up(burst_last_error());
        }
        confirm_durable(log);
    }
    const int64_t sequence = burst_offer(log, order, bytes, 0); /* never waits for the medium */
    if (sequence == -EAGAIN) {
        printf("refused %.*s", (int)bytes, order); /* the ring is full: the client may try again */
        return;
    }
    if (sequence < 0) {
        give_up(burst_last_error());
    }
    unconfirmed[next % UNCONFIRMED_MOST].sequence = sequence;
    snprintf(unconfirmed[next % UNCONFIRMED_MOST].order, ORDER_BYTES, "%.*s", (int)bytes - 1, order);
    next++;
}

/* Takes the orders that are there. Returns 0 at the end. */
static int read_orders(burst_t *log) {
    static char input[65536];
    static size_t held;
    const ssize_t got = read(STDIN_FILENO, input + held, sizeof input - held);
    if (got <= 0) {
        return 0;
    }
    held += (size_t)got;
    char *order = input, *end;
    while ((end = memchr(order, '\n', held)) != NULL) {
        accept_order(log, order, (size_t)(end + 1 - order));
        held -= (size_t)(end + 1 - order);
        order = end + 1;
    }
    memmove(input, order, held);
    return 1;
}

int main(int count, char **arguments) {
    burst_stream_config_t of_orders;
    burst_stream_config_init(&of_orders);
    of_orders.file_name = "orders.log";
    burst_config_t config;
    burst_config_init(&config);
    config.ring = "orders.ring";
    config.main = &of_orders;
    config.batch_delay_ns = count > 1 ? strtoull(arguments[1], NULL, 10) * 1000000 : 0;
    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        give_up(burst_last_error());
    }
    struct pollfd orders = {.fd = STDIN_FILENO, .events = POLLIN};
    for (int more = 1; more;) {
        /* Looks at the watermark every millisecond while an order is unconfirmed. */
        if (poll(&orders, 1, first < next ? 1 : -1) > 0) {
            more = read_orders(log);
        }
        confirm_durable(log);
    }
    if (burst_flush(log, -1) < 0) {
        give_up(burst_last_error());
    }
    confirm_durable(log);
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    burst_stats(log, &stats);
    printf("%" PRIu64 " orders, %" PRIu64 " commits\n", next, stats.commits);
    return burst_close(log) == 0 ? 0 : 1;
}
