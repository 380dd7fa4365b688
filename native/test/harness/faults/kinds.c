/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in which each call can fail, from its manual page and the table of faults. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"

#define EFFECTS_MAX 20
#define KINDS_MAX 700

static const struct {
    enum shim_call call;
    int effects[EFFECTS_MAX];
} rows[] = {
    {CALL_accept4, {EMFILE, ENFILE, ENOMEM, EINTR}},
    {CALL_access, {EACCES, EROFS, ENOENT, EIO, ENOMEM}},
    {CALL_calloc, {ENOMEM}},
    {CALL_clock_nanosleep, {EINTR}},
    {CALL_close, {EIO, EINTR, ENOSPC, EDQUOT}},
    {CALL_connect, {ECONNREFUSED, EACCES, EAGAIN, EINTR, ENOENT}},
    {CALL_eventfd, {EMFILE, ENFILE, ENOMEM}},
    {CALL_faccessat, {EACCES, EROFS, ENOENT, EIO, ENOMEM}},
    {CALL_fallocate, {EIO, ENOSPC, EDQUOT, EINTR, EOPNOTSUPP, ENOSYS, EPERM, ENODEV, EFBIG}},
    {CALL_fchmod, {EIO, EPERM, EROFS}},
    {CALL_fchown, {EIO, EPERM, EROFS, EDQUOT}},
    {CALL_fcntl, {EAGAIN, EACCES, ENOLCK, EINTR, EINVAL, EDEADLK}},
    {CALL_fdatasync, {EIO, ENOSPC, EDQUOT, EROFS, EINTR, EINVAL, ESTALE, ETIMEDOUT}},
    {CALL_fgets, {EIO, EINTR}},
    {CALL_flock, {EWOULDBLOCK, EINTR, ENOLCK, EIO}},
    {CALL_fopen, {ENOENT, EACCES, EMFILE, ENFILE, ENOMEM, EIO}},
    {CALL_fstat, {EIO, ENOMEM, EOVERFLOW, ESTALE}},
    {CALL_fstatat, {EIO, EACCES, ENOENT, ENOMEM, ESTALE}},
    {CALL_fstatfs, {EIO, EINTR, ENOMEM, ENOSYS, EOVERFLOW}},
    {CALL_fsync, {EIO, ENOSPC, EDQUOT, EROFS, EINTR, EINVAL, ESTALE}},
    {CALL_ftruncate, {EIO, EINTR, EPERM, EROFS, EINVAL, ENOSPC}},
    {CALL_futex_wait, {EINTR, EAGAIN}},
    {CALL_futimens, {EACCES, EROFS, EPERM}},
    {CALL_getcwd, {ENOENT, EACCES, ENOMEM, ERANGE}},
    {CALL_getdelim, {ENOMEM, EIO}},
    {CALL_getgrnam_r, {EIO, EINTR, EMFILE, ENFILE, ENOMEM, ERANGE}},
    {CALL_getpwnam_r, {EIO, EINTR, EMFILE, ENFILE, ENOMEM, ERANGE}},
    {CALL_getrandom, {EINTR, EAGAIN, ENOSYS, EPERM, EFFECT_SHORT}},
    {CALL_inotify_add_watch, {ENOSPC, ENOMEM}},
    {CALL_inotify_init1, {EMFILE, ENOMEM}},
    {CALL_ioctl, {ENOTTY, EINVAL, EIO, EOPNOTSUPP, ENOMEM}},
    {CALL_link, {EEXIST, ENOSPC, EDQUOT, EROFS, EPERM, EACCES, EIO}},
    {CALL_linkat, {EEXIST, ENOSPC, EDQUOT, EROFS, EPERM, EMLINK, EIO}},
    {CALL_lstat, {EACCES, EIO, ENOENT, ENOMEM, ELOOP}},
    {CALL_madvise, {ENOMEM, EINVAL, EAGAIN, EIO}},
    {CALL_malloc, {ENOMEM}},
    {CALL_membarrier, {ENOSYS, EPERM, EINVAL}},
    {CALL_memfd_create, {ENOSYS, EMFILE, ENFILE, ENOMEM}},
    {CALL_mkdir, {EACCES, EEXIST, EDQUOT, ENOSPC, EROFS, EIO}},
    {CALL_mkdirat, {EACCES, EDQUOT, ENOSPC, EROFS, EIO}},
    {CALL_mlock, {ENOMEM, EPERM, EAGAIN}},
    {CALL_mmap, {ENOMEM, EAGAIN}},
    {CALL_name_to_handle_at, {EOPNOTSUPP, EPERM, ENOSYS, EOVERFLOW, EIO, ENOMEM, ESTALE}},
    {CALL_open,
     {EACCES, EINTR, EMFILE, ENFILE, ENOMEM, ENOSPC, EDQUOT, EROFS, EIO, ENODEV, ENXIO, ETXTBSY, EPERM, EINVAL, EBUSY,
      ESTALE, ENOENT, EEXIST}},
    {CALL_openat, {EACCES, EINTR, EMFILE, ENFILE, ENOSPC, EDQUOT, EROFS, EIO, EPERM, ELOOP}},
    {CALL_opendir, {EACCES, EMFILE, ENFILE, ENOENT, ENOMEM}},
    {CALL_poll, {EINTR, ENOMEM, EFFECT_NOTHING}},
    {CALL_pread,
     {EIO, EINTR, EAGAIN, ENODATA, ESTALE, ENODEV, EREMOTEIO, EILSEQ, EINVAL, ETIMEDOUT, EFFECT_SHORT, EFFECT_NOTHING}},
    {CALL_preadv2, {EINVAL, EOPNOTSUPP, EIO, EPERM, ENOSYS, EINTR}},
    {CALL_pthread_create, {EAGAIN, EPERM}},
    {CALL_pwrite,
     {EIO, ENOSPC, EDQUOT, EROFS, EINTR, EAGAIN, EFBIG, EPERM, ESTALE, ETIMEDOUT, EINVAL, ENODEV, EFFECT_SHORT,
      EFFECT_NOTHING}},
    {CALL_pwritev2,
     {EIO, ENODATA, ENOSPC, EDQUOT, EROFS, EINTR, EAGAIN, EPERM, EINVAL, EOPNOTSUPP, ESTALE, ETIMEDOUT, ENODEV,
      EREMOTEIO, EFFECT_SHORT, EFFECT_NOTHING}},
    {CALL_readdir, {EIO, ENOENT}},
    {CALL_readlink, {EACCES, EIO, ENOMEM, ELOOP}},
    {CALL_realpath, {EACCES, EIO, ENOENT, ENOMEM}},
    {CALL_recvmsg, {ECONNRESET, EINTR, EAGAIN, EMFILE, ENOMEM, EFFECT_NOTHING}},
    {CALL_rename, {EACCES, EBUSY, EIO, EROFS, ENOSPC}},
    {CALL_renameat, {EBUSY, ENOSPC, EDQUOT, EROFS, EACCES, EIO}},
    {CALL_renameat2, {EBUSY, ENOSPC, EDQUOT, EROFS, EACCES, EIO, EEXIST, EINVAL, ENOSYS}},
    {CALL_rmdir, {EACCES, EBUSY, EIO, EROFS, ENOTEMPTY, ENOENT}},
    {CALL_socket, {EMFILE, ENFILE, ENOBUFS, ENOMEM, EACCES, EAFNOSUPPORT}},
    {CALL_stat, {EACCES, EIO, ENOENT, ENOMEM, ELOOP, ESTALE}},
    {CALL_statfs, {EIO, EINTR, ENOMEM, ENOSYS}},
    {CALL_statx, {ENOSYS, EPERM, EIO, ENOMEM, ESTALE}},
    {CALL_unlink, {EACCES, EBUSY, EIO, EROFS, EPERM}},
    {CALL_unlinkat, {EACCES, EBUSY, EIO, EROFS, EPERM}},
};

