/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the values of a configuration before anything is touched. */
#ifndef BURST_CONFIG_H
#define BURST_CONFIG_H

#include <stddef.h>

#include "base/path.h"
#include "burstlog.h"
#include "log/placement.h"
#include "log/segments.h"

/* A caller's struct, of the size that this library knows, and what was made of its texts. */
struct checked_stream {
    burst_stream_config_t values;
    char file_name[BURST_PATH_BYTES]; /* absolute */
    struct checked_segments segments;
};

struct checked_config {
    burst_config_t values;
    struct placement placement;
    struct checked_stream main; /* if values.main is not NULL */
};

/* Copies a caller's struct, whose first field says how long its header makes it, and which is called burst_<type>_t. 0, or
 * -EINVAL with a sentence. */
int config_copy_given(const void *given, const char *type, size_t least, void *config, size_t size);

/* The same of the values of a stream's rolling. */
int config_copy_rolling(const burst_rolling_t *given, burst_rolling_t *values);

/* Bytes of a struct up to the end of that field: what the first header of this ABI had. */
#define BYTES_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* Makes the name of a log file of the ring absolute. 0, or -errno with a sentence: it cannot be one. */
int config_check_file_name(const char *ring, const char *given, char *file_name, size_t bytes);

/* As config_check, of a stream beside the main one, of the ring at this path. */
int config_check_stream(const char *ring, const burst_stream_config_t *given, struct checked_stream *config);

/* 0, or -EINVAL with one text that names every value of ring and main stream that cannot be used, or -ENAMETOOLONG and the
 * like for file_name. */
int config_check(const burst_config_t *given, struct checked_config *config);

#endif
