/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log that asks the drain of another process for its streams, and is hostile: any head, gaps, watermark and requests in its
 * window, which change between any two things that the drain does. The drain is the real one, from the window to the page;
 * its streams are stand-ins. It touches nothing beside its list of folders, gets texts that end, closes what it has opened,
 * answers each entry for itself, and comes to an end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "device/open.h"
#include "harness/fuzz/exchange.h"
#include "harness/fuzz/violation.h"
#include "ledger/ledger.h"
#include "log/log_file_open.h"
#include "log/ring_drain_session.h"
#include "media/record.h"

#define BLOCK_BYTES LAYOUT_MIN_BLOCK_BYTES
#define CAPACITY_BYTES (LAYOUT_MIN_CAPACITY_BLOCKS * BLOCK_BYTES)
#define MEDIUM_BYTES (LAYOUT_DATA_OFFSET + CAPACITY_BYTES)
#define MEMORY_BYTES (WINDOW_IMAGE_OFFSET + CAPACITY_BYTES)
#define GAPS 4u
#define CALLS_MOST 10000 /* of the drain, by one input: nobody hangs */

static const char *const folders[] = {"/fuzz/logs", "/fuzz/one.log", "/fuzz/run"};
static const char *const everywhere[] = {"/"};

static struct requests_input input;
static struct ring_drain drain;
static struct device device;
static uint8_t pristine[MEDIUM_BYTES], medium[MEDIUM_BYTES];
static int window_fd = -1, short_fd = -1;
static struct window window;
static uint8_t *memory;
static unsigned changed;
static int calls, steps, adds, is_asked;
static unsigned entry_of[LAYOUT_STREAMS_MAX]; /* by id: the entry, plus 1, for which it is open */
static _Atomic uint32_t stop;

/* ------------------------------------------------------------------------------------------------------ the hostile log */

static struct stream_request *asked_by(unsigned entry) {
    return &window.requests->asked[entry % REQUESTS_MOST];
}

/* The rights of new files tell whose request a call is for. */
static void name_entries(void) {
    for (unsigned i = 0; i < WISHES; i++) {
        asked_by(input.wishes[i].entry)->file_mode = input.wishes[i].entry % REQUESTS_MOST;
    }
}

static void poke(const struct exchange_poke *poke) {
    uint8_t *at = memory; /* of the head */
    const struct wish *wish = &input.wishes[poke->area / 4 % WISHES];
    size_t bytes = sizeof *window.head;
    if (poke->area % 4 == 1) {
        at = (uint8_t *)asked_by(wish->entry);
        bytes = offsetof(struct stream_request, name) + 512;
    } else if (poke->area % 4 == 2) {
        at = (uint8_t *)asked_by(wish->entry) + offsetof(struct stream_request, path);
        bytes = LAYOUT_FILE_NAME_BYTES;
    } else if (poke->area % 4 == 3) {
        at = poke->area < 128 ? (uint8_t *)window.requests : (uint8_t *)window.lines;
        bytes = offsetof(struct stream_requests, asked);
    }
    int64_t value;
    at += poke->at % (bytes / 8) * 8;
    memcpy(&value, at, sizeof value);
    value = exchange_value(poke, value);
    memcpy(at, &value, sizeof value);
    name_entries();
}

/* Between any two things that the drain does. */
static void change(void) {
    MUST(++calls < CALLS_MOST);
    if (changed < input.change_count % (REQUEST_CHANGES + 1)) {
        poke(&input.changes[changed++]);
    }
    if (input.asks_for_ever % 4 == 1) {
        const uint64_t number = atomic_fetch_add(&window.requests->newest, 1) + 1;
        atomic_store(&asked_by(input.wishes[0].entry)->number, number);
    }
}

/* Without an end, the last character goes on over all that follows. */
static void put_text(char *to, size_t room, const char *from, size_t bytes, int is_endless) {
    const size_t length = strnlen(from, bytes);
    memcpy(to, from, length);
    memset(to + length, is_endless && length > 0 ? from[length - 1] : 0, room - length);
}

