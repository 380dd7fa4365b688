/* SPDX-License-Identifier: Apache-2.0 */
#include "device/backend/uring_queue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

#define ENTRIES 64u
/* Since Linux 5.19. Completions then wait for the leader's next system call, and do not interrupt it. */
#define NEWER_SETUP_FLAGS IORING_SETUP_COOP_TASKRUN
#define SUBMIT_AT_ONCE_BYTES                                                                                           \
    (64u * 1024u) /* such a write takes so long that its leader can prepare the next one meanwhile */
#define SLOT_BITS 8

static int sysctl_disables(void) {
    FILE *file = fopen("/proc/sys/kernel/io_uring_disabled", "re");
    int value = 0;
    if (file != NULL) {
        if (fscanf(file, "%d", &value) != 1)
            value = 0;
        fclose(file);
    }
    return value;
}

int uring_refuse(const struct device *device, int failure, const char *why, const char *fix) {
    error_set(failure, "io=%s cannot be used: %s; %s, or choose io=pwrite (ring %s)", device->ops->name, why, fix,
              device->path);
    errno = failure;
    return -failure;
}

static int refuse_ring(const struct uring *uring, int failure) {
    char why[160];
    const int disabled = failure == EPERM ? sysctl_disables() : 0;
    snprintf(why, sizeof(why), "io_uring_setup gives %s", error_name(failure));
    if (disabled > 0)
        snprintf(why, sizeof(why), "io_uring is forbidden by kernel.io_uring_disabled=%d", disabled);
    return uring_refuse(&uring->direct.device, failure, why,
                        disabled > 0                             ? "set it to 0 with sysctl"
                        : failure == ENOMEM                      ? "raise RLIMIT_MEMLOCK"
                        : failure == ENOSYS || failure == EINVAL ? "use a kernel and a sandbox (seccomp) that have it"
                                                                 : "allow it in the sandbox (seccomp) of this process");
}

int uring_queue_open(struct uring *uring, unsigned int setup_flags) {
    int result = io_uring_queue_init(ENTRIES, &uring->ring, setup_flags | NEWER_SETUP_FLAGS);
    if (result == -EINVAL)
        result = io_uring_queue_init(ENTRIES, &uring->ring, setup_flags);
    if (result < 0)
        return refuse_ring(uring, -result);
    uring->is_set_up = 1;
    io_uring_ring_dontfork(&uring->ring); /* a child has nothing to submit here */
    return 0;
}

/* The oldest completion that has arrived, or NULL. Makes no system call. */
static struct io_uring_cqe *completion_of(struct io_uring *ring) {
    struct io_uring_cqe *completion;
    return io_uring_cq_ready(ring) > 0 && io_uring_peek_cqe(ring, &completion) == 0 ? completion : NULL;
}

int uring_run_alone(struct uring *uring) {
    for (int attempts = 0;;) {
        int result = io_uring_submit_and_wait(&uring->ring, 1);
        struct io_uring_cqe *completion = completion_of(&uring->ring);
        if (completion != NULL) {
            result = completion->res;
            io_uring_cqe_seen(&uring->ring, completion);
            return result;
        }
        if (result < 0 && !direct_worth_repeating(&uring->direct, -result, &attempts))
            return result;
    }
}

/* From 2.4 to 2.8 liburing forgets the second half of the long entries: still mapped, they would keep the io_uring in the kernel. */
static void unmap_long_entries(struct io_uring *ring) {
#if defined(IO_URING_VERSION_MAJOR) && IO_URING_VERSION_MAJOR == 2 && IO_URING_VERSION_MINOR < 9
    if (ring->flags & IORING_SETUP_SQE128)
        munmap(ring->sq.sqes + ring->sq.ring_entries, ring->sq.ring_entries * sizeof(struct io_uring_sqe));
#else
    (void)ring;
#endif
}

void uring_queue_close(struct uring *uring) {
    if (!uring->is_set_up)
        return;
    /* This comes first: the kernel frees the io_uring some time later, and until then a registered file would keep the
     * lock on the medium. */
    if (uring->file_is_registered)
        io_uring_unregister_files(&uring->ring);
    if (uring->buffers > 0)
        io_uring_unregister_buffers(&uring->ring);
    unmap_long_entries(&uring->ring);
    io_uring_queue_exit(&uring->ring);
}

static int is_passing(int result) {
    return result == -EAGAIN || result == -EINTR;
}

/* Notes that one command of the write has ended, or that submit has queued them all. */
static void let_go(struct uring *uring, struct uring_write *slot, int result) {
    if (result < 0 && (slot->result == 0 || is_passing(slot->result)))
        slot->result = result;
    if (--slot->commands > 0)
        return;
    struct device_write *write = slot->write;
    slot->write = NULL;
    if (is_passing(slot->result))
        slot->result = direct_write_durably(&uring->direct, write->offset, write->data, write->bytes);
    direct_done(&uring->direct, write, slot->result);
}

