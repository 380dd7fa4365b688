/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drained.h"

#include <errno.h>

#include "ledger/ledger.h"

int drained_lock(struct device *device, struct ring_locks *locks) {
    char folder[4096];
    struct ledger *ledger;
    *locks = (struct ring_locks){.fd = -1};
    int rc = ledger_read(device->platform, device, &ledger);
    if (rc < 0) {
        ledger_close(ledger);
        return 0; /* no drain works on it; the caller tells why */
    }
    rc = locks_folder(NULL, device->path, device->is_file, folder, sizeof folder);
    rc = rc < 0 ? rc : locks_find(locks, folder, ledger_view(ledger)->superblock.uuid);
    ledger_close(ledger);
    if (rc == -ENOENT) {
        return 0;
    }
    return rc < 0 ? rc : locks_take_both(locks, device->path, LOCKS_WAIT_NS);
}
