/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers of calls that only fail or succeed, open or let go. The others are in shim_transfers.c. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "shim.h"

static const struct shim_target nothing = {.role = ROLE_NONE};

#define of_path shim_target_of_path
#define of_fd shim_target_of_fd

/* A call that only fails or succeeds. `about` is its target, `failure` its result when it fails. */
#define WRAP(type, name, failure, about, parameters, arguments)                                                        \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters {                                                                                    \
        if (!shim_is_inside())                                                                                         \
            return __real_##name arguments;                                                                            \
        const struct shim_target target = about;                                                                       \
        const struct shim_verdict verdict = shim_before(CALL_##name, &target);                                         \
        if (verdict.effect > 0) {                                                                                      \
            errno = verdict.effect;                                                                                    \
            return failure;                                                                                            \
        }                                                                                                              \
        type result = __real_##name arguments;                                                                         \
        shim_after(CALL_##name, &target, verdict);                                                                     \
        return result;                                                                                                 \
    }

WRAP(int, connect, -1, nothing, (int fd, const struct sockaddr *to, socklen_t bytes), (fd, to, bytes))
WRAP(int, access, -1, of_path(path), (const char *path, int mode), (path, mode))
WRAP(int, faccessat, -1, of_path(path), (int fd, const char *path, int mode, int flags), (fd, path, mode, flags))
WRAP(void *, calloc, NULL, nothing, (size_t count, size_t bytes), (count, bytes))
WRAP(void *, malloc, NULL, nothing, (size_t bytes), (bytes))
WRAP(int, fallocate, -1, of_fd(fd), (int fd, int mode, off_t from, off_t bytes), (fd, mode, from, bytes))
WRAP(int, fchmod, -1, of_fd(fd), (int fd, mode_t mode), (fd, mode))
WRAP(int, fchown, -1, of_fd(fd), (int fd, uid_t user, gid_t group), (fd, user, group))
WRAP(int, fdatasync, -1, of_fd(fd), (int fd), (fd))
WRAP(char *, fgets, NULL, of_path("/proc/"), (char *line, int bytes, FILE *file), (line, bytes, file))
WRAP(int, flock, -1, of_fd(fd), (int fd, int operation), (fd, operation))
WRAP(int, fstat, -1, of_fd(fd), (int fd, struct stat *status), (fd, status))
WRAP(int, fstatat, -1, of_path(path), (int fd, const char *path, struct stat *status, int flags),
     (fd, path, status, flags))
WRAP(int, fstatfs, -1, of_fd(fd), (int fd, struct statfs *status), (fd, status))
WRAP(int, fsync, -1, of_fd(fd), (int fd), (fd))
WRAP(int, ftruncate, -1, of_fd(fd), (int fd, off_t bytes), (fd, bytes))
WRAP(int, futimens, -1, of_fd(fd), (int fd, const struct timespec times[2]), (fd, times))
WRAP(char *, getcwd, NULL, nothing, (char *path, size_t bytes), (path, bytes))
WRAP(int, linkat, -1, of_path(to), (int from_fd, const char *from, int to_fd, const char *to, int flags),
     (from_fd, from, to_fd, to, flags))
WRAP(int, lstat, -1, of_path(path), (const char *path, struct stat *status), (path, status))
WRAP(int, madvise, -1, nothing, (void *memory, size_t bytes, int advice), (memory, bytes, advice))
WRAP(int, mkdir, -1, of_path(path), (const char *path, mode_t mode), (path, mode))
WRAP(int, mkdirat, -1, of_path(path), (int fd, const char *path, mode_t mode), (fd, path, mode))
WRAP(int, inotify_add_watch, -1, of_fd(fd), (int fd, const char *path, uint32_t mask), (fd, path, mask))
WRAP(int, mlock, -1, nothing, (const void *memory, size_t bytes), (memory, bytes))
WRAP(struct dirent *, readdir, NULL, of_path(""), (DIR * folder), (folder))
WRAP(ssize_t, readlink, -1, of_path(path), (const char *path, char *text, size_t bytes), (path, text, bytes))
WRAP(char *, realpath, NULL, of_path(path), (const char *path, char *text), (path, text))
WRAP(int, name_to_handle_at, -1, of_fd(fd),
     (int fd, const char *path, struct file_handle *handle, int *mount, int flags), (fd, path, handle, mount, flags))
WRAP(int, link, -1, of_path(to), (const char *from, const char *to), (from, to))
WRAP(int, rename, -1, of_path(to), (const char *from, const char *to), (from, to))
WRAP(int, renameat, -1, of_path(to), (int from_fd, const char *from, int to_fd, const char *to),
     (from_fd, from, to_fd, to))
WRAP(int, rmdir, -1, of_path(path), (const char *path), (path))
WRAP(int, stat, -1, of_path(path), (const char *path, struct stat *status), (path, status))
WRAP(int, statfs, -1, of_path(path), (const char *path, struct statfs *status), (path, status))
WRAP(int, unlink, -1, of_path(path), (const char *path), (path))
WRAP(int, unlinkat, -1, of_path(path), (int fd, const char *path, int flags), (fd, path, flags))
WRAP(int, getpwnam_r, errno, nothing,
     (const char *name, struct passwd *entry, char *text, size_t bytes, struct passwd **found),
     (name, entry, text, bytes, found))
WRAP(int, getgrnam_r, errno, nothing,
     (const char *name, struct group *entry, char *text, size_t bytes, struct group **found),
     (name, entry, text, bytes, found))

/* ---------------------------------------------------------------------------------- calls that open and let go */

#define MODE_OF(flags, mode)                                                                                           \
    mode_t mode = 0;                                                                                                   \
    if ((flags)&O_CREAT) {                                                                                             \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode = va_arg(rest, mode_t);                                                                                   \
        va_end(rest);                                                                                                  \
    }

#define OPEN_WITH(name, path, real)                                                                                    \
    if (!shim_is_inside())                                                                                             \
        return real;                                                                                                   \
    const struct shim_target target = of_path(path);                                                                   \
    const struct shim_verdict verdict = shim_before(CALL_##name, &target);                                             \
    if (verdict.effect > 0) {                                                                                          \
        errno = verdict.effect;                                                                                        \
        return -1;                                                                                                     \
    }                                                                                                                  \
    const int opened = real;                                                                                           \
    shim_opened(opened, path);                                                                                         \
    shim_after(CALL_##name, &target, verdict);                                                                         \
    return opened;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    MODE_OF(flags, mode)
    OPEN_WITH(open, path, __real_open(path, flags, mode))
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...) {
    MODE_OF(flags, mode)
    OPEN_WITH(openat, path, __real_openat(folder, path, flags, mode))
}

int __real_inotify_init1(int flags);
int __wrap_inotify_init1(int flags);
int __wrap_inotify_init1(int flags) {
    OPEN_WITH(inotify_init1, "", __real_inotify_init1(flags))
}

int __real_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol) {
    OPEN_WITH(socket, "", __real_socket(family, type, protocol))
}

int __real_accept4(int fd, struct sockaddr *from, socklen_t *bytes, int flags);
int __wrap_accept4(int fd, struct sockaddr *from, socklen_t *bytes, int flags);
int __wrap_accept4(int fd, struct sockaddr *from, socklen_t *bytes, int flags) {
    OPEN_WITH(accept4, "", __real_accept4(fd, from, bytes, flags))
}

int __real_eventfd(unsigned count, int flags);
int __wrap_eventfd(unsigned count, int flags);
int __wrap_eventfd(unsigned count, int flags) {
    OPEN_WITH(eventfd, "", __real_eventfd(count, flags))
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __real_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms) {
    if (!shim_is_inside())
        return __real_poll(fds, count, timeout_ms);
    const struct shim_verdict verdict = shim_before(CALL_poll, &nothing);
    if (verdict.effect > 0) {
        errno = verdict.effect;
        return -1;
    }
    const int result = verdict.effect == EFFECT_NOTHING ? 0 : shim_poll(fds, count, timeout_ms);
    shim_after(CALL_poll, &nothing, verdict);
    return result;
}

/* A message may bring a descriptor. */
ssize_t __real_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags) {
    if (!shim_is_inside())
        return __real_recvmsg(fd, message, flags);
    const struct shim_verdict verdict = shim_before(CALL_recvmsg, &nothing);
    if (verdict.effect != EFFECT_NONE) {
        errno = verdict.effect > 0 ? verdict.effect : 0;
        message->msg_controllen = 0;
        return verdict.effect > 0 ? -1 : 0;
    }
    const ssize_t result = __real_recvmsg(fd, message, flags);
    const struct cmsghdr *part = result < 0 ? NULL : CMSG_FIRSTHDR(message);
    if (part != NULL && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS)
        shim_opened(*(const int *)CMSG_DATA(part), "");
    shim_after(CALL_recvmsg, &nothing, verdict);
    return result;
}