static void make_requests(void) {
    static unsigned used[WISHES];
    struct stream_requests *table = window.requests;
    for (unsigned i = 0; i < WISHES; i++) {
        memset(asked_by(used[i]), 0, sizeof(struct stream_request));
    }
    uint64_t newest = 0;
    for (unsigned i = 0; i < input.wish_count % (WISHES + 1); i++) {
        const struct wish *wish = &input.wishes[i];
        struct stream_request *asked = asked_by(used[i] = wish->entry);
        asked->has_segments = wish->has_segments;
        put_text(asked->name, sizeof asked->name, wish->segments, sizeof wish->segments, wish->is_endless & 4);
        put_text(asked->path, sizeof asked->path, wish->path, sizeof wish->path, wish->is_endless & 1);
        put_text(asked->segments, sizeof asked->segments, wish->segments, sizeof wish->segments, wish->is_endless & 2);
        put_text(asked->owner, sizeof asked->owner, wish->path, sizeof wish->path, wish->is_endless & 8);
        put_text(asked->group, sizeof asked->group, wish->path, sizeof wish->path, wish->is_endless & 16);
        atomic_store(&asked->wants, wish->wants);
        atomic_store(&asked->number, (uint64_t)wish->number);
        newest = wish->number > 0 && (uint64_t)wish->number > newest ? (uint64_t)wish->number : newest;
    }
    table->version = HANDOVER_VERSION + input.version % 16;
    table->io = input.io;
    atomic_store(&table->newest, newest + (uint64_t)input.newest);
    atomic_store(&table->syncs, 0);
    name_entries();
}

static void make_window(void) {
    memset(memory, 0, WINDOW_GAPS_OFFSET + GAPS * sizeof(struct window_gap));
    *window.head = (struct window_head){.magic = WINDOW_MAGIC,
                                        .version = WINDOW_VERSION,
                                        .head_bytes = sizeof *window.head,
                                        .window_bytes = MEMORY_BYTES,
                                        .capacity_bytes = CAPACITY_BYTES,
                                        .data_offset = LAYOUT_DATA_OFFSET,
                                        .block_bytes = BLOCK_BYTES,
                                        .image_offset = WINDOW_IMAGE_OFFSET,
                                        .checkpoint_offset = WINDOW_CHECKPOINT_OFFSET,
                                        .figures_offset = WINDOW_FIGURES_OFFSET,
                                        .epoch = 1,
                                        .gap_count = input.gap_count % (GAPS + 1),
                                        .requests_offset = WINDOW_REQUESTS_OFFSET};
    memcpy(window.head->uuid, drain.uuid, sizeof drain.uuid);
    for (unsigned i = 0; i < GAPS; i++) {
        const uint64_t from = i * input.gap_bytes;
        window.gaps[i] = (struct window_gap){.from = from, .to = from + input.gap_bytes, .count = 1};
    }
    window_put_watermark(&window, 2, input.watermark, 1);
    make_requests();
    for (unsigned i = 0; i < input.poke_count % (REQUEST_POKES + 1); i++) {
        poke(&input.pokes[i]);
    }
    window.head->gap_count %= GAPS + 1;
    window_seal(&window, crc_seed_of(window.head->uuid));
    for (unsigned i = 0; i < input.late_count % 4; i++) {
        poke(&input.pokes[REQUEST_POKES - 1 - i]);
    }
}

/* ------------------------------------------------------------------------------------------------------------ the host */

int __wrap_window_connect(const char *path, struct window_socket *socket, int *fd);
int __wrap_window_socket_is_over(const struct window_socket *socket, const char *path);
int __wrap_locks_is_held(const struct ring_locks *locks, enum locks_byte byte);
int __wrap_locks_is_named(const struct ring_locks *locks);
int __wrap_device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                       struct device **opened);
void __wrap_log_file_look(const char *path, struct log_file_before *before);
void __wrap_log_file_take_back(const struct log_file_before *before);
int __wrap_drainer_add_stream(struct drainer *drainer, const struct engine_stream *stream, uint16_t *id);
void __wrap_drainer_remove_stream(struct drainer *drainer, uint16_t id);
int __wrap_page_file_write(struct page_file *file, struct drain_page *page);

int __wrap_window_connect(const char *path, struct window_socket *socket, int *fd) {
    (void)path;
    socket->fd = -1;
    *fd = dup(input.is_short % 16 == 1 ? short_fd : window_fd);
    MUST(*fd >= 0);
    return 0;
}

int __wrap_window_socket_is_over(const struct window_socket *socket, const char *path) {
    (void)socket, (void)path;
    change();
    return ++steps > input.steps % 4;
}

int __wrap_locks_is_held(const struct ring_locks *locks, enum locks_byte byte) {
    (void)locks, (void)byte;
    return 1;
}

int __wrap_locks_is_named(const struct ring_locks *locks) {
    (void)locks;
    return 1;
}

int __wrap_device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                       struct device **opened) {
    (void)platform, (void)path;
    MUST(access == DEVICE_BESIDE && (io == DEVICE_IO_PWRITE || io == DEVICE_IO_FLUSH));
    MUST(window.requests->version == HANDOVER_VERSION); /* the window was judged */
    is_asked = 1;
    *opened = &device;
    return 0;
}

static void close_medium(struct device *closed) {
    MUST(closed == &device);
}

