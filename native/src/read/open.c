/* SPDX-License-Identifier: Apache-2.0 */
#include "read/open.h"

#include "read/ring_source.h"

int read_open(const struct platform *platform, const burst_reader_config_t *config, struct read_source **source) {
    const struct ring_source_config ring = {
        .ring = config->source, .window = config->window, .wait = config->wait, .stream = BURST_ALL_STREAMS};
    return ring_source_open(platform, &ring, source);
}
