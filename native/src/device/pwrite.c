/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend `pwrite`: submit does the write, complete hands it back. One system call a commit, and the thread that
 * commits waits for the medium in it: with a fast medium nothing is shorter.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/direct.h"

static void pwrite_submit(struct device *device, struct device_write *write) {
    struct direct *direct = direct_of(device);
    direct_done(direct, write, direct_write_durably(direct, write->offset, write->data, write->bytes));
}

static struct device_write *pwrite_complete(struct device *device) {
    return direct_complete(direct_of(device));
}

static void pwrite_close(struct device *device) {
    direct_end(direct_of(device));
    free(device);
}

static const struct device_ops pwrite_ops = {
    .name = "pwrite",
    .image = direct_image,
    .submit = pwrite_submit,
    .complete = pwrite_complete,
    .write = direct_write,
    .read = direct_read,
    .flush = direct_flush,
    .check = direct_check,
    .close = pwrite_close,
};

/* Everything but memory that can only be mapped. */
static int pwrite_suits(const struct medium *medium) {
    return medium->dax_align_bytes == 0;
}

static struct device *pwrite_attach(const struct platform *platform, const struct medium *medium, const char *path) {
    struct direct *direct = calloc(1, sizeof(*direct));
    if (direct == NULL) {
        error_set(errno = ENOMEM, "no memory to open %s", path);
        return NULL;
    }
    direct_begin(direct, BURST_IO_PWRITE, &pwrite_ops, platform, medium, path);
    return &direct->device;
}

const struct device_backend backend_pwrite = {
    .io = BURST_IO_PWRITE, .name = "pwrite", .suits = pwrite_suits, .attach = pwrite_attach};
