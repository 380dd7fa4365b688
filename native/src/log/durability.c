/* SPDX-License-Identifier: Apache-2.0 */
#include "log/durability.h"

#include <errno.h>

#include "base/error.h"

static int weaker(const struct survival *one, const struct survival *other) {
    return one->survives > other->survives ? one->survives : other->survives;
}

int durability_check(int wanted, const char *ring, const struct survival *of_ring, const char *file_name,
                     const struct survival *of_file) {
    const int least = weaker(of_ring, of_file);
    const char *asked = survival_name(wanted), *have = survival_name(least);
    if (least <= wanted) {
        return 0;
    }
    if (of_file->survives <= wanted) {
        return error_set(EMEDIUMTYPE,
                         "ring %s survives %s only, not %s: %s; put the ring on another medium, or set "
                         "durability=\"%s\"",
                         ring, survival_name(of_ring->survives), asked, of_ring->because, have);
    }
    if (of_ring->survives <= wanted) {
        return error_set(EMEDIUMTYPE,
                         "log file %s survives %s only, not %s: %s; put it elsewhere, or set durability=\"%s\"",
                         file_name, survival_name(of_file->survives), asked, of_file->because, have);
    }
    return error_set(EMEDIUMTYPE,
                     "neither ring %.60s (survives %s: %.100s) nor log file %.60s (survives %s: %.100s) "
                     "survives %s; put them elsewhere, or set durability=\"%s\"",
                     ring, survival_name(of_ring->survives), of_ring->because, file_name,
                     survival_name(of_file->survives), of_file->because, asked, have);
}

int durability_check_stream(int wanted, const char *ring, const struct survival *of_ring,
                            const struct checked_stream *stream, uint32_t *least) {
    const char *const places[] = {stream->file_name, stream->segments.folder};
    int rc = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places && rc == 0; i++) {
        if (places[i][0] != '\0') {
            struct survival of_place;
            survival_of_place(places[i], &of_place);
            *least = (uint32_t)of_place.survives > *least ? (uint32_t)of_place.survives : *least;
            rc = durability_check(wanted, ring, of_ring, places[i], &of_place);
        }
    }
    return rc;
}
