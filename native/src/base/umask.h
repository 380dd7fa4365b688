/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BURST_BASE_UMASK_H
#define BURST_BASE_UMASK_H

#include <stdint.h>

/* Returns the bits of 0666 that the umask of the process leaves, without a change of the umask, which all threads share. 0: not known: a
 * kernel before 4.7 does not tell it, nor does a host without /proc. */
uint32_t umask_leaves(void);

#endif
