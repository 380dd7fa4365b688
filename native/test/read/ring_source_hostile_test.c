/* SPDX-License-Identifier: Apache-2.0 */
/* A window of a log that lies: the linker puts a sight with any records and gaps in the place of a real one. */
#include "read/ring_source.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "media/record.h"
#include "read/sight.h"

#define CAPACITY_BYTES (64u * 1024u)
#define SEED 7u

static _Alignas(8) uint8_t image[CAPACITY_BYTES];
static uint64_t end;
static struct walk_gap gap;
static struct sight sight;

static int watermark(struct sight *self, uint64_t *position, uint64_t *sequence) {
    (void)self;
    *position = end;
    *sequence = 100;
    return 0;
}

static uint64_t floor_of(const struct sight *self) {
    (void)self;
    return 0;
}

static int copy(struct sight *self, uint64_t position, void *out, size_t bytes) {
    (void)self;
    memcpy(out, image + position, bytes);
    return 0;
}

static int oldest(struct sight *self, struct sight_place *place) {
    (void)self;
    *place = (struct sight_place){.position = 0};
    return 0;
}

static int is_outdated(struct sight *self, uint64_t position) {
    (void)self, (void)position;
    return 0;
}

static uint64_t generation; /* of the checkpoint */

static int get_checkpoint(struct sight *self, uint8_t *out) {
    (void)self;
    const struct stream_state state = {.outlet.length = 10 * generation};
    const struct stream_state *const states[] = {&state};
    const struct checkpoint_facts facts = {.generation = generation, .epoch = 1};
    checkpoint_encode(&facts, states, 1, SEED, out, LAYOUT_CHECKPOINT_BYTES);
    return (int)checkpoint_size(states, 1);
}

static void close_sight(struct sight *self) {
    (void)self;
}

static const struct sight_ops ops = {.watermark = watermark,
                                     .floor = floor_of,
                                     .copy = copy,
                                     .oldest = oldest,
                                     .checkpoint = get_checkpoint,
                                     .is_outdated = is_outdated,
                                     .close = close_sight};

int __wrap_sight_of_window(const struct platform *platform, const char *path, uint32_t wait, struct device *medium,
                           struct sight **out);
int __wrap_sight_window_is_over(const struct sight *self);

int __wrap_sight_of_window(const struct platform *platform, const char *path, uint32_t wait, struct device *medium,
                           struct sight **out) {
    (void)platform, (void)path, (void)wait, (void)medium;
    sight.ops = &ops;
    sight.shape = (struct walk_shape){.capacity_bytes = CAPACITY_BYTES, .block_bytes = 4096, .line_bytes = 64};
    sight.crc_seed = SEED;
    sight.epoch = 1;
    *out = &sight;
    return 0;
}

int __wrap_sight_window_is_over(const struct sight *self) {
    (void)self;
    return 0;
}

/* A whole record with a payload of zeros. */
static void put(uint64_t position, uint64_t sequence, uint32_t length) {
    struct record_header *header = (struct record_header *)(image + position);
    *header = (struct record_header){
        .position = position, .sequence = sequence, .length = length, .type = RECORD_DATA, .epoch = 1};
    header->payload_crc = crc32c(0, header + 1, length);
    header->header_crc = crc32c(SEED, header, RECORD_CRC_COVERS);
    end = end > position + record_bytes(length) ? end : position + record_bytes(length);
}

static struct read_source *open_source(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/dev/shm/burst-hostile-XXXXXX"};
    char *folder = mkdtemp(address.sun_path);
    assert_non_null(folder);
    strcat(address.sun_path, "/w");
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    const struct ring_source_config config = {.ring = address.sun_path, .stream = BURST_ALL_STREAMS};
    struct read_source *source;
    assert_int_equal(ring_source_open(&platform_linux, &config, &source), 0);
    close(fd);
    unlink(address.sun_path);
    *strrchr(address.sun_path, '/') = '\0';
    rmdir(address.sun_path);
    return source;
}

static int begin(void **state) {
    (void)state;
    memset(image, 0, sizeof image);
    end = 0;
    sight = (struct sight){.ops = &ops};
    return 0;
}

static void assert_next(struct read_source *source, int64_t sequence) {
    burst_read_t record = {.struct_bytes = sizeof record};
    assert_int_equal(source->ops->next(source, &record), 1);
    assert_int_equal(record.sequence, sequence);
}

static void sequences_that_go_back_are_refused(void **state) {
    (void)state;
    burst_read_t record = {.struct_bytes = sizeof record};
    put(0, 5, 8);
    put(64, 5, 8);
    put(128, 9, 8);
    struct read_source *source = open_source();
    assert_next(source, 5);
    for (int again = 0; again < 2; again++) { /* and nothing behind them is given */
        assert_int_equal(source->ops->next(source, &record), -EUCLEAN);
        assert_non_null(strstr(error_text(), "record 5 at position 64, behind record 5"));
    }
    assert_int_equal(source->ops->seek(source, BURST_FROM_OLDEST, 0), 0);
    assert_next(source, 5);
    source->ops->close(source);
}

static void a_gap_within_a_record_does_not_lead_back_into_it(void **state) {
    (void)state;
    burst_read_t record = {.struct_bytes = sizeof record};
    put(0, 1, 1024 - RECORD_HEADER_BYTES);
    put(1024, 2, 8);
    gap = (struct walk_gap){.from = 256, .to = 512, .first_sequence = 7, .count = 1, .damaged = 1};
    sight.gaps = &gap;
    sight.gap_count = 1;
    struct read_source *source = open_source();
    assert_next(source, 1);
    assert_next(source, 2);
    assert_int_equal(source->ops->next(source, &record), 0);
    source->ops->close(source);
}

/* While the newest one is written, only the one before it is whole. */
static void an_older_checkpoint_is_not_taken(void **state) {
    (void)state;
    struct stream_state stream;
    put(0, 1, 8);
    struct read_source *source = open_source();
    static const struct { uint64_t generation, length; } looks[] = {{4, 40}, {5, 50}, {4, 50}, {5, 50}, {6, 60}};
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        generation = looks[i].generation;
        assert_int_equal(ring_source_look(source), 0);
        assert_int_equal(ring_source_streams(source), 1);
        ring_source_stream(source, 0, &stream);
        assert_int_equal(stream.outlet.length, looks[i].length);
    }
    source->ops->close(source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sequences_that_go_back_are_refused, begin),
        cmocka_unit_test_setup(a_gap_within_a_record_does_not_lead_back_into_it, begin),
        cmocka_unit_test_setup(an_older_checkpoint_is_not_taken, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
