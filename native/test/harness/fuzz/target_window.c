/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window whose log is hostile: any head, lines, starts, gaps, checkpoint and image, which change whenever the reader
 * looks. The window is made whole from a few numbers, then changed at any place; half of the changes come before the seals.
 * A reader ends when the changes do, gives records in order, all of them whole, and none that is longer than the ring.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "harness/fuzz/violation.h"
#include "media/record.h"
#include "media/window.h"
#include "read/ring_source.h"
#include "read/sight.h"
#include "window/protocol.h"

#define BLOCK_BYTES LAYOUT_MIN_BLOCK_BYTES
#define CAPACITY_BYTES (LAYOUT_MIN_CAPACITY_BLOCKS * BLOCK_BYTES)
#define IMAGE_OFFSET ((WINDOW_PAGES_BYTES + 4095) / 4096 * 4096)
#define MEMORY_BYTES (IMAGE_OFFSET + CAPACITY_BYTES)
#define RECORDS 24u
#define POKES 12u
#define CHANGES 24u
#define GAPS 4u
#define HELD 4u
#define STEPS_MOST 2000
#define CALLS_MOST 200000 /* of a sight, by one input: nobody hangs */

enum area { HEAD, LINES, STARTS, GAP_TABLE, CHECKPOINT, IMAGE, AREAS };

static const struct {
    uint32_t offset, bytes;
} areas[AREAS] = {
    [HEAD] = {0, sizeof(struct window_head)},
    [LINES] = {WINDOW_LINES_OFFSET, sizeof(struct window_lines)},
    [STARTS] = {WINDOW_STARTS_OFFSET, sizeof(struct window_starts)},
    [GAP_TABLE] = {WINDOW_GAPS_OFFSET, GAPS * sizeof(struct window_gap)},
    [CHECKPOINT] = {WINDOW_CHECKPOINT_OFFSET, 2048},
    [IMAGE] = {IMAGE_OFFSET, CAPACITY_BYTES},
};

/* 8 bytes at a place are set, moved or turned. */
struct poke {
    uint8_t area, how;
    uint16_t at;
    uint32_t small;
    int64_t value;
};

struct recipe {
    uint16_t length;
    uint8_t type, flags, epoch, stream;
    int16_t sequence;  /* added to the right one */
    uint32_t position; /* added to the right one; most are 0 */
};

struct gap {
    uint16_t from, bytes;
    int16_t sequence;
    uint8_t count, damaged;
};

struct input {
    uint8_t record_count, poke_count, late_count, change_count, gap_count, greeting, stream, seek_count;
    uint8_t seeks[4];
    uint32_t first; /* position of the first record, in lines */
    int64_t values[4];
    struct recipe records[RECORDS];
    struct gap gaps[GAPS];
    struct poke pokes[POKES];
    struct poke changes[CHANGES];
};

_Static_assert(sizeof(struct input) == 944, "scripts/prove/fuzz has the length");

static struct input input;
static char path[80];
static int window_fd = -1, listener = -1;
static uint8_t *memory;
static unsigned changed;
static int calls;

/* ----------------------------------------------------------------------------------------------------------- window */

static void poke(const struct poke *poke) {
    const unsigned area = poke->area % AREAS;
    uint8_t *at = memory + areas[area].offset + poke->at % (areas[area].bytes / 8) * 8;
    int64_t value;
    memcpy(&value, at, sizeof value);
    value = poke->how % 4 == 0   ? poke->value
            : poke->how % 4 == 1 ? (int64_t)((uint64_t)value + (uint64_t)(int32_t)poke->small)
            : poke->how % 4 == 2 ? value ^ poke->value
                                 : (int64_t)poke->small;
    memcpy(at, &value, sizeof value);
}

static void make_records(struct window *window, uint32_t crc_seed) {
    const struct walk_shape shape = {
        .capacity_bytes = CAPACITY_BYTES, .block_bytes = BLOCK_BYTES, .line_bytes = LAYOUT_LINE_BYTES};
    struct walk at = {.position = record_start(input.first % (1u << 20) * LAYOUT_LINE_BYTES, CAPACITY_BYTES),
                      .sequence = 1};
    uint8_t *image = memory + IMAGE_OFFSET;
    window_raise_floor(window, at.position);
    for (unsigned i = 0; i < input.record_count % (RECORDS + 1); i++) {
        const struct recipe *recipe = &input.records[i];
        const uint64_t left = lap_remaining(at.position, CAPACITY_BYTES);
        const uint64_t length = recipe->length % (left - RECORD_HEADER_BYTES + 1);
        struct record_header *header = (struct record_header *)(image + at.position % CAPACITY_BYTES);
        *header = (struct record_header){.position = at.position + recipe->position,
                                         .sequence = at.sequence + (uint64_t)recipe->sequence,
                                         .length = (uint32_t)length,
                                         .type = recipe->type % 8 == 7 ? RECORD_PAD : RECORD_DATA,
                                         .flags = recipe->flags % 8,
                                         .stream = recipe->stream % 3,
                                         .event_time_ns = recipe->sequence,
                                         .epoch = 1u + recipe->epoch};
        memset(header + 1, (int)i, length);
        header->payload_crc = crc32c(0, header + 1, length);
        header->header_crc = crc32c(crc_seed, header, RECORD_CRC_COVERS);
        window_put_start(window, at.position);
        at.sequence += header->type == RECORD_DATA;
        at.position = walk_end_of_record(&shape, at.position, header);
    }
    window_put_watermark(window, 2, at.position, at.sequence);
}

