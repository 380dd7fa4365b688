/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a signed archive, which an archiver may add to meanwhile.
 *
 * DESIGN. A head covers files that stay: full ones under their names, partial ones with their width in the name. The
 * archiver deletes a partial file only after a newer head is there. So what a head covers is looked for under its partial
 * name, then under its full one, then as a newer head names it. If there is no newer head, a copy that was taken meanwhile
 * may have the last payloads in a partial file of a head that it has not; else they are missing.
 *
 * Leaves and heads are believed as they stand: burstlog-archive verify proves them. A payload is compared with the
 * SHA-256 in its leaf, so damage of what is bulky is found where it is read.
 */
#ifndef BURST_READ_SIGNED_FILES_H
#define BURST_READ_SIGNED_FILES_H

#include "burstlog.h"
#include "read/signed_leaf.h"
#include "read/unpack.h"

struct signed_files {
    int folder;
    char path[BURST_PATH_BYTES];
    uint64_t size;   /* leaves under the newest head that was looked at */
    uint64_t opened; /* files */
    struct signed_bundle bundle;
    uint64_t bundle_number; /* of the leaves in `bundle`; UINT64_MAX: none */
    size_t bundle_room;
    struct {
        struct unpacked file;
        char name[SIGNED_NAME_BYTES]; /* "": none is open */
        uint64_t number;              /* of the bundle whose frame is read; UINT64_MAX: none */
        uint64_t at;                  /* where that frame begins in the file */
        unsigned leaves;              /* whose payloads it has */
        uint8_t *bytes;               /* of the payload that was read last */
        size_t room;
    } payload;
};

/* Whether the folder is, or was, a signed archive. */
int signed_files_are(const char *path);

/* Opens the folder. Returns 0, or -errno with a sentence. It can be closed in each case. */
int signed_files_open(struct signed_files *files, const char *path);

/* Reads the head again. Returns whether there are more leaves than before, or -errno with a sentence. */
int signed_files_look(struct signed_files *files);

/* Reads a leaf below `size`; what it points to is valid until the next call. Returns 0, or -errno with a sentence. */
int signed_files_leaf(struct signed_files *files, uint64_t index, struct signed_leaf *leaf);

/* A payload is as it was archived; it was erased; or no file has it. */
enum signed_payload { SIGNED_THERE, SIGNED_ERASED, SIGNED_NOWHERE };

/* Reads the payload of a leaf into payload.bytes. Returns an enum signed_payload, or -errno with a sentence. */
int signed_files_payload(struct signed_files *files, uint64_t index);

/* Sets the sentence that no file has the payload of this leaf. Returns its -errno. */
int signed_files_no_payload(const struct signed_files *files, uint64_t index);

void signed_files_close(struct signed_files *files);

#endif
