/* SPDX-License-Identifier: Apache-2.0 */
#include "log/config.h"

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
#define CONFIG_MOST_BYTES 4096 /* a larger value is garbage */
#define FILE_NAME_MAX 230      /* NAME_MAX less the longest addition of names.c, for 10^15 records */

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

/* If the ring's size is not given, only the open can compare max_record_bytes with a quarter of it. */
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

#define OF_STREAM "a stream of "

struct choice {
    const char *name;
    uint32_t value, most;
    const char *choices;
};

static void check_choice(const struct choice *choice, const char *whose, const char *ring, struct error_list *errors) {
    if (choice->value > choice->most) {
        error_list_add(errors, error_set(EINVAL, "%s=\"%u\" of %sring %s cannot be used: use %s", choice->name,
                                         choice->value, whose, ring, choice->choices));
    }
}

struct time_value {
    const char *name;
    uint64_t ns;
};

static void check_time(const struct time_value *time, const char *whose, const char *ring, struct error_list *errors) {
    if (time->ns > INT64_MAX) {
        error_list_add(errors, error_set(EINVAL,
                                         "%s of %sring %s is longer than 292 years: set what you mean to wait, or "
                                         "nothing",
                                         time->name, whose, ring));
    }
}

static void check_sizes_and_times(const burst_config_t *config, struct error_list *errors) {
    if (config->ring_bytes != 0 && config->ring_bytes < LEAST_RING_BYTES) {
        error_list_add(errors,
                       error_set(EINVAL, "ringSize of ring %s is %llu bytes: a ring has at least %llu (%llu MiB)",
                                 config->ring, (unsigned long long)config->ring_bytes, LEAST_RING_BYTES,
                                 LEAST_RING_BYTES / MIB));
    }
    /* Checks this before a file system is filled with the ring. */
    if (config->ring_bytes > LARGEST_RING_BYTES) {
        error_list_add(errors, error_set(EINVAL, "ringSize of ring %s is %llu bytes: a ring has at most %llu (256 GiB)",
                                         config->ring, (unsigned long long)config->ring_bytes,
                                         (unsigned long long)LARGEST_RING_BYTES));
    }
    check_record_size(config, errors);
    const struct time_value times[] = {{"drainInterval", config->drain_interval_ns},
                                       {"shutdownTimeout", config->shutdown_timeout_ns},
                                       {"batchDelay", config->batch_delay_ns}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        check_time(&times[i], "", config->ring, errors);
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
    const struct choice choices[] = {
        {"durability", config->durability, BURST_DURABILITY_PROCESS, "power (0), os-crash (1) or process (2)"},
        {"hugePages", config->huge_pages, BURST_HUGE_PAGES_OFF, "auto (0) or off (1)"},
        {"commitSpin", config->commit_spin, 1, "false (0) or true (1)"},
        {"drain", config->drain, BURST_DRAIN_EXTERNAL, "inner (0) or external (1)"},
        {"windowMode", config->window_mode, 0777, "permission bits, 0 to 0777 (511)"}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        check_choice(&choices[i], "", config->ring, errors);
    }
}

/* Through the window the drain reads records, and learns which streams there are. */
static void check_drain(const burst_config_t *config, struct error_list *errors) {
    if (config->drain == BURST_DRAIN_EXTERNAL && is_empty(config->window)) {
        error_list_add(errors, error_set(EINVAL,
                                         "drain=external of ring %s needs a window, through which the drain sees the "
                                         "ring: set window to a folder that `burstlog drain` is given, too",
                                         config->ring));
    }
}

/* Only a drain of this process knows how far the copy is. */
static void check_copy(const burst_config_t *config, struct error_list *errors) {
    if (!is_empty(config->copy) && config->drain == BURST_DRAIN_EXTERNAL) {
        error_list_add(errors, error_set(EINVAL,
                                         "copy=%s of ring %s cannot be used with drain=external: the drain of another "
                                         "process does not wait for a copy; let this process drain (drain=inner)",
                                         config->copy, config->ring));
    }
    if (!is_empty(config->copy) && strlen(config->copy) >= BURST_COPY_NAME_BYTES) {
        error_list_add(errors, error_set(EINVAL,
                                         "the name of the copy of ring %s has %zu bytes: at most %d, so that messages "
                                         "and figures can show it",
                                         config->ring, strlen(config->copy), BURST_COPY_NAME_BYTES - 1));
    }
}

/* Refuses a ring that is its own log file: the drain would overwrite it. */
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
    return config_copy_given(given, "rolling", BYTES_UP_TO(burst_rolling_t, keep_ns), values, sizeof *values);
}

