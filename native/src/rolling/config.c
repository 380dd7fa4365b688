/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/config.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/error.h"
#include "rolling/time.h"

#define SECOND_NS 1000000000
#define GZIP_LEVEL_MOST 9

_Static_assert(BURST_COMPRESS_GZIP == (int)ROLL_COMPRESSION_GZIP && BURST_COMPRESS_ZSTD == (int)ROLL_COMPRESSION_ZSTD,
               "a record says what the configuration said");

/* Returns 0, or -ENOPKG with a sentence. */
static int load_library(const char *ring, uint32_t compression, struct rolling_files *files) {
    return compression == ROLL_COMPRESSION_GZIP   ? gzip_load(ring, &files->gzip)
           : compression == ROLL_COMPRESSION_ZSTD ? zstd_load(ring, &files->zstd)
                                                  : 0;
}

static int is_interval(uint64_t ns) {
    const uint64_t s = ns / SECOND_NS;
    return ns % SECOND_NS == 0 && (s == 0 || s == WEEK_S || DAY_S % s == 0);
}

static int is_level(const burst_rolling_t *values) {
    const int32_t level = values->compress_level;
    return values->compress == BURST_COMPRESS_ZSTD ? level >= -ROLL_LEVEL_MOST && level <= ROLL_LEVEL_MOST
                                                   : level >= 0 && level <= GZIP_LEVEL_MOST;
}

static void check_compression(const char *ring, const burst_rolling_t *values, struct error_list *errors) {
    if (values->compress > BURST_COMPRESS_ZSTD) {
        error_list_add(
            errors, error_set(EINVAL, "compress=\"%u\" of ring %s cannot be used: use none (0), gzip (1) or zstd (2)",
                              values->compress, ring));
    } else if (!is_level(values)) {
        error_list_add(errors, error_set(EINVAL,
                                         "compress_level %d of ring %s cannot be used: use 1 to 9 for gzip, -%d to %d "
                                         "for zstd, or 0 for the default",
                                         values->compress_level, ring, ROLL_LEVEL_MOST, ROLL_LEVEL_MOST));
    }
    if (values->compress_delay_ns > INT64_MAX) {
        error_list_add(errors, error_set(EINVAL,
                                         "compress_delay_ns of ring %s is longer than 292 years: set how long a rolled "
                                         "file is to stay plain",
                                         ring));
    }
}

static void check_values(const char *ring, const char *file, const burst_rolling_t *values,
                         const struct rolling_name *name, struct error_list *errors) {
    struct stat status;
    if (rolling_name_hits(name, file) || rolling_name_hits(name, ring)) {
        error_list_add(errors,
                       error_set(EINVAL,
                                 "rollPattern=\"%s\" of ring %s cannot be used: it fits the ring or log file %s, which "
                                 "would be taken for a rolled file; let it be another",
                                 values->pattern, ring, file));
    }
    if (rolling_name_is_diverted(name, file)) {
        error_list_add(
            errors, error_set(EINVAL,
                              "rollPattern=\"%s\" of ring %s cannot be used: log file %s gets such a name itself, with "
                              ".burst- and numbers behind its own (of older versions numbers alone), when it cannot go "
                              "on under that; let it have more, for instance -%%i",
                              values->pattern, ring, file));
    }
    if (stat(file, &status) == 0 && S_ISBLK(status.st_mode)) {
        error_list_add(errors,
                       error_set(EINVAL,
                                 "rolling of log file %s of ring %s cannot be used: it is a device, which has no "
                                 "other name; let it be a file",
                                 file, ring));
    }
    if (values->size_bytes != 0 && !name->has_index) {
        error_list_add(errors,
                       error_set(EINVAL,
                                 "rollPattern=\"%s\" of ring %s cannot be used with rollSize: files that end at "
                                 "any time need an index in their names; put %%i into it",
                                 values->pattern, ring));
    }
    if (!is_interval(values->interval_ns)) {
        error_list_add(errors, error_set(EINVAL,
                                         "rollInterval of ring %s is %s: it divides a day, in whole seconds, or is 7 "
                                         "days; for instance 15 min, 1 h, 24 h",
                                         ring, error_time((int64_t)values->interval_ns)));
    }
    if (values->newest_by_time > 1) {
        error_list_add(errors, error_set(EINVAL, "newest_by_time=%u of ring %s cannot be used: use 0 or 1",
                                         values->newest_by_time, ring));
    }
    check_compression(ring, values, errors);
}

int rolling_check(const char *ring, const char *file, const burst_rolling_t *values, struct rolling_files *files) {
    struct error_list errors = {.code = 0};
    const int rc = rolling_name_read(ring, values->pattern, &files->name);
    if (rc < 0) {
        return rc;
    }
    check_values(ring, file, values, &files->name, &errors);
    if (values->compress <= BURST_COMPRESS_ZSTD) {
        error_list_add(&errors, load_library(ring, values->compress, files));
    }
    return error_list_result(&errors);
}

static uint64_t all_for_zero(uint64_t value) {
    return value == 0 ? UINT64_MAX : value;
}

static int follow(const char *ring, const struct outlet_rules *rules, struct rolling_files *files) {
    const struct roll_rules_head *head = &rules->head;
    const int rc = rolling_name_read(ring, rules->pattern, &files->name);
    files->compress = head->compression;
    files->level = head->level;
    files->is_by_time = (int)head->is_by_time;
    files->delay_ns = head->delay_ns;
    files->keep_files = all_for_zero(head->keep_files);
    files->keep_bytes = all_for_zero(head->keep_bytes);
    files->keep_ns = head->keep_ns == 0 ? INT64_MAX : head->keep_ns;
    return rc < 0 ? rc : load_library(ring, files->compress, files);
}

int rolling_tidy_by(const char *ring, const struct outlet_rules *rules, struct rolling_files *files, int64_t now_ns,
                    int64_t *again_ns) {
    *again_ns = -1;
    if (rules->pattern[0] == '\0') {
        return 0;
    }
    const int rc = follow(ring, rules, files);
    return rc < 0 ? rc : rolling_files_tidy(files, now_ns, again_ns);
}
