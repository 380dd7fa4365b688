/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's io_uring: its three system calls, and the two queues in memory that the kernel shares with us.
 *
 *   submissions   we fill entries and move `given` on; the kernel takes them and moves `taken` on, within kernel_enter
 *   completions   the kernel fills them and moves `ended` on, at any time; we read them and move `seen` on
 *
 * Who moves an index releases what it stands for, who reads the other's acquires it. So a load-acquire of `ended` comes
 * before the completion is read, and a store-release of `seen` after it: the kernel must not fill that place before.
 * No kernel thread polls the submissions (IORING_SETUP_SQPOLL is not used).
 */
#ifndef BURST_DEVICE_URING_KERNEL_H
#define BURST_DEVICE_URING_KERNEL_H

#include <linux/io_uring.h>
#include <stddef.h>

struct kernel_queues {
    int fd;
    unsigned char *queues; /* one mapping of both */
    size_t queues_bytes;
    struct io_uring_sqe *entries; /* a second one */
    size_t entries_bytes;
    unsigned int entry_shift, completion_shift; /* 1: twice as long, as IORING_SETUP_SQE128 and CQE32 ask for */
    unsigned int count;                         /* of the entries */
    unsigned int filled; /* where the next entry is; those from *given on the kernel may not see */
    unsigned int *taken, *given, *seen, *ended;
    unsigned int completion_mask;
    struct io_uring_cqe *completions;
};

/* 0 or -errno; -ENOSYS also for a kernel older than 5.4, which wants more mappings. A forked child has none of them. */
int kernel_queues_open(struct kernel_queues *queues, unsigned int count, unsigned int setup_flags);
void kernel_queues_close(struct kernel_queues *queues);

/* The next entry, zeroed; NULL: all are filled, and not taken. */
struct io_uring_sqe *kernel_next_entry(struct kernel_queues *queues);

/* Gives the kernel what is filled, and waits for `wanted` completions or a signal. 0 or more, or -errno. */
int kernel_enter(struct kernel_queues *queues, unsigned int wanted);

/* How many filled entries the kernel has not taken. */
unsigned int kernel_not_taken(const struct kernel_queues *queues);

/* Takes the oldest of those back, which the kernel then never sees: call it kernel_not_taken times, within no other
 * call, and then kernel_taken_back. */
const struct io_uring_sqe *kernel_entry_not_taken(const struct kernel_queues *queues, unsigned int number);
void kernel_taken_back(struct kernel_queues *queues);

/* The oldest completion that is there, or NULL; it is valid until kernel_seen. No system call. */
const struct io_uring_cqe *kernel_completion(const struct kernel_queues *queues);
void kernel_seen(struct kernel_queues *queues);

/* IORING_REGISTER_..: 0 or -errno. */
int kernel_register(struct kernel_queues *queues, unsigned int what, const void *list, unsigned int count);

#endif
