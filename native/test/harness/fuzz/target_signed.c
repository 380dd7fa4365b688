/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A signed archive of which bytes of each file are changed, or files are cut or gone. A reader ends, and gives no leaf
 * twice or before an earlier one. A record that it gives has the payload that was archived, as long as no leaf was
 * changed; if nothing was changed it gives every record.
 */
#include "harness/fuzz/violation.h"
#include "read/signed_source.h"
#include "signed_archive.h"

#include "base/error.h"

#define LEAVES_MOST 700u
#define POKES 8u
#define READS_MOST 2000

enum target { HEAD, FULL_LEAVES, LAST_LEAVES, FULL_PAYLOADS, LAST_PAYLOADS, TARGETS };

struct poke {
    uint8_t target, what; /* what: 0 a byte; 1 the length; 2 gone; 3 all of it */
    uint8_t value;
    uint8_t reserved;
    uint32_t at;
};

struct leaf {
    uint8_t kind, length, time, count;
};

struct input {
    uint16_t leaves;
    uint8_t pokes, seeks;
    int64_t values[3];
    struct leaf pattern[16];
    struct poke poke[POKES];
    uint8_t raw[256];
};

_Static_assert(sizeof(struct input) == 416, "scripts/prove/fuzz has the length");

static char folder[64];
static struct written_archive *archive;
static uint64_t leaves;
static int is_whole, has_its_leaves;
static struct { uint8_t kind, length; } written[LEAVES_MOST + 1];

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    MUST(system(command) == 0);
}

static void make_archive(const struct input *input) {
    static const uint8_t kinds[] = {1, 1, 1, 1, 2, 3, 4, 16, 18};
    remove_folder();
    free(archive);
    archive = written_begin(folder);
    const unsigned count = input->leaves % LEAVES_MOST;
    written[0].kind = 16;
    for (unsigned i = 1; i <= count; i++) {
        const struct leaf *from = &input->pattern[i % 16];
        const uint8_t kind = kinds[from->kind % sizeof kinds];
        const size_t length = kind == 1 ? from->length % 200 : 0;
        uint8_t payload[200];
        memset(payload, 'a' + (int)(i % 26), sizeof payload);
        written[i].kind = kind;
        written[i].length = (uint8_t)length;
        written_add(archive,
                    (struct written_leaf){.kind = kind,
                                          .sequence = kind < 4 ? (int64_t)i : 0,
                                          .time = from->time,
                                          .count = from->count,
                                          .text = kind == 16   ? "key: a\n"
                                                  : kind == 18 ? "first: 0\nlast: 65535\n"
                                                               : NULL},
                    payload, length);
    }
    written_commit(archive);
    leaves = archive->size;
    is_whole = has_its_leaves = 1;
}

static const char *path_of(enum target target) {
    const unsigned width = (unsigned)(leaves % 256);
    switch (target) {
    case HEAD:
        return written_path(archive, "checkpoint");
    case FULL_LEAVES:
        return written_path(archive, "tile/entries/000");
    case LAST_LEAVES:
        return written_path(archive, "tile/entries/%s.p/%u", written_group(leaves / 256), width);
    case FULL_PAYLOADS:
        return written_path(archive, "payload/000.zst");
    default:
        return written_path(archive, "payload/000.p/%u.zst", (unsigned)leaves);
    }
}

static void change(const struct input *input, const struct poke *poke) {
    const enum target target = (enum target)(poke->target % TARGETS);
    const char *path = path_of(target);
    struct stat status;
    if (stat(path, &status) < 0) {
        return;
    }
    const int fd = open(path, O_RDWR);
    MUST(fd >= 0);
    const off_t at = status.st_size == 0 ? 0 : (off_t)(poke->at % (uint64_t)status.st_size);
    uint8_t byte = 0;
    switch (poke->what % 4) {
    case 0:
        MUST(pread(fd, &byte, 1, at) <= 1);
        byte ^= poke->value;
        MUST(pwrite(fd, &byte, 1, at) == 1);
        break;
    case 1:
        MUST(ftruncate(fd, at) == 0);
        break;
    case 2:
        MUST(unlink(path) == 0);
        break;
    default:
        MUST(ftruncate(fd, 0) == 0 && pwrite(fd, input->raw, sizeof input->raw, 0) == sizeof input->raw);
    }
    MUST(close(fd) == 0);
    is_whole = 0;
    has_its_leaves &= target >= FULL_PAYLOADS;
}

