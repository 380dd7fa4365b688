/* SPDX-License-Identifier: Apache-2.0 */
#include "log/config.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "burstlog.h"
#include "log/engine.h"
#include "media/layout.h"
#include "outlet/file/accounts.h"
#include "rolling/config.h"

#define MIB 1048576
#define LEAST_RING_BYTES (2ull * MIB)
#define LARGEST_RING_BYTES (LAYOUT_DATA_OFFSET + LAYOUT_MAX_CAPACITY_BYTES)
#define CONFIG_LEAST_BYTES offsetof(burst_config_t, drain_cpu) /* of the first header */
#define STREAM_CONFIG_LEAST_BYTES offsetof(burst_stream_config_t, rolling)
#define CONFIG_MOST_BYTES 4096 /* a larger value is garbage */
#define FILE_NAME_MAX 230      /* NAME_MAX less what names.c adds to it, for 10^15 records */

int config_copy_given(const void *given, const char *type, size_t least, void *config, size_t size) {
    const uint32_t bytes = *(const uint32_t *)given;
    int unknown = bytes > CONFIG_MOST_BYTES;
    for (size_t i = size; i < bytes && !unknown; i++) {
        unknown = ((const uint8_t *)given)[i] != 0;
    }
    if (bytes < least || unknown) {
        return error_set(EINVAL,
                         "burst_%s_t has %u bytes in the caller's header and %zu here: call "
                         "burst_%s_init, and build against the burstlog.h of this library",
                         type, bytes, size, type);
    }
    memset(config, 0, size);
    memcpy(config, given, bytes < size ? bytes : size);
    return 0;
}

static int is_empty(const char *text) {
    return text == NULL || *text == '\0';
}

/* A quarter of a ring whose size is not given is known to the open alone. */
static void check_record_size(const burst_config_t *config, struct error_list *errors) {
    const uint64_t data = config->ring_bytes < LEAST_RING_BYTES ? 0 : config->ring_bytes - LAYOUT_DATA_OFFSET;
    const uint64_t quarter = data == 0 ? UINT64_MAX : data / 4 - RECORD_HEADER_BYTES;
    const uint64_t most = quarter < LARGEST_RECORD_BYTES ? quarter : LARGEST_RECORD_BYTES;
    if (config->max_record_bytes > most) {
        error_list_add(errors,
                       error_set(EINVAL, "maxRecordSize of ring %s is %llu bytes: at most %llu, %s", config->ring,
                                 (unsigned long long)config->max_record_bytes, (unsigned long long)most,
                                 most == quarter ? "a quarter of the ring" : "1 GiB, and a quarter of the ring"));
    }
}

static void check_sizes_and_times(const burst_config_t *config, struct error_list *errors) {
    if (config->ring_bytes != 0 && config->ring_bytes < LEAST_RING_BYTES) {
        error_list_add(errors,
                       error_set(EINVAL, "ringSize of ring %s is %llu bytes: a ring has at least %llu (%llu MiB)",
                                 config->ring, (unsigned long long)config->ring_bytes, LEAST_RING_BYTES,
                                 LEAST_RING_BYTES / MIB));
    }
    /* Before a file system is filled with it. */
    if (config->ring_bytes > LARGEST_RING_BYTES) {
        error_list_add(errors, error_set(EINVAL, "ringSize of ring %s is %llu bytes: a ring has at most %llu (256 GiB)",
                                         config->ring, (unsigned long long)config->ring_bytes,
                                         (unsigned long long)LARGEST_RING_BYTES));
    }
    check_record_size(config, errors);
    const struct {
        const char *name;
        uint64_t ns;
    } times[] = {{"blockTimeout", config->block_timeout_ns},
                 {"drainInterval", config->drain_interval_ns},
                 {"shutdownTimeout", config->shutdown_timeout_ns},
                 {"batchDelay", config->batch_delay_ns}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (times[i].ns > INT64_MAX) {
            error_list_add(errors, error_set(EINVAL,
                                             "%s of ring %s is longer than 292 years: set what you mean to wait, or "
                                             "nothing",
                                             times[i].name, config->ring));
        }
    }
    if (config->batch_delay_ns > COMMITTER_DELAY_MOST_NS && config->batch_delay_ns <= INT64_MAX) {
        error_list_add(errors, error_set(EINVAL,
                                         "batchDelay of ring %s is %s: at most 1 s, as records that are only "
                                         "enqueued are lost with the process",
                                         config->ring, error_time((int64_t)config->batch_delay_ns)));
    }
    if (config->batch_bytes != 0 && config->batch_delay_ns == 0) {
        error_list_add(errors, error_set(EINVAL,
                                         "batchSize of ring %s is %llu bytes, but it has no batchDelay: set how long a "
                                         "batch may wait to get so large",
                                         config->ring, (unsigned long long)config->batch_bytes));
    }
}

