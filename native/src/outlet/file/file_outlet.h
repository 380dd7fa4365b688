/* SPDX-License-Identifier: Apache-2.0 */
/* An outlet that is a log file: what is appended stands there, record after record. */
#ifndef BURST_OUTLET_FILE_OUTLET_H
#define BURST_OUTLET_FILE_OUTLET_H

#include "base/events.h"
#include "base/platform.h"
#include "media/checkpoint.h"
#include "outlet/file/fs.h"
#include "outlet/outlet.h"

/* A roll that waits to be performed, and what whoever performs it answers. */
struct roll_question {
    const struct outlet_roll_record *record;
    const struct outlet_state *state; /* as noted: of the file that ends */
    const char *file;                 /* its path */
    int is_renamed;                   /* it is not under its name any more: nobody is to be asked who was not */
};

struct roll_answer {
    int rc;                              /* 0 or -errno: it could not be done */
    char target[LAYOUT_FILE_NAME_BYTES]; /* the file is to be renamed to it; "": it was, or keeps its name */
    char next[LAYOUT_FILE_NAME_BYTES];   /* the file that begins; "": as the record says */
};

enum { ROLL_NOBODY = 1 };

/* Who performs the rolls of a file. */
struct roller {
    /* 0 with *answer, also if asked again; -EINPROGRESS: not answered yet; ROLL_NOBODY: it is to be done as the record says. */
    int (*ask)(const struct roller *roller, const struct roll_question *question, struct roll_answer *answer);
    /* Sets when the file is to be rolled that this says the birth of. NULL: nobody but the roll that began it has said so. */
    void (*plan)(const struct roller *roller, struct outlet_roll *roll);
};

struct file_outlet_parts {
    const struct platform *platform;
    struct events *events;
    const struct files *files;
    struct new_file new_file;
    int mark_is_untrusted; /* whoever owns the ring may have made up what the file is known by: then its name, its length and
                              its CRC count, and no file is renamed as a record says that it held */
    const struct roller *roller; /* NULL: the file is rolled as the records say. Outlives the outlet */
};

/* 0 or -ENOMEM with a sentence. */
int file_outlet_create(const struct file_outlet_parts *parts, struct outlet **outlet);

#endif
