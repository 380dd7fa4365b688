/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drained.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"
#include "ledger/ledger.h"

/* A folder that is not there has no drain, and neither has one that was misspelt. */
static int check_folder(const struct device *device, const char *folder) {
    char inside[4098];
    struct stat status;
    snprintf(inside, sizeof inside, "%s/.", folder);
    return stat(inside, &status) == 0
               ? 0
               : error_set(
                     errno,
                     "the window folder %s of ring %s cannot be looked into: %s; name the folder that the log has "
                     "as its window, or leave out --window if it has none",
                     folder, device->path, error_name(errno));
}

int drained_lock(struct device *device, const char *window, struct ring_locks *locks) {
    char folder[4096];
    struct ledger *ledger;
    *locks = (struct ring_locks){.fd = -1};
    int rc = ledger_read(device->platform, device, &ledger);
    if (rc < 0) {
        ledger_close(ledger);
        return 0; /* no drain works on it; the caller tells why */
    }
    rc = locks_folder(window, device->path, device->is_file, folder, sizeof folder);
    rc = rc < 0 ? rc : locks_find(locks, folder, ledger_view(ledger)->superblock.uuid);
    ledger_close(ledger);
    if (rc == -ENOENT) {
        return window == NULL ? 0 : check_folder(device, folder);
    }
    return rc < 0 ? rc : locks_take_both(locks, device->path, LOCKS_WAIT_NS);
}
