/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the figures that an open log gives through its window. */
#ifndef BURST_LOG_FIGURES_H
#define BURST_LOG_FIGURES_H

#include "log/log.h"
#include "media/figures.h"

/* Fills the figures; only the thread of the door calls it. A log that is being closed keeps its last ones. log: a
 * burst_t. */
int log_fill_figures(void *log, struct figures *figures);

#endif
