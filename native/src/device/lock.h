/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer's lock on a ring file or a log file, and who has it.
 *
 * DESIGN. Read rights are enough for F_RDLCK and for flock, so a reader could lock a writer out of both. No lock of the
 * file itself tells a reader from a writer then. So beside a file that readers hold, writers lock a guard: the empty file
 * .NAME.burstlog-lock, of mode 0600, which readers cannot open. Any two writers meet in one of these locks:
 *
 *     file       what a writer has
 *     ring       F_WRLCK; or F_RDLCK (readers hold others), and the guard
 *     log file   flock and F_WRLCK; or what it can get of these, or F_RDLCK, and the guard
 *
 * A writer with the guard keeps F_RDLCK where readers keep it from F_WRLCK: then later ones cannot get that either, when
 * the readers have gone, and come to the guard. The guard stays when the lock goes: removing it would let a writer lock a
 * file that has no name any more.
 */
#ifndef BURST_DEVICE_LOCK_H
#define BURST_DEVICE_LOCK_H

#include <stddef.h>

#define LOCK_GUARD_NAME ".%s.burstlog-lock"

/* Takes an OFD lock. It belongs to the open description that does the I/O and not to the process, so neither another
 * close() in the process nor a fork() loses it. Returns 0, -EBUSY or another -errno. */
int lock_file(int fd);

/* Locks the ring file, which is open for writing, against other writers, whatever its readers lock. Returns 0, -EBUSY (a
 * writer has it; or readers do, and it has another name, or no guard can be made in its folder) or another -errno.
 * lock_close() ends it. */
int lock_ring(int fd);

/* The same for a log file, whose lock other programs know as a flock. */
int lock_log_file(int fd);

/* Returns another descriptor of the locked file, or -errno. The lock lasts until both are closed, in either order: each by
 * lock_close(). */
int lock_duplicate(int fd);

/* Closes the file, and so lets go of the lock on it, unless another descriptor has it by lock_duplicate(). */
void lock_close(int fd);

/* Returns 1 if any process, even this one, has such a lock on the open file, and so may write it; 0 if not; or -errno.
 * Readers that lock the file are taken for writers. */
int lock_is_held(int fd);

/* Whether a process has locked the open file as its writer, whatever readers lock: also by the guard of the file's name,
 * which is looked at. Returns as lock_is_held does; -errno if the file system knows no such locks. */
int lock_is_writers(int fd);

/* Writes what medium_holders writes, for a path. Opens no device whose open has an effect. */
void lock_holders(const char *path, char *text, size_t text_bytes);

/* Says for people who writes the open medium: its holders, or those of its guard, as medium_holders writes them; "no
 * process"; or that a process may which cannot be seen from here. */
void lock_tell_holders(int fd, char *text, size_t text_bytes);

#endif
