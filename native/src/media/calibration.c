/* SPDX-License-Identifier: Apache-2.0 */
#include "media/calibration.h"

#include "base/crc32c.h"

#define FEW_WRITES 100u

static uint32_t calibration_crc(const struct calibration *calibration, uint32_t crc_seed) {
    return crc32c(crc_seed, calibration, offsetof(struct calibration, crc));
}

void calibration_seal(struct calibration *calibration, uint32_t crc_seed) {
    calibration->magic = CALIBRATION_MAGIC;
    calibration->crc = calibration_crc(calibration, crc_seed);
}

const struct calibration_engine *calibration_of(const struct calibration *calibration, uint32_t io) {
    for (uint32_t i = 0; i < calibration->engine_count; i++) {
        if (calibration->engines[i].io == io) {
            return &calibration->engines[i];
        }
    }
    return NULL;
}

int calibration_is_valid(const struct calibration *calibration, uint32_t crc_seed) {
    return calibration->magic == CALIBRATION_MAGIC && calibration->crc == calibration_crc(calibration, crc_seed) &&
           calibration->engine_count <= CALIBRATION_ENGINES_MAX &&
           calibration_of(calibration, calibration->io) != NULL &&
           calibration_of(calibration, calibration->io)->writes > 0;
}

/* Other load on the medium makes the times scatter more than engines differ, above all on a slow medium. */
static int is_clearly_less(const struct calibration_engine *engine, const struct calibration_engine *first) {
    const int are_few = engine->writes < FEW_WRITES || first->writes < FEW_WRITES;
    return engine->p50_ns < first->p50_ns - first->p50_ns / (are_few ? 2 : 10) &&
           3ull * engine->faster >= 2ull * engine->writes;
}

const struct calibration_engine *calibration_choose(const struct calibration *calibration) {
    const struct calibration_engine *best = NULL, *first = &calibration->engines[0];
    for (uint32_t i = 0; i < calibration->engine_count; i++) {
        const struct calibration_engine *engine = &calibration->engines[i];
        if (engine->writes > 0 && (best == NULL || engine->p50_ns < best->p50_ns)) {
            best = engine;
        }
    }
    return best != NULL && first->writes > 0 && !is_clearly_less(best, first) ? first : best;
}