static void check_choices(const burst_config_t *config, struct error_list *errors) {
    const struct {
        const char *name;
        uint32_t value, most;
        const char *choices;
    } choices[] = {
        {"durability", config->durability, BURST_DURABILITY_PROCESS, "power (0), os-crash (1) or process (2)"},
        {"onFull", config->on_full, BURST_ON_FULL_DISCARD, "block (0), fail (1) or discard (2)"},
        {"hugePages", config->huge_pages, BURST_HUGE_PAGES_OFF, "auto (0) or off (1)"},
        {"rolls_by_caller", config->rolls_by_caller, 1, "0 or 1"},
        {"commitSpin", config->commit_spin, 1, "false (0) or true (1)"}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (choices[i].value > choices[i].most) {
            error_list_add(errors, error_set(EINVAL, "%s=\"%u\" of ring %s cannot be used: use %s", choices[i].name,
                                             choices[i].value, config->ring, choices[i].choices));
        }
    }
}

/* If the ring were its own log file, the drain would overwrite it. */
static int check_apart(const char *ring_name, const char *file_name) {
    char ring[BURST_PATH_BYTES], file[BURST_PATH_BYTES];
    struct stat ring_status, file_status;
    int same = path_follow(ring_name, ring, sizeof ring) == 0 && path_follow(file_name, file, sizeof file) == 0 &&
               strcmp(ring, file) == 0;
    if (stat(ring_name, &ring_status) == 0 && stat(file_name, &file_status) == 0) {
        same |= ring_status.st_dev == file_status.st_dev && ring_status.st_ino == file_status.st_ino;
    }
    if (strlen(path_name(file_name)) > FILE_NAME_MAX) {
        return error_set(EINVAL,
                         "the name of log file %s is too long: at most %d characters after the last /, so that "
                         "a number can be added",
                         file_name, FILE_NAME_MAX);
    }
    return same ? error_set(EINVAL, "ring and fileName are the same file %s: give each its own", ring_name) : 0;
}

int config_check_file_name(const char *ring, const char *given, char *file_name, size_t bytes) {
    const int rc = path_absolute(given, file_name, bytes);
    return rc < 0 ? error_set(-rc, "fileName=\"%s\" cannot be used: %s", given, error_name(-rc))
                  : check_apart(ring, file_name);
}

int config_copy_rolling(const burst_rolling_t *given, burst_rolling_t *values) {
    return config_copy_given(given, "rolling", sizeof *values, values, sizeof *values);
}

/* Either the caller rolls the files, or the engine does. */
static void check_rolling(const char *ring, const char *file_name, uint32_t by_caller, const burst_rolling_t *rolling,
                          struct error_list *errors) {
    char path[BURST_PATH_BYTES];
    burst_rolling_t values;
    struct rolling_files files;
    if (rolling == NULL || path_absolute(ring, path, sizeof path) < 0) {
        return;
    }
    if (*file_name == '\0' || by_caller) {
        error_list_add(errors, error_set(EINVAL,
                                         "rolling of a stream of ring %s cannot be used: it has no log file, or is "
                                         "opened with rolls_by_caller; leave one of them out",
                                         ring));
        return;
    }
    const int rc = config_copy_rolling(rolling, &values);
    error_list_add(errors, rc < 0 ? rc : rolling_check(path, file_name, &values, &files));
}