static void make_window(void) {
    memset(memory, 0, WINDOW_STARTS_OFFSET + sizeof(struct window_starts));
    memset(memory + WINDOW_CHECKPOINT_OFFSET, 0, 2048);
    memset(memory + IMAGE_OFFSET, 0, CAPACITY_BYTES);
    struct window window = window_at(memory);
    *window.head = (struct window_head){.magic = WINDOW_MAGIC,
                                        .version = WINDOW_VERSION,
                                        .head_bytes = sizeof *window.head,
                                        .uuid = "a ring",
                                        .window_bytes = MEMORY_BYTES,
                                        .capacity_bytes = CAPACITY_BYTES,
                                        .data_offset = LAYOUT_DATA_OFFSET,
                                        .block_bytes = BLOCK_BYTES,
                                        .line_bytes = LAYOUT_LINE_BYTES,
                                        .image_offset = IMAGE_OFFSET,
                                        .checkpoint_offset = WINDOW_CHECKPOINT_OFFSET,
                                        .figures_offset = WINDOW_FIGURES_OFFSET,
                                        .epoch = 1,
                                        .gap_count = input.gap_count % (GAPS + 1)};
    const uint32_t crc_seed = crc_seed_of(window.head->uuid);
    make_records(&window, crc_seed);
    uint64_t from = atomic_load(&window.lines->floor);
    for (unsigned i = 0; i < GAPS; i++) {
        const struct gap *gap = &input.gaps[i];
        from += gap->from / 8 * 8;
        window.gaps[i] = (struct window_gap){.from = from,
                                             .to = from + gap->bytes + 1u,
                                             .first_sequence = (uint64_t)(gap->sequence & INT16_MAX),
                                             .count = gap->count,
                                             .damaged = gap->damaged};
        from += gap->bytes + 1u;
    }
    for (unsigned i = 0; i < input.poke_count % (POKES + 1); i++) {
        poke(&input.pokes[i]);
    }
    window.head->gap_count %= WINDOW_GAPS_MAX + 1; /* so far the table goes that is sealed */
    window_seal(&window, crc_seed_of(window.head->uuid));
    for (unsigned i = 0; i < input.late_count % 4; i++) {
        poke(&input.pokes[POKES - 1 - i]);
    }
}

/* ------------------------------------------------------------------------------------------------------------ door */

/* One answer, as the input has it. Returns whether there was one. */
static int answer(int fd) {
    struct window_greeting greeting = {
        .magic = WINDOW_GREETING_MAGIC, .version = WINDOW_VERSION, .epoch = 1, .window_bytes = MEMORY_BYTES};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {.iov_base = &greeting, .iov_len = sizeof greeting};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    const uint8_t kind = input.greeting % 32;
    memcpy(CMSG_DATA(&control.header), kind == 1 ? &listener : &window_fd, sizeof window_fd);
    if (kind != 2) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    greeting.magic += kind == 3;
    part.iov_len = kind == 4 ? 5 : sizeof greeting;
    return kind != 5 && sendmsg(fd, &message, MSG_NOSIGNAL) > 0;
}

/* Holds the newest connections open: a reader has two at most. */
static void *serve(void *unused) {
    static int held[HELD];
    (void)unused;
    for (unsigned next = 0;; next = (next + 1) % HELD) {
        const int fd = accept(listener, NULL, NULL);
        MUST(fd >= 0);
        if (held[next] > 0) {
            close(held[next]);
        }
        held[next] = fd;
        if (!answer(fd)) {
            shutdown(fd, SHUT_RDWR);
        }
    }
    return NULL;
}

static void remove_socket(void) {
    unlink(path);
}