static int read_medium(struct device *from, uint64_t offset, void *data, size_t bytes) {
    (void)from;
    MUST(offset + bytes <= MEDIUM_BYTES);
    memcpy(data, medium + offset, bytes);
    return 0;
}

static int write_medium(struct device *to, uint64_t offset, const void *data, size_t bytes) {
    (void)to;
    MUST(offset + bytes <= MEDIUM_BYTES);
    memcpy(medium + offset, data, bytes);
    return 0;
}

static int flush_medium(struct device *flushed) {
    (void)flushed;
    return 0;
}

static int64_t now_ns;

static int64_t later_ns(const struct platform *platform) {
    (void)platform;
    return now_ns += 30000000;
}

static void pass_time(const struct platform *platform, int64_t ns) {
    (void)platform;
    now_ns += ns;
}

static uint64_t next_random(const struct platform *platform) {
    static uint64_t number;
    (void)platform;
    return ++number;
}

/* -------------------------------------------------------------------------------------------------------- what must be */

/* Whether the path, without its dots, is one of the list, or below one. */
static int is_on_the_list(const char *path) {
    static char plain[LAYOUT_FILE_NAME_BYTES + 1];
    size_t used = 0;
    if (path[0] != '/') {
        return 0;
    }
    for (const char *at = path; *at != '\0';) {
        const size_t slashes = strspn(at, "/"), length = strcspn(at + slashes, "/");
        const char *name = at + slashes;
        at = name + length;
        if (length == 2 && memcmp(name, "..", 2) == 0) {
            while (used > 0 && plain[--used] != '/') {
            }
        } else if (length > 0 && (length > 1 || name[0] != '.')) {
            plain[used++] = '/';
            memcpy(plain + used, name, length);
            used += length;
        }
    }
    plain[used] = '\0';
    int is_there = drain.below == everywhere;
    for (size_t i = 0; i < drain.below_count && !is_there; i++) {
        const size_t bytes = strlen(drain.below[i]);
        is_there = strncmp(plain, drain.below[i], bytes) == 0 && (plain[bytes] == '/' || plain[bytes] == '\0');
    }
    return is_there;
}

static void check_place(const char *path) {
    MUST(strnlen(path, LAYOUT_FILE_NAME_BYTES) < LAYOUT_FILE_NAME_BYTES);
    MUST(drain.below_count == 0 || is_on_the_list(path));
}

void __wrap_log_file_look(const char *path, struct log_file_before *before) {
    *before = (struct log_file_before){.is_missing = 1};
    snprintf(before->target, sizeof before->target, "%s", path);
    change();
}

void __wrap_log_file_take_back(const struct log_file_before *before) {
    check_place(before->target); /* it deletes there */
    change();
}

int __wrap_drainer_add_stream(struct drainer *drainer, const struct engine_stream *stream, uint16_t *id) {
    const unsigned entry = stream->new_file.mode;
    (void)drainer;
    check_place(stream->path);
    if (stream->segments != NULL) {
        check_place(stream->segments);
    }
    MUST(strnlen(stream->name, LAYOUT_STREAM_NAME_BYTES) < LAYOUT_STREAM_NAME_BYTES);
    const char *const texts[] = {stream->new_file.owner, stream->new_file.group};
    for (int i = 0; i < 2; i++) {
        MUST(texts[i] == NULL || strnlen(texts[i], REQUEST_OWNER_BYTES) < REQUEST_OWNER_BYTES);
    }
    change();
    if ((input.fails >> (adds++ % 8) & 1) != 0) {
        return error_set(EIO, "it cannot be opened");
    }
    unsigned free_id = 1;
    while (free_id < LAYOUT_STREAMS_MAX && entry_of[free_id] != 0) {
        MUST(entry_of[free_id++] != entry + 1); /* an entry has one stream */
    }
    if (free_id == LAYOUT_STREAMS_MAX) {
        return error_set(ENOSPC, "all are open");
    }
    entry_of[free_id] = entry + 1;
    *id = (uint16_t)free_id;
    return 0;
}

void __wrap_drainer_remove_stream(struct drainer *drainer, uint16_t id) {
    (void)drainer;
    MUST(id < LAYOUT_STREAMS_MAX && entry_of[id] != 0);
    entry_of[id] = 0;
    change();
}

/* The page that the log would read. */
int __wrap_page_file_write(struct page_file *file, struct drain_page *page) {
    page->change++;
    drain_page_seal(page, file->crc_seed);
    MUST(drain_page_is_valid(page, file->crc_seed));
    for (unsigned entry = 0; entry < REQUESTS_MOST; entry++) {
        const struct stream_answer *answer = &page->answers[entry];
        MUST(!answer->is_open || (answer->id < LAYOUT_STREAMS_MAX && entry_of[answer->id] == entry + 1));
        MUST(answer->is_open ? answer->rc == 0 : answer->rc <= 0);
        MUST(answer->rc == 0 || answer->text[0] != '\0');
    }
    for (unsigned id = 0; id < LAYOUT_STREAMS_MAX; id++) {
        MUST(entry_of[id] == 0 || page->answers[entry_of[id] - 1].is_open);
    }
    change();
    return 0;
}