static uint64_t tag(unsigned int slot, size_t bytes) {
    return (uint64_t)bytes << SLOT_BITS | slot;
}

static struct uring_write *slot_of(struct uring *uring, uint64_t command) {
    return &uring->writes[command & ((1u << SLOT_BITS) - 1)];
}

/* Takes back the commands that the kernel has not taken, as if it had answered EAGAIN. liburing has no call for this:
 * its fields become what they were before these commands were queued. */
static void take_back(struct uring *uring) {
    struct io_uring_sq *queue = &uring->ring.sq;
    const unsigned int shift = uring->ring.flags & IORING_SETUP_SQE128 ? 1 : 0;
    const unsigned int first = queue->sqe_tail - io_uring_sq_ready(&uring->ring);
    for (unsigned int at = first; at != queue->sqe_tail; at++)
        let_go(uring, slot_of(uring, queue->sqes[(at & queue->ring_mask) << shift].user_data), -EAGAIN);
    queue->sqe_head = queue->sqe_tail = first;
    io_uring_smp_store_release(queue->ktail, first);
}

/* The kernel neither completes the writes under way nor says why. So they fail. */
static void lose(struct uring *uring, int failure) {
    uring->is_lost = 1;
    for (unsigned int i = 0; i < URING_DEPTH; i++) {
        if (uring->writes[i].write != NULL) {
            direct_done(&uring->direct, uring->writes[i].write, -failure);
            uring->writes[i].write = NULL;
        }
    }
}

/* Gives the kernel what is queued, and waits for `wanted` completions or a signal. */
static void push(struct uring *uring, unsigned int wanted) {
    for (int attempts = 0;;) {
        const int result = io_uring_submit_and_wait(&uring->ring, wanted);
        if (result >= 0 || (io_uring_sq_ready(&uring->ring) == 0 && is_passing(result)))
            return;
        if (io_uring_sq_ready(&uring->ring) == 0) {
            lose(uring, -result);
            return;
        }
        if (!direct_worth_repeating(&uring->direct, -result, &attempts)) {
            take_back(uring);
            return;
        }
    }
}

static struct io_uring_sqe *next_command(struct uring *uring) {
    struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring);
    if (sqe == NULL) {
        push(uring, 0);
        sqe = io_uring_get_sqe(&uring->ring);
    }
    return sqe;
}

static void queue_commands(struct uring *uring, unsigned int number, const struct device_write *write) {
    struct uring_write *slot = &uring->writes[number];
    for (size_t done = 0; done < write->bytes && slot->result == 0;) {
        const size_t left = write->bytes - done;
        const size_t bytes = left < uring->command_bytes ? left : uring->command_bytes;
        struct io_uring_sqe *sqe = next_command(uring);
        if (sqe == NULL) {
            slot->result = -EAGAIN;
            return;
        }
        uring->prepare(uring, sqe, write->offset + done, (const uint8_t *)write->data + done, bytes);
        sqe->user_data = tag(number, bytes);
        slot->commands++;
        done += bytes;
    }
}

void uring_submit(struct device *device, struct device_write *write) {
    struct uring *uring = uring_of(device);
    unsigned int number = 0;
    while (number < URING_DEPTH && uring->writes[number].write != NULL)
        number++;
    if (number == URING_DEPTH || uring->is_lost) {
        direct_done(&uring->direct, write,
                    direct_write_durably(&uring->direct, write->offset, write->data, write->bytes));
        return;
    }
    struct uring_write *slot = &uring->writes[number];
    *slot = (struct uring_write){.write = write, .commands = 1}; /* stays taken until all of its commands are queued */
    queue_commands(uring, number, write);
    let_go(uring, slot, 0);
    if (write->bytes >= SUBMIT_AT_ONCE_BYTES)
        push(uring, 0);
}

static int is_any_under_way(const struct uring *uring) {
    for (unsigned int i = 0; i < URING_DEPTH; i++) {
        if (uring->writes[i].write != NULL)
            return 1;
    }
    return 0;
}

/* Takes a completion that has arrived. Makes no system call: push does. */
static int take_completion(struct uring *uring) {
    struct io_uring_cqe *completion = completion_of(&uring->ring);
    if (completion == NULL)
        return 0;
    const uint64_t command = completion->user_data;
    const int result = uring->meaning(uring, completion->res, (size_t)(command >> SLOT_BITS));
    io_uring_cqe_seen(&uring->ring, completion);
    let_go(uring, slot_of(uring, command), result);
    return 1;
}

struct device_write *uring_complete(struct device *device) {
    struct uring *uring = uring_of(device);
    for (;;) {
        struct device_write *write = direct_complete(&uring->direct);
        if (write != NULL || !is_any_under_way(uring))
            return write;
        if (!take_completion(uring))
            push(uring, 1);
    }
}
