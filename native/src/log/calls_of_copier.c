/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on a log's second copy: burstlog_copier.h. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "log/log.h"

/* A close waits for the copy, so these calls go on until it has ended (log_look). Returns 0, and then the caller leaves; or
 * -errno with a sentence. */
static int enter(burst_t *log) {
    int rc = log_check_alive(log);
    rc = rc < 0 ? rc : log_look(log);
    if (rc == 0 && log->engine->copy == NULL) {
        log_leave(log);
        rc = error_set(EINVAL, "the log on ring %s has no second copy: open it with burst_config_t.copy",
                       log->ring->path);
    }
    return rc;
}

static int check_size(const char *type, uint32_t given, size_t here) {
    return given == here ? 0
                         : error_set(EINVAL,
                                     "burst_copy_%s_t has %zu bytes here and %u in the caller: set struct_bytes, and "
                                     "build against the burstlog.h of this library",
                                     type, here, given);
}

static int check_sequence(const burst_t *log, int64_t sequence) {
    return sequence >= 0
               ? 0
               : error_set(EINVAL, "there is no sequence %lld on ring %s", (long long)sequence, log->ring->path);
}

int burst_copy_begin(burst_t *log, int64_t last_sequence, uint32_t last_epoch, int64_t durable_sequence,
                     burst_copy_begun_t *begun) {
    struct copier_begun at;
    int rc = check_size("begun", begun->struct_bytes, sizeof *begun);
    rc = rc < 0 ? rc : check_sequence(log, last_sequence);
    rc = rc < 0 ? rc : check_sequence(log, durable_sequence);
    rc = rc < 0 ? rc : enter(log);
    if (rc < 0) {
        return rc;
    }
    rc = copier_begin(log->engine->copy, (uint64_t)last_sequence, last_epoch, (uint64_t)durable_sequence, &at);
    log_leave(log);
    if (rc == 0) {
        *begun = (burst_copy_begun_t){.struct_bytes = sizeof *begun,
                                      .epoch = at.epoch,
                                      .next_sequence = (int64_t)at.next_sequence,
                                      .missing = (int64_t)at.missing,
                                      .surplus = (int64_t)at.surplus,
                                      .durable_sequence = (int64_t)at.durable_sequence};
    }
    return rc;
}

int burst_copy_away(burst_t *log) {
    int rc = enter(log);
    if (rc == 0) {
        rc = copier_away(log->engine->copy);
        log_leave(log);
    }
    return rc;
}

int burst_copy_take(burst_t *log, void *buffer, size_t bytes, int64_t timeout_ns, burst_copy_block_t *block) {
    struct copier_block taken;
    int rc = check_size("block", block->struct_bytes, sizeof *block);
    rc = rc < 0 ? rc : enter(log);
    if (rc < 0) {
        return rc;
    }
    rc = copier_take(log->engine->copy, buffer, bytes, timeout_ns, &taken);
    log_leave(log);
    if (rc == 1) {
        *block = (burst_copy_block_t){.struct_bytes = sizeof *block,
                                      .epoch = taken.epoch,
                                      .bytes = taken.bytes,
                                      .first_sequence = (int64_t)taken.first_sequence,
                                      .last_sequence = (int64_t)taken.last_sequence,
                                      .durable_sequence = (int64_t)taken.durable_sequence};
    }
    return rc;
}

int burst_copy_stream(burst_t *log, uint32_t stream, char *name, size_t name_bytes) {
    *name = '\0';
    int rc = enter(log);
    if (rc < 0) {
        return rc;
    }
    if (stream >= LAYOUT_STREAMS_MAX || engine_copy_name(log->engine, (uint16_t)stream, name, name_bytes) < 0) {
        rc = error_set(ENOENT, "ring %s has no stream with the number %u", log->ring->path, stream);
    }
    log_leave(log);
    return rc;
}

int burst_copy_confirm(burst_t *log, int64_t sequence) {
    int rc = check_sequence(log, sequence);
    rc = rc < 0 ? rc : enter(log);
    if (rc == 0) {
        rc = copier_confirm(log->engine->copy, (uint64_t)sequence);
        log_leave(log);
    }
    return rc;
}

int64_t burst_copied_sequence(burst_t *log) {
    int64_t sequence = enter(log);
    if (sequence == 0) {
        sequence = (int64_t)copier_next_sequence(log->engine->copy) - 1;
        log_leave(log);
    }
    return sequence;
}

int burst_await_copied(burst_t *log, int64_t sequence, int64_t timeout_ns) {
    struct limit limit = limit_of(timeout_ns);
    int rc = burst_await_durable(log, sequence, limit_left_ns(&limit, &platform_linux));
    if (rc != 1 || sequence == 0) {
        return rc;
    }
    rc = enter(log);
    if (rc == 0) {
        rc = copier_await(log->engine->copy, (uint64_t)sequence, limit_left_ns(&limit, &platform_linux));
        log_leave(log);
    }
    return rc;
}

void burst_ring_id(const burst_t *log, uint8_t id[16]) {
    memcpy(id, log->uuid, sizeof log->uuid);
}
