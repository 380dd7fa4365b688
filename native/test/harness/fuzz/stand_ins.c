/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that commands make above the engine's pieces. No target runs `burstlog drain`, which would drain until it is stopped, nor
 * `burstlog doctor --slow-appends`, which alone opens a log.
 */
#include <errno.h>

#include "burstlog.h"
#include "log/ring_drain.h"

const char *burst_version(void) {
    return BURST_VERSION;
}

int ring_drain_run(const struct ring_drain_config *config, struct events *events, const _Atomic uint32_t *stop) {
    (void)config, (void)events, (void)stop;
    return -ENOSYS;
}

void burst_config_init_bytes(burst_config_t *config, size_t struct_bytes) {
    (void)config, (void)struct_bytes;
}

int burst_open(const burst_config_t *config, burst_t **log) {
    (void)config, (void)log;
    return -ENOSYS;
}

int64_t burst_append(burst_t *log, const void *data, size_t length, int64_t event_time_ns) {
    (void)log, (void)data, (void)length, (void)event_time_ns;
    return -ENOSYS;
}

int burst_stats(const burst_t *log, burst_stats_t *stats) {
    (void)log, (void)stats;
    return -ENOSYS;
}

int burst_await_drained(burst_t *log, int64_t timeout_ns) {
    (void)log, (void)timeout_ns;
    return -ENOSYS;
}

int64_t burst_close(burst_t *log) {
    (void)log;
    return -ENOSYS;
}
