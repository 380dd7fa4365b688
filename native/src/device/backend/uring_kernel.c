/* SPDX-License-Identifier: Apache-2.0 */
#include "device/backend/uring_kernel.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int answer(long result) {
    return result < 0 ? -errno : (int)result;
}

static void *map_shared(int fd, size_t bytes, unsigned long long offset) {
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, (off_t)offset);
    if (map == MAP_FAILED)
        return NULL;
    madvise(map, bytes, MADV_DONTFORK); /* a child has nothing to submit here */
    return map;
}

static unsigned int *index_at(const struct kernel_queues *queues, unsigned int offset) {
    return (unsigned int *)(void *)(queues->queues + offset);
}

static int map_queues(struct kernel_queues *queues, const struct io_uring_params *made) {
    const size_t submissions = made->sq_off.array + made->sq_entries * sizeof(unsigned int);
    const size_t completions =
        made->cq_off.cqes + ((size_t)made->cq_entries * sizeof(struct io_uring_cqe) << queues->completion_shift);
    queues->queues_bytes = submissions > completions ? submissions : completions;
    queues->entries_bytes = (size_t)made->sq_entries * sizeof(struct io_uring_sqe) << queues->entry_shift;
    queues->queues = map_shared(queues->fd, queues->queues_bytes, IORING_OFF_SQ_RING);
    if (queues->queues == NULL)
        return -errno;
    queues->entries = map_shared(queues->fd, queues->entries_bytes, IORING_OFF_SQES);
    if (queues->entries == NULL)
        return -errno;
    queues->count = made->sq_entries;
    queues->taken = index_at(queues, made->sq_off.head);
    queues->given = index_at(queues, made->sq_off.tail);
    queues->seen = index_at(queues, made->cq_off.head);
    queues->ended = index_at(queues, made->cq_off.tail);
    queues->completion_mask = *index_at(queues, made->cq_off.ring_mask);
    queues->completions = (struct io_uring_cqe *)(void *)(queues->queues + made->cq_off.cqes);
    /* Which entry is in which place of the queue never changes: each in its own. */
    unsigned int *places = index_at(queues, made->sq_off.array);
    for (unsigned int i = 0; i < made->sq_entries; i++)
        places[i] = i;
    return 0;
}

int kernel_queues_open(struct kernel_queues *queues, unsigned int count, unsigned int setup_flags) {
    struct io_uring_params made = {.flags = setup_flags};
    memset(queues, 0, sizeof(*queues));
    queues->entry_shift = setup_flags & IORING_SETUP_SQE128 ? 1 : 0;
    queues->completion_shift = setup_flags & IORING_SETUP_CQE32 ? 1 : 0;
    queues->fd = answer(syscall(SYS_io_uring_setup, count, &made, 0, 0, 0, 0));
    if (queues->fd < 0)
        return queues->fd;
    const int result = made.features & IORING_FEAT_SINGLE_MMAP ? map_queues(queues, &made) : -ENOSYS;
    if (result < 0)
        kernel_queues_close(queues);
    return result;
}

void kernel_queues_close(struct kernel_queues *queues) {
    if (queues->entries != NULL)
        munmap(queues->entries, queues->entries_bytes);
    if (queues->queues != NULL)
        munmap(queues->queues, queues->queues_bytes);
    close(queues->fd);
}

unsigned int kernel_not_taken(const struct kernel_queues *queues) {
    return queues->filled - __atomic_load_n(queues->taken, __ATOMIC_ACQUIRE);
}

static struct io_uring_sqe *entry_at(const struct kernel_queues *queues, unsigned int index) {
    return &queues->entries[(index & (queues->count - 1)) << queues->entry_shift];
}

struct io_uring_sqe *kernel_next_entry(struct kernel_queues *queues) {
    if (kernel_not_taken(queues) == queues->count)
        return NULL;
    struct io_uring_sqe *entry = entry_at(queues, queues->filled++);
    memset(entry, 0, sizeof(*entry) << queues->entry_shift);
    return entry;
}

int kernel_enter(struct kernel_queues *queues, unsigned int wanted) {
    __atomic_store_n(queues->given, queues->filled, __ATOMIC_RELEASE);
    const unsigned int submitted = kernel_not_taken(queues);
    if (submitted == 0 && wanted == 0)
        return 0;
    return answer(
        syscall(SYS_io_uring_enter, queues->fd, submitted, wanted, wanted > 0 ? IORING_ENTER_GETEVENTS : 0, NULL, 0));
}

const struct io_uring_sqe *kernel_entry_not_taken(const struct kernel_queues *queues, unsigned int number) {
    return entry_at(queues, queues->filled - kernel_not_taken(queues) + number);
}

void kernel_taken_back(struct kernel_queues *queues) {
    queues->filled -= kernel_not_taken(queues);
    __atomic_store_n(queues->given, queues->filled, __ATOMIC_RELEASE);
}

const struct io_uring_cqe *kernel_completion(const struct kernel_queues *queues) {
    const unsigned int next = *queues->seen; /* nobody else writes it */
    if (next == __atomic_load_n(queues->ended, __ATOMIC_ACQUIRE))
        return NULL;
    return &queues->completions[(next & queues->completion_mask) << queues->completion_shift];
}

void kernel_seen(struct kernel_queues *queues) {
    __atomic_store_n(queues->seen, *queues->seen + 1, __ATOMIC_RELEASE);
}

int kernel_register(struct kernel_queues *queues, unsigned int what, const void *list, unsigned int count) {
    const int result = answer(syscall(SYS_io_uring_register, queues->fd, what, list, count, 0, 0));
    return result > 0 ? 0 : result;
}
