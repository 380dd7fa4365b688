/* SPDX-License-Identifier: Apache-2.0 */
/* The two halves of survival.h share this. One follows files, the other block devices, and each calls the other. */
#ifndef BURST_DEVICE_SURVIVAL_BLOCK_H
#define BURST_DEVICE_SURVIVAL_BLOCK_H

#include "device/host/survival.h"

#define SURVIVAL_DEPTH_MAX 8 /* media under media, at most */

void conclude(struct survival *survival, int survives, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Sets *survival to `other` if that is weaker, or if nothing is known yet. */
void weaken(struct survival *survival, const struct survival *other);

void survival_of_block_under(const char *root, dev_t number, int depth, struct survival *survival);
void survival_of_path_under(const char *root, const char *path, int depth, struct survival *survival);

#endif
