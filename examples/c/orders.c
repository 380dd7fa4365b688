/* SPDX-License-Identifier: Apache-2.0 */
/* Logs ten orders; each is durable when its append returns. Kill it at any time and start it again.
 *
 *     gcc -o orders orders.c $(pkg-config --cflags --libs burstlog)
 */
#include <burstlog.h>
#include <inttypes.h>
#include <stdio.h>

int main(void) {
    /* doc: open */
    burst_stream_config_t orders;
    burst_stream_config_init(&orders);
    orders.file_name = "orders.log";
    burst_config_t config;
    burst_config_init(&config);
    config.ring = "orders.ring";
    config.main = &orders;

    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        fprintf(stderr, "%s\n", burst_last_error());
        return 1;
    }
    /* end */
    for (int order = 1; order <= 10; order++) {
        char line[32];
        int length = snprintf(line, sizeof line, "order %d\n", order);
        int64_t sequence = burst_append(log, line, (size_t)length, 0);
        if (sequence < 0) {
            fprintf(stderr, "%s\n", burst_last_error());
            return 1;
        }
        printf("order %d is durable as record %" PRId64 "\n", order, sequence);
    }
    return burst_close(log) == 0 ? 0 : 1;
}
