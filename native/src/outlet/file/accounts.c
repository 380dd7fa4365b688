/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/file/accounts.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "media/roll_layout.h"

#define ACCOUNT_BYTES 16384

/* A name that the host does not know may be a number. */
static int parse_number(const char *name, unsigned long *number) {
    char *end;
    *number = strtoul(name, &end, 10);
    return *name == '\0' || *end != '\0' ? -EINVAL : 0;
}

static int user_number(const char *name, char *text, uid_t *uid) {
    struct passwd entry, *found = NULL;
    unsigned long number = 0;
    const int failure = getpwnam_r(name, &entry, text, ACCOUNT_BYTES, &found);
    if (found == NULL && parse_number(name, &number) < 0) {
        return failure > 0 ? -failure : -EINVAL;
    }
    *uid = found != NULL ? entry.pw_uid : (uid_t)number;
    return 0;
}

static int group_number(const char *name, char *text, gid_t *gid) {
    struct group entry, *found = NULL;
    unsigned long number = 0;
    const int failure = getgrnam_r(name, &entry, text, ACCOUNT_BYTES, &found);
    if (found == NULL && parse_number(name, &number) < 0) {
        return failure > 0 ? -failure : -EINVAL;
    }
    *gid = found != NULL ? entry.gr_gid : (gid_t)number;
    return 0;
}

/* Sets -1 for a name that is not given. *unknown: the name that was not found. */
static int look_up(const struct new_file *new_file, uid_t *uid, gid_t *gid, const char **unknown) {
    char *text = malloc(ACCOUNT_BYTES);
    if (text == NULL) {
        return -ENOMEM;
    }
    *uid = (uid_t)-1;
    *gid = (gid_t)-1;
    *unknown = new_file->owner;
    int rc = new_file->owner == NULL ? 0 : user_number(new_file->owner, text, uid);
    if (rc == 0 && new_file->group != NULL) {
        *unknown = new_file->group;
        rc = group_number(new_file->group, text, gid);
    }
    free(text);
    return rc;
}

_Static_assert(ROLL_NOBODY_ID == (uint32_t)(uid_t)-1 && ROLL_NOBODY_ID == (uint32_t)(gid_t)-1, "nobody is -1");

int accounts_check(const struct new_file *new_file) {
    uint32_t owner, group;
    return accounts_find(new_file, &owner, &group);
}

int accounts_find(const struct new_file *new_file, uint32_t *owner, uint32_t *group) {
    uid_t uid = (uid_t)-1;
    gid_t gid = (gid_t)-1;
    const char *unknown = "";
    const int rc = look_up(new_file, &uid, &gid, &unknown);
    *owner = uid;
    *group = gid;
    return rc == 0 ? 0
                   : error_set(EINVAL, "the %s %s of new log files is not known on this host: %s",
                               unknown == new_file->owner ? "owner" : "group", unknown, error_name(-rc));
}

int accounts_apply(int file, const struct new_file *new_file) {
    uid_t uid;
    gid_t gid;
    const char *unknown;
    if (new_file->owner == NULL && new_file->group == NULL) {
        return 0;
    }
    const int rc = look_up(new_file, &uid, &gid, &unknown);
    return rc == 0 && fchown(file, uid, gid) < 0 ? -errno : rc;
}

static const char *keep_name(char kept[ACCOUNT_NAME_BYTES], const char *name) {
    if (name != NULL) {
        snprintf(kept, ACCOUNT_NAME_BYTES, "%s", name);
    }
    return name == NULL ? NULL : kept;
}

struct new_file accounts_keep(const struct new_file *given, char owner[ACCOUNT_NAME_BYTES],
                              char group[ACCOUNT_NAME_BYTES]) {
    return (struct new_file){
        .mode = given->mode, .owner = keep_name(owner, given->owner), .group = keep_name(group, given->group)};
}
