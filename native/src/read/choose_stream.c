/* SPDX-License-Identifier: Apache-2.0 */
#include "read/choose_stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "read/ring_source.h"

static int is_used(const struct stream_state *state) {
    return state->follows == 0 && state->outlet.path[0] != '\0';
}

static int is_named(const struct stream_state *state, const char *name, const char *path) {
    char number[8];
    snprintf(number, sizeof number, "%u", state->id);
    return strcmp(state->name, name) == 0 || strcmp(state->outlet.path, path) == 0 || strcmp(number, name) == 0;
}

int choose_stream(struct read_source *ring, const char *name, uint16_t *id) {
    char path[BURST_PATH_BYTES] = "", known[512] = "";
    struct stream_state state;
    unsigned used = 0, found = 0;
    int rc = ring_source_look(ring);
    if (rc < 0) {
        return name == NULL ? 0 : rc;
    }
    if (name != NULL && path_absolute(name, path, sizeof path) < 0) {
        path[0] = '\0';
    }
    for (unsigned i = 0; i < ring_source_streams(ring); i++) {
        ring_source_stream(ring, i, &state);
        if (state.follows != 0 || (!is_used(&state) && name == NULL)) {
            continue;
        }
        used += is_used(&state);
        if (name == NULL || is_named(&state, name, path)) {
            *id = state.id;
            found++;
        }
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%u (%.200s)", length == 0 ? "" : ", ", state.id,
                 state.name[0] != '\0' ? state.name : state.outlet.path);
    }
    return name == NULL ? used == 1
           : found > 0  ? 1
                        : error_set(ESRCH, "the ring has no stream %s; it has %s", name, known);
}