static int is_passing(int effect) {
    return effect == EINTR || effect == EAGAIN;
}

/* An interruption passes by itself: many in a row stand for interruptions without end. A futex wait fails only once:
 * if it never slept its thread would run for ever, as it is meant to. */
static uint32_t more_than_once(enum shim_call call, int effect) {
    if (call == CALL_futex_wait || (call == CALL_getrandom && effect == EFFECT_SHORT)) {
        return TIMES_ONCE; /* the kernel never shortens so small a read twice */
    }
    return is_passing(effect) ? TIMES_STORM : TIMES_FOREVER;
}

int fault_kinds(const struct fault_kind **kinds) {
    static struct fault_kind all[KINDS_MAX];
    int count = 0;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        for (int i = 0; i < EFFECTS_MAX && rows[row].effects[i] != EFFECT_NONE; i++) {
            const int effect = rows[row].effects[i];
            all[count++] = (struct fault_kind){rows[row].call, effect, TIMES_ONCE};
            const uint32_t times = more_than_once(rows[row].call, effect);
            if (times != TIMES_ONCE) {
                all[count++] = (struct fault_kind){rows[row].call, effect, times};
            }
        }
    }
    *kinds = all;
    return count;
}

int fault_is_harmless(const struct shim_fault *fault, uint32_t roles) {
    const int on_ring = (roles & ~(1u << ROLE_RING)) == 0, on_log = (roles & ~(1u << ROLE_LOG)) == 0;
    switch (fault->call) {
    case CALL_pwritev2:
        return is_passing(fault->effect);
    case CALL_pread:
        return fault->effect == EINTR || (fault->effect == EAGAIN && on_ring) ||
               (fault->effect == EFFECT_SHORT && (on_log || fault->times == TIMES_ONCE));
    case CALL_pwrite:
        return fault->effect == EINTR || (fault->effect == EFFECT_SHORT && on_log);
    case CALL_ftruncate:
        return fault->effect == EINTR && on_log;
    case CALL_getrandom:
    case CALL_futex_wait:
    case CALL_clock_nanosleep:
    case CALL_mlock:
    case CALL_close:
        return 1;
    default:
        return 0;
    }
}