/* The descriptor is closed even if close fails. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
    if (!shim_is_inside())
        return __real_close(fd);
    const struct shim_target target = of_fd(fd);
    const struct shim_verdict verdict = shim_before(CALL_close, &target);
    shim_closed(fd);
    const int result = __real_close(fd);
    shim_after(CALL_close, &target, verdict);
    if (verdict.effect > 0) {
        errno = verdict.effect;
        return -1;
    }
    return result;
}

/* The engine looks for holders of a file: it must not see other processes of this machine. */
static int is_of_another_process(const char *path) {
    int pid;
    return sscanf(path, "/proc/%d/", &pid) == 1 && pid != (int)getpid();
}

#define WRAP_STREAM(type, name, number, parameters, arguments, path)                                                   \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters {                                                                                    \
        if (!shim_is_inside())                                                                                         \
            return __real_##name arguments;                                                                            \
        const struct shim_target target = of_path(path);                                                               \
        const struct shim_verdict verdict = shim_before(CALL_##name, &target);                                         \
        if (verdict.effect > 0 || is_of_another_process(path)) {                                                       \
            errno = verdict.effect > 0 ? verdict.effect : EACCES;                                                      \
            return NULL;                                                                                               \
        }                                                                                                              \
        type stream = __real_##name arguments;                                                                         \
        if (stream != NULL)                                                                                            \
            shim_opened(number(stream), path);                                                                         \
        shim_after(CALL_##name, &target, verdict);                                                                     \
        return stream;                                                                                                 \
    }

WRAP_STREAM(FILE *, fopen, fileno, (const char *path, const char *mode), (path, mode), path)
WRAP_STREAM(DIR *, opendir, dirfd, (const char *path), (path), path)

int __real_fclose(FILE *stream);
int __wrap_fclose(FILE *stream);
int __wrap_fclose(FILE *stream) {
    shim_closed(fileno(stream));
    return __real_fclose(stream);
}

int __real_closedir(DIR *stream);
int __wrap_closedir(DIR *stream);
int __wrap_closedir(DIR *stream) {
    shim_closed(dirfd(stream));
    return __real_closedir(stream);
}

#define GETDELIM(name, parameters, arguments)                                                                          \
    ssize_t __real_##name parameters;                                                                                  \
    ssize_t __wrap_##name parameters;                                                                                  \
    ssize_t __wrap_##name parameters {                                                                                 \
        const struct shim_target target = of_path("/proc/");                                                           \
        const struct shim_verdict verdict =                                                                            \
            shim_is_inside() ? shim_before(CALL_getdelim, &target) : (struct shim_verdict){0};                         \
        if (verdict.effect > 0) {                                                                                      \
            errno = verdict.effect;                                                                                    \
            return -1;                                                                                                 \
        }                                                                                                              \
        const ssize_t result = __real_##name arguments;                                                                \
        shim_after(CALL_getdelim, &target, verdict);                                                                   \
        return result;                                                                                                 \
    }
/* The compiler makes a call of getline one of these two, by its optimisation. */
GETDELIM(getline, (char **line, size_t *bytes, FILE *file), (line, bytes, file))
GETDELIM(__getdelim, (char **line, size_t *bytes, int end, FILE *file), (line, bytes, end, file))
