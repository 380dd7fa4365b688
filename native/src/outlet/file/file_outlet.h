/* SPDX-License-Identifier: Apache-2.0 */
/* An outlet that is a log file: it holds the appended bytes, record after record. */
#ifndef BURST_OUTLET_FILE_OUTLET_H
#define BURST_OUTLET_FILE_OUTLET_H

#include "base/events.h"
#include "base/platform.h"
#include "media/checkpoint.h"
#include "outlet/file/fs.h"
#include "outlet/outlet.h"

/* A roll to perform, and the answer of the caller that performs it. */
struct roll_question {
    const struct outlet_roll_record *record;
    const struct outlet_state *state; /* the noted state of the file that ends */
    const char *file;                 /* the path of the file that ends */
    int is_renamed;                   /* the file no longer has its name: ask only a caller that was asked before */
};

struct roll_answer {
    int rc; /* 0, or -errno: the roll failed */
    /* Rename the file to it; "": the caller has renamed it, or it keeps its name. */
    char target[LAYOUT_FILE_NAME_BYTES];
    char next[LAYOUT_FILE_NAME_BYTES]; /* the file that begins; "": as the record says */
};

enum { ROLL_NOBODY = 1 };

/* The caller that performs the rolls of a file, or the engine's own rolling. */
struct roller {
    /* Returns 0 with *answer, each time it is asked; -EINPROGRESS without an answer yet; ROLL_NOBODY if the record
     * decides. */
    int (*ask)(const struct roller *roller, const struct roll_question *question, struct roll_answer *answer);
    /* Plans the next roll of a file whose birth *roll has. NULL: only the roll that began the file says when. */
    void (*plan)(const struct roller *roller, struct outlet_roll *roll);
};

struct file_outlet_parts {
    const struct platform *platform;
    struct events *events;
    const struct files *files;
    struct new_file new_file;
    /* The ring's owner is not trusted: find the file by name, length and CRC only, and ignore rename targets of old
     * records. */
    int mark_is_untrusted;
    /* They are asked about rolls: that of whoever opens the stream, which is not used once the outlet is closed; and the one
     * from then on. NULL: the records decide. */
    const struct roller *roller, *absent_roller;
    int has_index; /* each file gets an index: outlet/index/writer.h */
};

/* Makes a closed outlet. Returns 0, or -ENOMEM with a sentence. */
int file_outlet_create(const struct file_outlet_parts *parts, struct outlet **outlet);

#endif
