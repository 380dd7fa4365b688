/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend `pwrite`: submit writes, complete hands the write back. A commit is one system call, in which the
 * leader waits for the medium: on a fast medium no way is shorter.
 */
#include "device/backend/direct.h"

static const struct device_ops pwrite_ops = {
    .name = "pwrite",
    .image = direct_image,
    .submit = direct_submit,
    .complete = direct_complete_next,
    .write = direct_write,
    .read = direct_read,
    .flush = direct_flush,
    .check = direct_check,
    .close = direct_close,
};

/* It suits every medium but memory that can only be mapped. */
static int pwrite_suits(const struct medium *medium) {
    return medium->dax_align_bytes == 0;
}

static struct device *pwrite_attach(const struct platform *platform, const struct medium *medium, const char *path) {
    return direct_make(DEVICE_IO_PWRITE, &pwrite_ops, platform, medium, path);
}

const struct device_backend backend_pwrite = {
    .io = DEVICE_IO_PWRITE, .name = "pwrite", .suits = pwrite_suits, .attach = pwrite_attach};
