/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend `flush`: a plain write, then a flush of the medium's cache, on files too. It is for drives that claim
 * forced unit access (FUA) and do not do it: RWF_DSYNC relies on FUA, a flush does not. It is taken by name only,
 * since it is never faster.
 */
#include "device/backend/direct.h"

static const struct device_ops flush_ops = {
    .name = "flush",
    .image = direct_image,
    .submit = direct_submit,
    .complete = direct_complete_next,
    .write = direct_write,
    .read = direct_read,
    .flush = direct_flush,
    .check = direct_check,
    .close = direct_close,
};

static int flush_suits(const struct medium *medium) {
    (void)medium;
    return 0;
}

static struct device *flush_attach(const struct platform *platform, const struct medium *medium, const char *path) {
    struct medium flushed = *medium;
    flushed.flush_after = 1;
    return direct_make(DEVICE_IO_FLUSH, &flush_ops, platform, &flushed, path);
}

const struct device_backend backend_flush = {
    .io = DEVICE_IO_FLUSH, .name = "flush", .suits = flush_suits, .attach = flush_attach};
