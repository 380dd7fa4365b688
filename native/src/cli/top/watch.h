/* SPDX-License-Identifier: Apache-2.0 */
/* One log as `burstlog top` watches it: through its window, again and again, over restarts of the log. */
#ifndef BURST_CLI_TOP_WATCH_H
#define BURST_CLI_TOP_WATCH_H

#include "base/platform.h"
#include "burstlog.h"
#include "cli/top/history.h"
#include "media/checkpoint.h"
#include "window/attach.h"

struct watch {
    const char *name;              /* as the user named it */
    char window[BURST_PATH_BYTES]; /* path of the socket */
    int is_attached;
    struct window_socket socket;
    struct attached_window attached;
    char why[BURST_TEXT_BYTES]; /* why nothing is seen now; "": all is seen */
    int is_fresh;               /* the last look got new figures */
    int is_closed;              /* the log whose figures were got last has been closed */
    struct figures figures;     /* bytes 0: none were ever got */
    struct history history;
    uint64_t durable_sequence; /* of the watermark, which may be newer than the figures */
    uint8_t checkpoint[LAYOUT_CHECKPOINT_BYTES];
    int checkpoint_bytes; /* <= 0: there is none */
};

/* Finds the window of a ring, or takes the socket of one. folder: where the sockets are; NULL: where best_sight looks.
 * Reads the medium once. Returns 0, or -errno with a sentence. */
int watch_open(struct watch *watch, const char *name, const char *folder);

/* Asks the log for figures, and waits for them at most 200 ms. Returns 1 if they are new; 0 if not: then watch->why says
 * why. A log that comes back is found again. */
int watch_look(struct watch *watch);

void watch_close(struct watch *watch);

#endif