/* Returns how many leaves came. */
static unsigned read_on(struct read_source *source, int from_the_first) {
    burst_read_t record = {.struct_bytes = sizeof record};
    uint64_t next = 0;
    unsigned count = 0;
    int rc = 1;
    for (; count < READS_MOST && (rc = source->ops->next(source, &record)) == 1; count++) {
        MUST(record.position >= next && record.place == BURST_PLACE_ARCHIVE && record.sequence >= 0);
        next = record.position + 1;
        MUST(record.kind != BURST_READ_LINE && record.kind <= BURST_READ_ERASED);
        MUST((record.data != NULL && record.kind <= BURST_READ_ROLL) || record.length == 0);
        static volatile uint8_t last;
        if (record.length > 0) {
            last = ((const uint8_t *)record.data)[record.length - 1];
        }
        (void)last;
        if (has_its_leaves && record.kind == BURST_READ_RECORD) {
            MUST(record.position < leaves && record.length == written[record.position].length);
            for (size_t i = 0; i < record.length; i++) {
                MUST(((const uint8_t *)record.data)[i] == 'a' + (int)(record.position % 26));
            }
        }
        MUST(!is_whole || record.kind != BURST_READ_ERASED);
    }
    MUST(rc >= 0 || (!is_whole && error_text()[0] != '\0'));
    if (is_whole && from_the_first) {
        unsigned expected = 0;
        for (uint64_t i = 0; i < leaves; i++) {
            expected += written[i].kind < 16;
        }
        MUST(rc == 0 && count == expected);
    }
    return count;
}

static void read_all(const struct input *input) {
    static const enum burst_read_from froms[] = {BURST_FROM_LAST, BURST_FROM_SEQUENCE, BURST_FROM_TIME,
                                                 BURST_FROM_OLDEST};
    struct read_source *source;
    if (signed_source_open(&platform_linux, folder, &source) < 0) {
        MUST(!is_whole && error_text()[0] != '\0');
        return;
    }
    const unsigned all = read_on(source, 1);
    for (unsigned i = 0; i < 3; i++) {
        const enum burst_read_from from = froms[input->seeks >> 2 * i & 3];
        const int64_t value = input->values[i] & (from == BURST_FROM_TIME ? -1 : INT64_MAX);
        burst_reader_state_t state = {.struct_bytes = sizeof state};
        if (source->ops->seek(source, from, value) < 0) {
            MUST(!is_whole && error_text()[0] != '\0');
            continue;
        }
        source->ops->state(source, &state);
        const unsigned count = read_on(source, 0);
        MUST(!is_whole || count <= all);
        MUST(!is_whole || from != BURST_FROM_LAST || count == (value < all ? (unsigned)value : all));
    }
    source->ops->close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct input input;
    if (folder[0] == '\0') {
        strcpy(folder, "/dev/shm/burst-fuzz-XXXXXX");
        MUST(mkdtemp(folder) != NULL);
        atexit(remove_folder);
    }
    memset(&input, 0, sizeof input);
    memcpy(&input, data, size < sizeof input ? size : sizeof input);
    make_archive(&input);
    for (unsigned i = 0; i < input.pokes % (POKES + 1); i++) {
        change(&input, &input.poke[i]);
    }
    read_all(&input);
    return 0;
}

/* The fields are all that a change can mean: no other mutator knows more. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    (void)seed;
    return LLVMFuzzerMutate(data, size, room);
}