int config_check(const burst_config_t *given, struct checked_config *config) {
    burst_config_t *values = &config->values;
    struct error_list errors = {.code = 0};
    const int rc = config_copy_given(given, "config", CONFIG_LEAST_BYTES, values, sizeof *values);
    if (rc < 0) {
        return rc;
    }
    if (is_empty(values->ring)) {
        error_list_add(&errors, error_set(EINVAL, "no ring is configured: set ring to a block device or a file"));
        values->ring = "(none)";
    }
    if (values->file_name == NULL) {
        config->file_name[0] = '\0'; /* no main stream */
    } else if (is_empty(values->file_name)) {
        error_list_add(&errors, error_set(EINVAL, "no log file is configured for ring %s: set fileName", values->ring));
    } else {
        error_list_add(&errors, config_check_file_name(values->ring, values->file_name, config->file_name,
                                                       sizeof config->file_name));
    }
    const struct new_file new_file = {.owner = values->file_owner, .group = values->file_group};
    error_list_add(&errors, accounts_check(&new_file));
    check_choices(values, &errors);
    check_sizes_and_times(values, &errors);
    check_rolling(values->ring, config->file_name, values->rolls_by_caller, values->rolling, &errors);
    const struct segments_config segments = SEGMENTS_CONFIG_OF(values);
    error_list_add(&errors, segments_check(values->ring, &segments, &config->segments));
    if (config->segments.folder[0] != '\0' && values->file_name == NULL) {
        error_list_add(&errors, error_set(EINVAL,
                                          "segments of the main stream of ring %s cannot be used: there is no main "
                                          "stream; set fileName, or leave them out",
                                          values->ring));
    }
    placement_read(values, &config->placement, &errors);
    return error_list_result(&errors);
}

int config_check_stream(const char *ring, const burst_stream_config_t *given, struct checked_stream_config *config) {
    burst_stream_config_t *values = &config->values;
    struct error_list errors = {.code = 0};
    const int rc = config_copy_given(given, "stream_config", STREAM_CONFIG_LEAST_BYTES, values, sizeof *values);
    if (rc < 0) {
        return rc;
    }
    if (is_empty(values->file_name)) {
        error_list_add(&errors,
                       error_set(EINVAL, "no log file is configured for a stream of ring %s: set fileName", ring));
    } else {
        error_list_add(&errors,
                       config_check_file_name(ring, values->file_name, config->file_name, sizeof config->file_name));
    }
    const struct segments_config segments = SEGMENTS_CONFIG_OF(values);
    error_list_add(&errors, segments_check(ring, &segments, &config->segments));
    if (values->name != NULL && strlen(values->name) >= BURST_STREAM_NAME_BYTES) {
        error_list_add(&errors, error_set(EINVAL, "the name of a stream of ring %s has %zu bytes: at most %d", ring,
                                          strlen(values->name), BURST_STREAM_NAME_BYTES - 1));
    }
    const struct new_file new_file = {.owner = values->file_owner, .group = values->file_group};
    error_list_add(&errors, accounts_check(&new_file));
    if (values->on_full > BURST_ON_FULL_DISCARD) {
        error_list_add(&errors,
                       error_set(EINVAL,
                                 "onFull=\"%u\" of a stream of ring %s cannot be used: use block (0), fail (1) or "
                                 "discard (2)",
                                 values->on_full, ring));
    }
    if (values->rolls_by_caller > 1) {
        error_list_add(&errors,
                       error_set(EINVAL, "rolls_by_caller=\"%u\" of a stream of ring %s cannot be used: use 0 or 1",
                                 values->rolls_by_caller, ring));
    }
    if (values->block_timeout_ns > INT64_MAX) {
        error_list_add(&errors,
                       error_set(EINVAL,
                                 "blockTimeout of a stream of ring %s is longer than 292 years: set what you mean "
                                 "to wait, or nothing",
                                 ring));
    }
    check_rolling(ring, config->file_name, values->rolls_by_caller, values->rolling, &errors);
    return error_list_result(&errors);
}
