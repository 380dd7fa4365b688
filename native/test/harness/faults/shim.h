/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shim between the engine and the C library (linked with --wrap). It counts the calls of each kind that the engine
 * makes, and lets one of them fail, come back short, or kill the process. The test's own calls pass uncounted.
 *
 * Time is virtual. A sleep takes no time, but moves the clock. A wait with a timeout ends at once if all threads of the
 * engine are asleep and nothing but the timeout can end it. So a test of stalls and retries never waits.
 */
#ifndef BURST_TEST_FAULTS_SHIM_H
#define BURST_TEST_FAULTS_SHIM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define SHIM_CALLS(CALL) \
    CALL(accept4) CALL(access) CALL(calloc) CALL(clock_gettime) CALL(clock_nanosleep) CALL(close) CALL(connect) CALL(eventfd) CALL(faccessat) CALL(fallocate) \
    CALL(fchmod) CALL(fchown) CALL(fcntl) CALL(fdatasync) CALL(fgets) CALL(flock) CALL(fopen) CALL(fstat) \
    CALL(fstatat) CALL(fstatfs) CALL(fsync) CALL(ftruncate) CALL(futex_wait) CALL(futex_wake) CALL(futimens) CALL(getcwd) \
    CALL(getdelim) CALL(getgrnam_r) CALL(getpwnam_r) CALL(getrandom) CALL(inotify_add_watch) CALL(inotify_init1) CALL(ioctl) CALL(link) CALL(linkat) CALL(lstat) \
    CALL(madvise) CALL(malloc) CALL(membarrier) CALL(memfd_create) CALL(name_to_handle_at) CALL(statx) CALL(mkdir) CALL(mkdirat) CALL(mlock) \
    CALL(mmap) CALL(open) CALL(openat) CALL(opendir) CALL(poll) CALL(pread) CALL(preadv2) CALL(pthread_create) CALL(pwrite) \
    CALL(pwritev2) CALL(readdir) CALL(readlink) CALL(realpath) CALL(recvmsg) CALL(rename) CALL(renameat) CALL(renameat2) CALL(rmdir) CALL(socket) CALL(stat) \
    CALL(statfs) CALL(unlink) CALL(unlinkat)
/* clang-format on */

enum shim_call {
#define CALL(name) CALL_##name,
    SHIM_CALLS(CALL)
#undef CALL
        CALLS
};

/* The role of a path or descriptor for the engine. */
enum shim_role { ROLE_NONE, ROLE_RING, ROLE_WORKING, ROLE_LOG, ROLE_FOLDER, ROLE_HOST, ROLES };

/* The effect of a fault; above 0: the errno. */
enum shim_effect {
    EFFECT_NONE = 0,
    EFFECT_SHORT = -1,   /* half of the bytes that were asked for */
    EFFECT_NOTHING = -2, /* 0 bytes */
    EFFECT_KILL_BEFORE = -3,
    EFFECT_KILL_AFTER = -4,
};

#define TIMES_ONCE 1u
#define TIMES_STORM 50u /* so many times in a row, then no more */
#define TIMES_FOREVER UINT32_MAX

struct shim_fault {
    enum shim_call call;
    uint32_t first; /* 1: the first call of its kind */
    uint32_t times;
    int effect;
};

extern const char *const shim_call_names[CALLS];
extern const char *const shim_role_names[ROLES];

/* The fault's strikes: how often, and on what. */
struct shim_report {
    _Atomic uint32_t fired;
    _Atomic uint32_t roles;                     /* one bit for each role that it struck */
    _Atomic uint32_t failed_data_writes;        /* failed writes of records or markers to the ring */
    _Atomic uint32_t data_writes_after_failure; /* writes to the ring after a failed one, in the same session */
};

/* Between these two the calls of this thread count as the engine's. */
void shim_enter(void);
/* The same for a reader, whose calls may be the only ones that count: shim_weather. */
void shim_enter_reader(void);
void shim_leave(void);

/* Arms the fault, and counts from 0 again; NULL: no fault. */
void shim_arm(const struct shim_fault *fault);
const struct shim_report *shim_report(void);
uint32_t shim_count(enum shim_call call);

/* Counts each kill by its point, in memory that outlives the killed process. */
void shim_count_kills(_Atomic uint32_t *hits);

/* Faults that persist beside the armed one. */
struct shim_weather {
    int clock_jumps_back;    /* CLOCK_REALTIME is an hour earlier at each look */
    int interrupts;          /* EINTR for every other call of a thread that a signal can interrupt */
    int only_readers;        /* calls of readers are counted and may fail, those of the log are not */
    int no_exclusive_rename; /* renameat2 gives EINVAL */
};
extern struct shim_weather shim_weather;

/* Waits until all threads of the engine are asleep. */
void shim_settle(void);
/* Wakes them once, as the end of the drain's interval does; waits until they sleep again. */
void shim_tick(void);

/* Begins a session with the open of a ring: later writes to the ring belong to it. */
void shim_begin_session(void);

/* Counts what the engine holds now. */
int shim_descriptors(void);
int shim_threads(void);
int64_t shim_mapped_bytes(void);

/* For shim_calls.c. */
struct shim_verdict {
    int effect;
    int kill_after;
};

/* The target of a call: its descriptor's role, offset and data, if it has them. */
struct shim_target {
    enum shim_role role;
    int64_t offset;
    const void *data;
};

int shim_is_inside(void);
struct shim_verdict shim_before(enum shim_call call, const struct shim_target *target);
void shim_after(enum shim_call call, const struct shim_target *target, struct shim_verdict verdict);
void shim_die(enum shim_call call, const struct shim_target *target);

enum shim_role shim_role_of_path(const char *path);
enum shim_role shim_role_of(int fd);
static inline struct shim_target shim_target_of_path(const char *path) {
    return (struct shim_target){.role = shim_role_of_path(path)};
}
static inline struct shim_target shim_target_of_fd(int fd) {
    return (struct shim_target){.role = shim_role_of(fd)};
}
void shim_opened(int fd, const char *path);
void shim_duplicated(int fd, int of);
void shim_closed(int fd);
void shim_mapped(int64_t bytes);

int64_t shim_skew_ns(void);
void shim_skip_ns(int64_t duration_ns);
struct pollfd;
int shim_poll(struct pollfd *fds, unsigned long count, int timeout_ms);
long shim_park(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns);
void *shim_thread(void *argument); /* for pthread_create; the argument is a struct shim_start */
void shim_count_thread(void);
void shim_uncount_thread(void);
struct shim_start {
    void *(*body)(void *argument);
    void *argument;
};

/* Named kill points. */
#define POINTS 48
int point_of(enum shim_call call, const struct shim_target *target);
const char *point_name(int point);

#endif
