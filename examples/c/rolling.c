/* SPDX-License-Identifier: Apache-2.0 */
/* Logs thirty orders to files of ten. Kill it at any time and start it again: each order is in one of them.
 *
 *     gcc -o rolling rolling.c $(pkg-config --cflags --libs burstlog)
 */
#include <burstlog.h>
#include <stdio.h>

int main(void) {
    burst_rolling_t rolling;
    burst_rolling_init(&rolling);
    rolling.pattern = "old/orders-%Y-%m-%d-%i.log";
    rolling.size_bytes = 90;                         /* a file ends before it gets longer, */
    rolling.interval_ns = 24 * 3600 * 1000000000ull; /* and at midnight */
    rolling.compress = 1;
    rolling.keep_files = 30;

    burst_stream_config_t orders;
    burst_stream_config_init(&orders);
    orders.file_name = "orders.log";
    orders.rolling = &rolling;
    burst_config_t config;
    burst_config_init(&config);
    config.ring = "orders.ring";
    config.main = &orders;

    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        fprintf(stderr, "%s\n", burst_last_error());
        return 1;
    }
    for (int order = 1; order <= 30; order++) {
        char line[32];
        int length = snprintf(line, sizeof line, "order %02d\n", order);
        if (burst_append(log, line, (size_t)length, 0) < 0) {
            fprintf(stderr, "%s\n", burst_last_error());
            return 1;
        }
    }
    return burst_close(log) == 0 ? 0 : 1;
}
