/* SPDX-License-Identifier: Apache-2.0 */
/* An outlet that is a log file: what is appended stands there, record after record. */
#ifndef BURST_OUTLET_FILE_OUTLET_H
#define BURST_OUTLET_FILE_OUTLET_H

#include "base/events.h"
#include "base/platform.h"
#include "outlet/file/fs.h"
#include "outlet/outlet.h"

struct file_outlet_parts {
    const struct platform *platform;
    struct events *events;
    const struct files *files;
    struct new_file how;
    int mark_is_untrusted; /* whoever owns the ring may have made up what the file is known by: then its name, its length and
                              its CRC count */
};

/* 0 or -ENOMEM with a sentence. */
int file_outlet_create(const struct file_outlet_parts *parts, struct outlet **outlet);

#endif
