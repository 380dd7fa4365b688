/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/config.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/error.h"
#include "rolling/time.h"

#define SECOND_NS 1000000000

static int is_interval(uint64_t ns) {
    const uint64_t s = ns / SECOND_NS;
    return ns % SECOND_NS == 0 && (s == 0 || s == WEEK_S || DAY_S % s == 0);
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
    if (values->compress > 1) {
        error_list_add(
            errors, error_set(EINVAL, "compress=\"%u\" of ring %s cannot be used: use 0 or 1", values->compress, ring));
    }
}

int rolling_check(const char *ring, const char *file, const burst_rolling_t *values, struct rolling_files *files) {
    struct error_list errors = {.code = 0};
    const int rc = rolling_name_read(ring, values->pattern, &files->name);
    if (rc < 0) {
        return rc;
    }
    check_values(ring, file, values, &files->name, &errors);
    if (values->compress == 1) {
        error_list_add(&errors, gzip_load(ring, &files->gzip));
    }
    return error_list_result(&errors);
}