/* A table that stands still is answered, all of it. */
static void check_answered(void) {
    if (changed > 0 || input.asks_for_ever % 4 == 1 || atomic_load(&window.requests->newest) == 0) {
        return;
    }
    for (unsigned i = 0; i < input.wish_count % (WISHES + 1); i++) {
        const unsigned entry = input.wishes[i].entry % REQUESTS_MOST;
        const struct stream_request *asked = asked_by(entry);
        const struct stream_answer *answer = &drain.page->answers[entry];
        const uint64_t number = atomic_load(&asked->number);
        if (number == 0 || number == UINT64_MAX || number > atomic_load(&window.requests->newest)) {
            continue; /* none yet; or none that was published */
        }
        MUST(atomic_load(&answer->number) == number);
        MUST(atomic_load(&asked->wants) == REQUEST_CLOSED ? !answer->is_open : answer->is_open || answer->rc < 0);
    }
}

/* ------------------------------------------------------------------------------------------------------------- the run */

static int make_memory(size_t bytes) {
    const int fd = memfd_create("window", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    MUST(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    return fd;
}

static void begin(const struct platform *platform) {
    static const struct device_ops ops = {
        .read = read_medium, .write = write_medium, .flush = flush_medium, .close = close_medium};
    static struct events events;
    device = (struct device){.ops = &ops,
                             .platform = platform,
                             .medium_bytes = MEDIUM_BYTES,
                             .block_bytes = BLOCK_BYTES,
                             .logical_block_bytes = 512,
                             .path = "/ring"};
    window_fd = make_memory(MEMORY_BYTES);
    short_fd = make_memory(WINDOW_PAGES_BYTES);
    memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, window_fd, 0);
    MUST(memory != MAP_FAILED && ledger_format(platform, &device, MEDIUM_BYTES) == 0);
    memcpy(pristine, medium, sizeof pristine);
    window = window_at(memory);
    window.requests = (struct stream_requests *)(memory + WINDOW_REQUESTS_OFFSET);
    drain = (struct ring_drain){.platform = platform,
                                .events = &events,
                                .stop = &stop,
                                .interval_ns = 1000000,
                                .ring = "/ring",
                                .window = "/window",
                                .locks = {.fd = -1},
                                .file = {.fd = -1}};
    memcpy(drain.uuid, ((const struct superblock *)(medium + LAYOUT_SUPERBLOCK_OFFSET(0)))->uuid, sizeof drain.uuid);
    pthread_mutex_init(&drain.drainer_lock, NULL);
    events_init(&events, platform);
    drain.page = platform_allocate(platform, sizeof *drain.page, PLATFORM_PLAIN);
    MUST(drain.page != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct platform_ops ops;
    static const struct platform platform = {.ops = &ops};
    if (memory == NULL) {
        ops = *platform_linux.ops;
        ops.monotonic_ns = later_ns;
        ops.sleep_ns = pass_time;
        ops.random = next_random;
        begin(&platform);
    }
    memset(&input, 0, sizeof input);
    memcpy(&input, data, size < sizeof input ? size : sizeof input);
    memcpy(medium + LAYOUT_CHECKPOINT_OFFSET(0), pristine + LAYOUT_CHECKPOINT_OFFSET(0),
           LAYOUT_CHECKPOINT_SLOTS * LAYOUT_CHECKPOINT_BYTES);
    memset(drain.page, 0, sizeof *drain.page);
    memset(entry_of, 0, sizeof entry_of);
    changed = 0;
    calls = steps = adds = is_asked = 0;
    drain.below = input.list % 8 == 1 ? everywhere : folders;
    drain.below_count = input.list % 8 == 0 ? 0 : input.list % 8 == 1 ? 1 : sizeof folders / sizeof folders[0];
    drain.syncs = 0;
    drain.page_ns = 0;
    make_window();
    error_set(0, "%s", "");
    const int rc = drain_session_beside(&drain);
    MUST(rc == 0 || (error_text()[0] != '\0' && strchr(error_text(), '\n') == NULL));
    MUST(rc != 0 || is_asked);
    if (rc == 0) {
        check_answered();
    }
    return 0;
}

/* The fields are all that a change can mean: no other mutator knows more. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    (void)seed;
    return LLVMFuzzerMutate(data, size, room);
}
