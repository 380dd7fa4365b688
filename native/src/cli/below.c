/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/below.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

/* The kernel's interface, which headers of an older system lack: linux/landlock.h. */
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define ASK_VERSION 1u
#define RULE_PATH_BENEATH 1
#define LEAST_VERSION 3 /* Linux 6.2: renames between folders, and cuts */

struct ruleset {
    uint64_t handled; /* rights that are forbidden but by a rule */
};

struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

_Static_assert(sizeof(struct ruleset) == 8 && sizeof(struct path_rule) == 12, "as the kernel has them");

#define RIGHT(bit) (UINT64_C(1) << (bit))
#define WRITE_FILE RIGHT(1)
#define REMOVE_DIR RIGHT(4)
#define REMOVE_FILE RIGHT(5)
#define MAKE_ANY (RIGHT(6) | RIGHT(7) | RIGHT(8) | RIGHT(9) | RIGHT(10) | RIGHT(11) | RIGHT(12))
#define REFER RIGHT(13)
#define TRUNCATE RIGHT(14)
#define OF_A_FILE (WRITE_FILE | TRUNCATE)
#define OF_A_FOLDER (OF_A_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_ANY | REFER)

static int allow(int ruleset, const char *path) {
    struct stat status;
    const int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0) {
        const int failure = errno;
        if (fd >= 0) {
            close(fd);
        }
        return error_set(failure, "%s, below which the drain is to write, cannot be opened: %s", path,
                         error_name(failure));
    }
    const struct path_rule rule = {.allowed = S_ISDIR(status.st_mode) ? OF_A_FOLDER : OF_A_FILE, .parent = fd};
    const int rc = syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0) == 0 ? 0 : -errno;
    close(fd);
    return rc == 0 ? 0
                   : error_set(-rc, "the kernel does not confine the drain to %s: %s; leave out --below", path,
                               error_name(-rc));
}

int below_confine(const char *const *paths, size_t count) {
    const struct ruleset all = {.handled = OF_A_FOLDER};
    const long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    if (version < LEAST_VERSION) {
        return error_set(ENOTSUP,
                         "--below needs Landlock of Linux 6.2, and this kernel has version %ld of it: leave it out, or "
                         "let the drain have the rights of the log's user alone",
                         version < 0 ? 0 : version);
    }
    const int ruleset = (int)syscall(CREATE_RULESET, &all, sizeof all, 0);
    int rc =
        ruleset < 0 ? error_set(errno, "the kernel makes no list of folders for --below: %s", error_name(errno)) : 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        rc = allow(ruleset, paths[i]);
    }
    if (rc == 0 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(RESTRICT_SELF, ruleset, 0) < 0)) {
        rc = error_set(errno, "the kernel does not confine this process to the folders of --below: %s",
                       error_name(errno));
    }
    if (ruleset >= 0) {
        close(ruleset);
    }
    return rc;
}
