/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/owner.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"

/* Takes the rights of the user, with the user's own group: a folder may have given the file a group that its owner is
 * not in. A user whom this host does not know has only the file's group. */
static int take_rights(const struct passwd *known, uid_t user, gid_t group) {
    const int rc = known != NULL ? initgroups(known->pw_name, group) : setgroups(1, &group);
    /* the real user stays root, so that the ring's owner cannot send us signals */
    return rc < 0 || setegid(group) < 0 || seteuid(user) < 0 ? -errno : 0;
}

int owner_become(const struct device *device, struct owner *owner) {
    owner->name[0] = '\0';
    const uid_t user = device->file.owner;
    if (geteuid() != 0 || !device->is_file || user == 0) {
        return 0;
    }
    const struct passwd *known = getpwuid(user);
    snprintf(owner->name, sizeof owner->name, "%.60s (%u)", known != NULL ? known->pw_name : "unknown", (unsigned)user);
    const int rc = take_rights(known, user, known != NULL ? known->pw_gid : device->file.group);
    return rc == 0 ? 0
                   : error_set(-rc,
                               "ring file %s is of user %s, whose rights cannot be taken: %s; run this command as "
                               "that user, or copy the ring to a file of root if its content can be trusted",
                               device->path, owner->name, error_name(-rc));
}