/* The rolls have one owner: the caller or the engine. */
static void check_rolling(const char *ring, const struct checked_stream *config, struct error_list *errors) {
    char path[BURST_PATH_BYTES];
    burst_rolling_t values;
    struct rolling_files files;
    const burst_rolling_t *rolling = config->values.rolling;
    if (rolling == NULL || config->file_name[0] == '\0' || path_absolute(ring, path, sizeof path) < 0) {
        return;
    }
    if (config->values.rolls_by_caller) {
        error_list_add(errors, error_set(EINVAL,
                                         "rolling of a stream of ring %s cannot be used: it is opened with "
                                         "rolls_by_caller; leave one of them out",
                                         ring));
        return;
    }
    const int rc = config_copy_rolling(rolling, &values);
    error_list_add(errors, rc < 0 ? rc : rolling_check(path, config->file_name, &values, &files));
}

static void check_file_name(const char *ring, struct checked_stream *config, struct error_list *errors) {
    const char *given = config->values.file_name;
    config->file_name[0] = '\0';
    error_list_add(errors,
                   is_empty(given)
                       ? error_set(EINVAL, "no log file is configured for a stream of ring %s: set fileName", ring)
                       : config_check_file_name(ring, given, config->file_name, sizeof config->file_name));
}

static void check_name(const char *ring, const char *name, int is_main, struct error_list *errors) {
    if (is_main && !is_empty(name)) {
        error_list_add(errors, error_set(EINVAL,
                                         "the main stream of ring %s cannot be named \"%s\": a ring has one, which "
                                         "needs no name; leave it out",
                                         ring, name));
    } else if (name != NULL && strlen(name) >= BURST_STREAM_NAME_BYTES) {
        error_list_add(errors, error_set(EINVAL, "the name of a stream of ring %s has %zu bytes: at most %d", ring,
                                         strlen(name), BURST_STREAM_NAME_BYTES - 1));
    }
}

/* The check for the main stream and for every other. */
static void check_stream(const char *ring, const burst_stream_config_t *given, int is_main,
                         struct checked_stream *config, struct error_list *errors) {
    burst_stream_config_t *values = &config->values;
    const size_t least = BYTES_UP_TO(burst_stream_config_t, index);
    const int rc = config_copy_given(given, "stream_config", least, values, sizeof *values);
    if (rc < 0) {
        error_list_add(errors, rc);
        return;
    }
    check_file_name(ring, config, errors);
    check_name(ring, values->name, is_main, errors);
    const struct new_file new_file = {.owner = values->file_owner, .group = values->file_group};
    error_list_add(errors, accounts_check(&new_file));
    const struct choice choices[] = {
        {"onFull", values->on_full, BURST_ON_FULL_DISCARD, "block (0), fail (1) or discard (2)"},
        {"rolls_by_caller", values->rolls_by_caller, 1, "0 or 1"},
        {"index", values->index, 1, "0 or 1"}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        check_choice(&choices[i], OF_STREAM, ring, errors);
    }
    const struct time_value block_timeout = {"blockTimeout", values->block_timeout_ns};
    check_time(&block_timeout, OF_STREAM, ring, errors);
    check_rolling(ring, config, errors);
    error_list_add(errors, segments_check(ring, values, &config->segments));
}

int config_check_stream(const char *ring, const burst_stream_config_t *given, struct checked_stream *config) {
    struct error_list errors = {.code = 0};
    check_stream(ring, given, 0, config, &errors);
    return error_list_result(&errors);
}

int config_check(const burst_config_t *given, struct checked_config *config) {
    burst_config_t *values = &config->values;
    struct error_list errors = {.code = 0};
    const int rc = config_copy_given(given, "config", BYTES_UP_TO(burst_config_t, commit_spin), values, sizeof *values);
    if (rc < 0) {
        return rc;
    }
    if (is_empty(values->ring)) {
        error_list_add(&errors, error_set(EINVAL, "no ring is configured: set ring to a block device or a file"));
        values->ring = "(none)";
    }
    check_choices(values, &errors);
    check_sizes_and_times(values, &errors);
    check_drain(values, &errors);
    check_copy(values, &errors);
    values->copy = is_empty(values->copy) ? NULL : values->copy;
    placement_read(values, &config->placement, &errors);
    if (values->main != NULL) {
        check_stream(values->ring, values->main, 1, &config->main, &errors);
    }
    return error_list_result(&errors);
}
