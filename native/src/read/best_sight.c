/* SPDX-License-Identifier: Apache-2.0 */
#include "read/best_sight.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/path.h"
#include "device/lock.h"
#include "device/open.h"
#include "ledger/ledger.h"
#include "media/record.h"
#include "window/attach.h"

#define RENEW_NS 100000000 /* how often an idle reader looks whether there is a newer or a better sight */
#define WINDOW_HOW "reads the memory of the log through its window %.300s"

/* Takes the sight, if it is of the same ring as before. Returns 0, or -errno with a sentence. */
static int take_sight(struct best_sight *self, struct sight *sight, int is_window) {
    if (self->sight != NULL && sight->crc_seed != self->crc_seed) {
        sight->ops->close(sight);
        return error_set(ESTALE, "the ring was formatted anew while it was read: open the reader again");
    }
    if (self->sight != NULL) {
        self->sight->ops->close(self->sight);
    }
    self->sight = sight;
    self->crc_seed = sight->crc_seed;
    self->is_window = is_window;
    return 0;
}

static int make_window_sight(struct best_sight *self, struct sight **sight) {
    return self->window[0] == '\0' ? error_set(ENOENT, "no window is to be used")
                                   : sight_of_window(self->platform, self->window, self->wait, self->device, sight);
}

/* Makes the best sight that can be had: through the window, else on the medium. */
static int make_sight(struct best_sight *self) {
    struct sight *sight;
    int rc = make_window_sight(self, &sight);
    if (rc == 0) {
        snprintf(self->how, sizeof self->how, WINDOW_HOW, self->window);
        return take_sight(self, sight, 1);
    }
    char why[sizeof self->how / 2];
    snprintf(why, sizeof why, "%s", error_text());
    if (self->device == NULL) {
        return rc;
    }
    rc = sight_of_medium(self->platform, self->device, &sight);
    if (rc == 0) {
        snprintf(self->how, sizeof self->how,
                 "reads the medium, some milliseconds late, where the last commit is proven only by the next one or a "
                 "note: %s",
                 why);
        rc = take_sight(self, sight, 0);
    }
    return rc;
}

/* Refuses a log that ends before a place up to which it was durable once. The medium proves less of it than a window, or a
 * look at a log that nobody writes; but it has it. A log that was put back may begin the same epoch again. */
static int check_end(const struct best_sight *self, struct sight_place place) {
    uint64_t end, sequence;
    const int rc = self->sight->ops->watermark(self->sight, &end, &sequence);
    if (rc < 0) {
        return rc;
    }
    end = self->is_window ? end : sight_medium_end(self->sight);
    return record_start(end, self->sight->shape.capacity_bytes) >= place.position
               ? 1
               : error_set(EUCLEAN,
                           "the ring was taken back: its log now ends at position %llu, and this reader had got what "
                           "was durable up to %llu; its medium lost what it had acknowledged, or was restored from a "
                           "copy",
                           (unsigned long long)end, (unsigned long long)place.position);
}

/* Whether the ring's name leads to another file, and no log has the one that is open. */
static int is_replaced(const struct device *device) {
    struct stat named;
    return device != NULL && device->is_file && stat(device->path, &named) == 0 && S_ISREG(named.st_mode) &&
           (named.st_dev != device->file.device || named.st_ino != device->file.inode) &&
           lock_is_held(device->file.fd) == 0;
}

/* Opens the file that has the ring's name now. Returns the one that was open before; NULL if it is the same, or the other
 * one cannot be opened yet. */
static struct device *open_named(struct best_sight *self) {
    struct device *const before = self->device, *named;
    if (!is_replaced(before) ||
        device_open(self->platform, before->path, DEVICE_READ_ONLY, DEVICE_IO_AUTO, &named) < 0) {
        return NULL;
    }
    self->device = named;
    return before;
}

int best_sight_renew(struct best_sight *self, struct sight_place place, int at_once) {
    const int64_t now_ns = platform_monotonic_ns(self->platform);
    struct sight *sight;
    int rc;
    if (!at_once && now_ns - self->renewed_ns < RENEW_NS) {
        return 0;
    }
    self->renewed_ns = now_ns;
    if (self->is_window && !sight_window_is_over(self->sight)) {
        return 0;
    }
    /* A log on the medium that has just ended is read to its end first. */
    const int is_over = !self->is_window && sight_medium_is_over(self->sight);
    struct device *const before = is_over ? NULL : open_named(self);
    if (self->is_window || is_over || before != NULL) {
        rc = make_sight(self);
    } else {
        rc = make_window_sight(self, &sight);
        rc = rc < 0 ? rc : take_sight(self, sight, 1);
        snprintf(self->how, rc < 0 ? 0 : sizeof self->how, WINDOW_HOW, self->window);
    }
    if (before != NULL) {
        device_close(rc < 0 ? self->device : before);
        self->device = rc < 0 ? before : self->device;
    }
    if (rc < 0) {
        return rc == -ESTALE ? rc : 0; /* what was seen last stays: the log may be opened again */
    }
    return check_end(self, place);
}

/* The socket of the window: in the given folder, else beside a ring file, else where devices have theirs. */
int best_sight_find_window(const struct platform *platform, struct device *device, const char *folder, char *window,
                           size_t room) {
    char beside[BURST_PATH_BYTES], name[WINDOW_SOCKET_NAME_BYTES];
    struct ledger *ledger = NULL;
    int rc = ledger_read(platform, device, &ledger);
    if (rc == 0) {
        window_socket_name(ledger_view(ledger)->superblock.uuid, name);
    }
    ledger_close(ledger);
    if (rc < 0 || (folder != NULL && *folder == '\0')) {
        return rc;
    }
    if (folder == NULL && device->is_file) {
        rc = path_directory(device->path, beside, sizeof beside);
        folder = beside;
    }
    if (rc < 0 || snprintf(window, room, "%s/%s", folder == NULL ? WINDOW_DEFAULT_FOLDER : folder, name) >= (int)room) {
        return error_set(ENAMETOOLONG, "the path of the window of ring %s is too long", device->path);
    }
    return 0;
}

int best_sight_open(struct best_sight *self, const struct platform *platform, const char *ring, const char *window,
                    uint32_t wait) {
    struct stat status;
    *self = (struct best_sight){.platform = platform, .wait = wait};
    if (stat(ring, &status) == 0 && S_ISSOCK(status.st_mode)) {
        snprintf(self->window, sizeof self->window, "%s", ring);
        return make_sight(self);
    }
    int rc = device_open(self->platform, ring, DEVICE_READ_ONLY, DEVICE_IO_AUTO, &self->device);
    rc = rc < 0 ? rc : best_sight_find_window(platform, self->device, window, self->window, sizeof self->window);
    return rc < 0 ? rc : make_sight(self);
}

void best_sight_close(struct best_sight *self) {
    if (self->sight != NULL) {
        self->sight->ops->close(self->sight);
    }
    if (self->device != NULL) {
        device_close(self->device);
    }
}
