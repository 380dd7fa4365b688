/* SPDX-License-Identifier: Apache-2.0 */
/* The door of a window that has no log behind it. */
#ifndef BURST_TEST_WINDOW_DOOR_FIXTURE_H
#define BURST_TEST_WINDOW_DOOR_FIXTURE_H

#include "log_fixture.h"
#include "media/record.h"
#include "window/attach.h"
#include "window/door.h"
#include "window/memory.h"

static struct window_memory memory;
static struct window *window;
static struct events events;
static struct event_count commits;
static struct door *door;
static char socket_path[256];
static _Atomic int awaited;
static void (*in_commit)(void); /* the door's thread calls it when it awaits a commit; NULL: it does so */

static void await_commit(void *argument, uint64_t above_position, int64_t timeout_ns) {
    (void)argument, (void)above_position;
    if (in_commit != NULL) {
        in_commit();
        return;
    }
    atomic_fetch_add(&awaited, 1);
    const uint32_t ticket = event_count_register(&commits);
    event_count_wait(&commits, &platform_linux, ticket, timeout_ns);
}

static _Atomic int filled;

static int fill_figures(void *log, struct figures *figures) {
    assert_ptr_equal(log, &filled);
    figures->bytes = sizeof *figures;
    figures->commits = (uint64_t)atomic_fetch_add(&filled, 1) + 1;
    return 1;
}

static int try_to_open(uint32_t mode) {
    const struct door_host host = {.platform = &platform_linux,
                                   .events = &events,
                                   .ring = "/ring",
                                   .await_commit = await_commit,
                                   .fill_figures = fill_figures,
                                   .log = &filled,
                                   .commits = &commits};
    const int fd = window_memory_seal(&memory);
    assert_true(fd >= 0);
    const int rc = door_open(door, &host, folder, mode, window, fd);
    if (rc == 0) {
        snprintf(socket_path, sizeof socket_path, "%s/%s", folder, door->name);
    }
    return rc;
}

static int begin(void **state) {
    struct device device = {.platform = &platform_linux, .mapping = (const uint8_t *)""};
    make_folder(state);
    events_init(&events, &platform_linux);
    window_memory_init(&memory);
    window = memory.maker.make(&memory.maker, &device, 1 << 20);
    assert_non_null(window);
    *window->head = (struct window_head){.magic = WINDOW_MAGIC,
                                         .version = WINDOW_VERSION,
                                         .head_bytes = sizeof *window->head,
                                         .window_bytes = WINDOW_PAGES_BYTES,
                                         .capacity_bytes = 1 << 20,
                                         .data_offset = LAYOUT_DATA_OFFSET,
                                         .block_bytes = 4096,
                                         .checkpoint_offset = WINDOW_CHECKPOINT_OFFSET,
                                         .figures_offset = WINDOW_FIGURES_OFFSET,
                                         .epoch = 7,
                                         .uuid = {0xab, 1, 2}};
    window_seal(window, crc_seed_of(window->head->uuid));
    door = calloc(1, sizeof *door);
    atomic_store(&awaited, 0);
    return 0;
}

static int end(void **state) {
    window_memory_close(&memory);
    free(door);
    events_close(&events);
    return remove_folder(state);
}

#endif
