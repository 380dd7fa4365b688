/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the values of a configuration before anything is touched. */
#ifndef BURST_CONFIG_H
#define BURST_CONFIG_H

#include "base/path.h"
#include "burstlog.h"
#include "log/placement.h"
#include "log/segments.h"

struct checked_config {
    burst_config_t values; /* of the size that this library knows */
    struct placement placement;
    char file_name[BURST_PATH_BYTES]; /* absolute */
    struct checked_segments segments;
};

/* Copies a caller's struct, whose first field says how long its header makes it, and which is called burst_<type>_t. 0, or
 * -EINVAL with a sentence. */
int config_copy_given(const void *given, const char *type, size_t least, void *config, size_t size);

/* The same of the values of a stream's rolling. */
int config_copy_rolling(const burst_rolling_t *given, burst_rolling_t *values);

/* Makes the name of a log file of the ring absolute. 0, or -errno with a sentence: it cannot be one. */
int config_check_file_name(const char *ring, const char *given, char *file_name, size_t bytes);

struct checked_stream_config {
    burst_stream_config_t values;
    char file_name[BURST_PATH_BYTES]; /* absolute */
    struct checked_segments segments;
};

/* The same of a stream of the ring at this path. */
int config_check_stream(const char *ring, const burst_stream_config_t *given, struct checked_stream_config *config);

/* The caller's struct, of the size that its header gave it. 0, or -EINVAL with one text that names every value that
 * cannot be used, or -ENAMETOOLONG and the like for file_name. */
int config_check(const burst_config_t *given, struct checked_config *config);

#endif
