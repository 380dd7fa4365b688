/* SPDX-License-Identifier: Apache-2.0 */
/* Logs ten orders. An audit and a trace go to two more log files of the same ring. When an order's append returns
 * the order is durable, and so is the audit line before it. A trace line may be dropped when the ring is full.
 *
 *     gcc -o streams streams.c $(pkg-config --cflags --libs burstlog) */
#include <burstlog.h>
#include <stdio.h>

static int failed(void) {
    fprintf(stderr, "%s\n", burst_last_error());
    return 1;
}

int main(void) {
    /* doc: streams */
    burst_stream_config_t of_orders;
    burst_stream_config_init(&of_orders);
    of_orders.file_name = "orders.log";
    of_orders.block_timeout_ns = 5000000000;

    burst_config_t config;
    burst_config_init(&config);
    config.ring = "orders.ring";
    config.ring_bytes = 8 << 20;
    config.main = &of_orders;
    config.durability = BURST_DURABILITY_POWER;

    burst_stream_config_t of_audit, of_trace;
    burst_stream_config_init(&of_audit);
    of_audit.name = "audit";
    of_audit.file_name = "audit.log";
    of_audit.file_mode = 0640;
    burst_stream_config_init(&of_trace);
    of_trace.name = "trace";
    of_trace.file_name = "trace.log";
    of_trace.on_full = BURST_ON_FULL_DISCARD;

    burst_t *log;
    burst_stream_t *audit, *trace;
    if (burst_open(&config, &log) < 0 || burst_stream_open(log, &of_audit, &audit) < 0 ||
        burst_stream_open(log, &of_trace, &trace) < 0) {
        return failed();
    }
    for (int order = 1; order <= 10; order++) {
        char line[64];
        int length = snprintf(line, sizeof line, "order %d is read\n", order);
        burst_stream_enqueue(trace, line, (size_t)length, 0);
        length = snprintf(line, sizeof line, "order %d comes from alice\n", order);
        burst_stream_enqueue(audit, line, (size_t)length, 0);
        length = snprintf(line, sizeof line, "order %d\n", order);
        if (burst_append(log, line, (size_t)length, 0) < 0) {
            return failed();
        }
        printf("order %d is durable\n", order);
    }
    return burst_close(log) == 0 ? 0 : 1; /* closes the streams, too */
    /* end */
}