static const struct {
    int effect;
    const char *name;
} effect_names[] = {
#define NAME(code)                                                                                                     \
    { code, #code }
    NAME(EACCES),
    NAME(EAFNOSUPPORT),
    NAME(EAGAIN),
    NAME(EBUSY),
    NAME(ECONNREFUSED),
    NAME(ECONNRESET),
    NAME(EDEADLK),
    NAME(EDQUOT),
    NAME(EEXIST),
    NAME(EFBIG),
    NAME(EILSEQ),
    NAME(EINTR),
    NAME(EINVAL),
    NAME(EIO),
    NAME(ELOOP),
    NAME(EMFILE),
    NAME(EMLINK),
    NAME(ENFILE),
    NAME(ENOBUFS),
    NAME(ENODATA),
    NAME(ENODEV),
    NAME(ENOENT),
    NAME(ENOLCK),
    NAME(ENOMEM),
    NAME(ENOSPC),
    NAME(ENOSYS),
    NAME(ENOTTY),
    NAME(ENXIO),
    NAME(EOPNOTSUPP),
    NAME(EOVERFLOW),
    NAME(EPERM),
    NAME(ERANGE),
    NAME(EREMOTEIO),
    NAME(EROFS),
    NAME(ESTALE),
    NAME(ETIMEDOUT),
    NAME(ETXTBSY),
#undef NAME
    {EFFECT_SHORT, "short"},
    {EFFECT_NOTHING, "nothing"},
    {EFFECT_KILL_BEFORE, "kill-before"},
    {EFFECT_KILL_AFTER, "kill-after"},
};

#define EFFECT_NAMES (sizeof effect_names / sizeof effect_names[0])

const char *effect_name(int effect) {
    for (size_t i = 0; i < EFFECT_NAMES; i++) {
        if (effect_names[i].effect == effect) {
            return effect_names[i].name;
        }
    }
    return "?";
}

int effect_parse(const char *name) {
    for (size_t i = 0; i < EFFECT_NAMES; i++) {
        if (strcmp(effect_names[i].name, name) == 0) {
            return effect_names[i].effect;
        }
    }
    return EFFECT_NONE;
}