static void open_door(void) {
    pthread_t thread;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    window_fd = memfd_create("window", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    MUST(window_fd >= 0 && ftruncate(window_fd, (off_t)MEMORY_BYTES) == 0);
    memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, window_fd, 0);
    MUST(memory != MAP_FAILED && fcntl(window_fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    snprintf(path, sizeof path, "/dev/shm/burst-fuzz-%d.window", (int)getpid());
    unlink(path);
    strcpy(address.sun_path, path);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    MUST(listener >= 0 && bind(listener, (const struct sockaddr *)&address, sizeof address) == 0);
    MUST(listen(listener, 8) == 0 && pthread_create(&thread, NULL, serve, NULL) == 0 && pthread_detach(thread) == 0);
    atexit(remove_socket);
}

/* ----------------------------------------------------------------------------------------------------------- change */

/* The linker puts it before every sight of a window: what the reader looks at changes before it looks. */
int __real_sight_of_window(const struct platform *platform, const char *window, uint32_t wait, struct device *medium,
                           struct sight **sight);
int __wrap_sight_of_window(const struct platform *platform, const char *window, uint32_t wait, struct device *medium,
                           struct sight **sight);

static const struct sight_ops *real;

static void change(void) {
    MUST(++calls < CALLS_MOST);
    /* Every second look finds what the one before did. */
    if (calls % 2 == 0 && changed < input.change_count % (CHANGES + 1)) {
        poke(&input.changes[changed++]);
    }
}

static int changed_watermark(struct sight *sight, uint64_t *position, uint64_t *sequence) {
    change();
    return real->watermark(sight, position, sequence);
}

static uint64_t changed_floor(const struct sight *sight) {
    change();
    return real->floor(sight);
}

static int changed_copy(struct sight *sight, uint64_t position, void *out, size_t bytes) {
    change();
    MUST(bytes <= lap_remaining(position, sight->shape.capacity_bytes));
    return real->copy(sight, position, out, bytes);
}

int __wrap_sight_of_window(const struct platform *platform, const char *window, uint32_t wait, struct device *medium,
                           struct sight **sight) {
    static struct sight_ops ops;
    const int rc = __real_sight_of_window(platform, window, wait, medium, sight);
    if (rc == 0) {
        real = (*sight)->ops;
        ops = *real;
        ops.watermark = changed_watermark;
        ops.floor = changed_floor;
        ops.copy = changed_copy;
        (*sight)->ops = &ops;
    }
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------ read */

static int64_t now_ns;

/* Each look at the clock finds it 30 ms later: idle readers look for a newer window in every fourth one. */
static int64_t later_ns(const struct platform *platform) {
    (void)platform;
    return now_ns += 30000000;
}

static void read_on(struct read_source *source) {
    burst_read_t record = {.struct_bytes = sizeof record};
    int64_t sequence = 0;
    uint64_t position = 0;
    int rc = 1;
    for (int step = 0; step < STEPS_MOST && (rc = source->ops->next(source, &record)) == 1; step++) {
        if (record.kind == BURST_READ_RECORD || record.kind == BURST_READ_ROLL) {
            MUST(record.sequence > 0 && record.sequence >= sequence);
            MUST(record.position >= position && record.length <= CAPACITY_BYTES);
            MUST(record.length == 0 || crc32c(0, record.data, record.length) != 1);
            position = record.position + record_bytes(record.length);
            sequence = record.sequence + 1;
        } else {
            MUST(record.kind == BURST_READ_MISSED || record.kind == BURST_READ_LOST);
            MUST(record.sequence >= 0 && record.count > 0);
        }
    }
    MUST(rc >= 0 || error_text()[0] != '\0');
    MUST(rc <= 0); /* what is in a ring comes to an end */
}

static void read_window(const struct platform *platform) {
    static const enum burst_read_from froms[] = {BURST_FROM_OLDEST, BURST_FROM_LAST, BURST_FROM_SEQUENCE,
                                                 BURST_FROM_TIME};
    const struct ring_source_config config = {.ring = path,
                                              .wait = BURST_WAIT_SLEEP,
                                              .stream =
                                                  input.stream % 4 == 0 ? BURST_ALL_STREAMS : input.stream % 4 - 1u};
    struct read_source *source;
    if (ring_source_open(platform, &config, &source) < 0) {
        MUST(error_text()[0] != '\0');
        return;
    }
    read_on(source);
    for (unsigned i = 0; i < input.seek_count % (sizeof input.seeks + 1); i++) {
        const enum burst_read_from from = froms[input.seeks[i] % 4];
        const int64_t value = input.values[i] & (from == BURST_FROM_TIME ? -1 : INT64_MAX);
        uint64_t count;
        burst_reader_state_t state = {.struct_bytes = sizeof state};
        if (source->ops->seek(source, from, value) == 0) {
            ring_source_count(source, &count);
            read_on(source);
        }
        if (ring_source_look(source) == 0) {
            struct stream_state stream;
            for (unsigned at = 0; at < ring_source_streams(source); at++) {
                ring_source_stream(source, at, &stream);
            }
        }
        source->ops->state(source, &state);
        source->ops->wait(source, 1000);
    }
    source->ops->close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct platform_ops ops;
    const struct platform platform = {.ops = &ops};
    if (memory == NULL) {
        open_door();
    }
    ops = *platform_linux.ops;
    ops.monotonic_ns = later_ns;
    now_ns = 0;
    memset(&input, 0, sizeof input);
    memcpy(&input, data, size < sizeof input ? size : sizeof input);
    changed = 0;
    calls = 0;
    make_window();
    read_window(&platform);
    return 0;
}

/* The fields are all that a change can mean: no other mutator knows more. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    (void)seed;
    return LLVMFuzzerMutate(data, size, room);
}
