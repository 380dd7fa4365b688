/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the values of a configuration before the open touches anything. */
#ifndef BURST_CONFIG_H
#define BURST_CONFIG_H

#include <stddef.h>

#include "base/path.h"
#include "burstlog.h"
#include "log/placement.h"
#include "log/segments.h"

/* A caller's struct in the size that this library knows, with its texts as paths and lists. */
struct checked_stream {
    burst_stream_config_t values;
    char file_name[BURST_PATH_BYTES]; /* absolute path */
    struct checked_segments segments;
};

struct checked_config {
    burst_config_t values;
    struct placement placement;
    struct checked_stream main; /* filled unless values.main is NULL */
};

/* Copies a caller's struct. Its first field says how long the caller's header makes it; its name is burst_<type>_t.
 * Returns 0, or -EINVAL with a sentence. */
int config_copy_given(const void *given, const char *type, size_t least, void *config, size_t size);

/* Copies the values of a stream's rolling in the same way. */
int config_copy_rolling(const burst_rolling_t *given, burst_rolling_t *values);

/* The length of a struct up to the end of that field: its length in the first header of this ABI. */
#define BYTES_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* Makes the name of a log file of the ring absolute. Returns 0, or -errno with a sentence if it cannot be one. */
int config_check_file_name(const char *ring, const char *given, char *file_name, size_t bytes);

/* Checks a stream beside the main one, for the ring at this path; otherwise like config_check. */
int config_check_stream(const char *ring, const burst_stream_config_t *given, struct checked_stream *config);

/* Checks ring and main stream. Returns 0; -EINVAL with one text that names each value that cannot be used; or
 * -ENAMETOOLONG and the like for file_name. */
int config_check(const burst_config_t *given, struct checked_config *config);

#endif
