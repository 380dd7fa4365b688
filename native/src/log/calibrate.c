/* SPDX-License-Identifier: Apache-2.0 */
#include "log/calibrate.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "device/backend/direct.h"
#include "device/host/identity.h"
#include "device/lock.h"
#include "device/measure.h"
#include "device/open.h"
#include "ledger/ledger.h"
#include "media/calibration.h"

/* The ledger of the device's ring, or NULL if the device does not hold all of it: the scratch places before the data may
 * then belong to others. */
static struct ledger *ledger_of(struct device *device) {
    struct ledger *ledger;
    if (ledger_read(device->platform, device, &ledger) < 0) {
        ledger_close(ledger);
        return NULL;
    }
    return ledger;
}

int device_calibration(struct device *device, struct calibration *calibration) {
    struct ledger *ledger = ledger_of(device);
    const int is_there = ledger != NULL && notes_read_calibration(ledger_notes(ledger), calibration);
    ledger_close(ledger);
    return is_there;
}

static void add(char *text, size_t text_bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add(char *text, size_t text_bytes, const char *format, ...) {
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, text_bytes - used, format, arguments);
    va_end(arguments);
}

void calibration_sentence(const struct calibration *calibration, char *text, size_t text_bytes) {
    const struct calibration_engine *chosen = calibration_of(calibration, calibration->io);
    text[0] = '\0';
    add(text, text_bytes, "p50 %.1f us", (double)chosen->p50_ns / 1000);
    int others = 0;
    for (uint32_t i = 0; i < calibration->engine_count; i++) {
        const struct calibration_engine *engine = &calibration->engines[i];
        if (engine->io == chosen->io)
            continue;
        add(text, text_bytes, "%s", others++ == 0 ? " against " : ", ");
        if (engine->writes == 0)
            add(text, text_bytes, "%s, which failed", device_io_name(engine->io));
        else
            add(text, text_bytes, "%.1f us of %s%s", (double)engine->p50_ns / 1000, device_io_name(engine->io),
                engine->p50_ns < chosen->p50_ns ? " (no clear gain)" : "");
    }
    const time_t seconds = calibration->measured_ns / 1000000000;
    struct tm at;
    char time_text[32] = "";
    if (gmtime_r(&seconds, &at) != NULL)
        strftime(time_text, sizeof(time_text), "%Y-%m-%dT%H:%M:%SZ", &at);
    add(text, text_bytes, " (measured %s)", time_text);
}

static uint32_t crc_of_text(const char *text) {
    return crc32c(0, text, strlen(text));
}

/* Makes another device on the same open description, under the same lock. */
static struct device *attach_beside(const struct direct *direct, const struct device_backend *backend) {
    struct medium medium = direct->medium;
    medium.fd = lock_duplicate(direct->medium.fd);
    if (medium.fd < 0) {
        error_set(-medium.fd, "no descriptor for io=%s (ring %s): %s", backend->name, direct->device.path,
                  error_name(-medium.fd));
        return NULL;
    }
    struct device *device = backend->attach(direct->device.platform, &medium, direct->device.path);
    if (device == NULL)
        lock_close(medium.fd);
    return device;
}

void device_open_engines(struct device *first, struct measured_engine *engines, uint32_t *count, char *fallback,
                         size_t fallback_bytes) {
    const struct direct *direct = direct_of(first);
    *count = 0;
    for (size_t i = 0; device_backends[i] != NULL && *count < CALIBRATION_ENGINES_MAX; i++) {
        const struct device_backend *backend = device_backends[i];
        if (backend->suits == NULL || !backend->suits(&direct->medium))
            continue;
        struct device *device = attach_beside(direct, backend);
        if (device != NULL && device->survives > direct->device.survives) {
            device_close(device); /* refuses less than was asked for, however fast */
        } else if (device != NULL) {
            engines[(*count)++] = (struct measured_engine){.io = backend->io, .device = device};
        } else {
            add(fallback, fallback_bytes, "%s%s", fallback[0] != '\0' ? "; " : "", error_text());
        }
    }
}

static int holds(const struct calibration *recorded, const struct calibration *now) {
    if (recorded->kernel_crc != now->kernel_crc || recorded->device_crc != now->device_crc ||
        recorded->engine_count != now->engine_count)
        return 0;
    for (uint32_t i = 0; i < now->engine_count; i++) {
        if (calibration_of(recorded, now->engines[i].io) == NULL)
            return 0;
    }
    return 1;
}

static void describe(const struct direct *direct, const struct measured_engine *engines, uint32_t count,
                     struct calibration *calibration) {
    char text[IDENTITY_BYTES];
    memset(calibration, 0, sizeof(*calibration));
    calibration->engine_count = count;
    for (uint32_t i = 0; i < count; i++)
        calibration->engines[i].io = engines[i].io;
    calibration->write_bytes = direct->device.block_bytes;
    identity_of_kernel(text, sizeof(text));
    calibration->kernel_crc = crc_of_text(text);
    identity_of_medium(&direct->medium, text, sizeof(text));
    calibration->device_crc = crc_of_text(text);
}

/* Fills *calibration. Returns 0 if no engine could be measured. */
static int settle(struct device *device, struct ledger *ledger, struct measured_engine *engines,
                  struct calibration *calibration, int anew) {
    struct calibration recorded;
    if (!anew && notes_read_calibration(ledger_notes(ledger), &recorded) && holds(&recorded, calibration)) {
        *calibration = recorded;
        return 1;
    }
    measure_engines(device->platform, engines, calibration->engine_count, CALIBRATE_BUDGET_NS);
    for (uint32_t i = 0; i < calibration->engine_count; i++) {
        calibration->engines[i].writes = engines[i].writes;
        calibration->engines[i].faster = engines[i].faster;
        calibration->engines[i].p50_ns = engines[i].p50_ns;
        calibration->engines[i].p99_ns = engines[i].p99_ns;
    }
    const struct calibration_engine *chosen = calibration_choose(calibration);
    if (chosen == NULL)
        return 0;
    calibration->io = chosen->io;
    calibration->measured_ns = platform_realtime_ns(device->platform);
    notes_write_calibration(ledger_notes(ledger), calibration);
    return 1;
}

/* Returns 0 if the device stays as it is, because the other engine can no longer be opened. */
static int exchange(struct device **device, uint32_t io) {
    if (io == (*device)->io)
        return 1;
    struct device *other = attach_beside(direct_of(*device), device_backend_of(io));
    if (other == NULL)
        return 0;
    device_close(*device);
    *device = other;
    return 1;
}

void device_calibrate(struct device **device, int anew) {
    struct ledger *ledger = (*device)->io == DEVICE_IO_PWRITE ? ledger_of(*device) : NULL;
    if (ledger == NULL)
        return;
    struct measured_engine engines[CALIBRATION_ENGINES_MAX];
    struct calibration calibration;
    uint32_t count;
    char fallback[DEVICE_FALLBACK_BYTES], because[DEVICE_BECAUSE_BYTES];
    snprintf(fallback, sizeof(fallback), "%s", (*device)->fallback);
    device_open_engines(*device, engines, &count, fallback, sizeof(fallback));
    describe(direct_of(*device), engines, count, &calibration);
    snprintf(because, sizeof(because), "no other engine that auto takes works here");
    uint32_t io = DEVICE_IO_PWRITE;
    if (count > 1) {
        snprintf(because, sizeof(because), "no engine could be measured");
        if (settle(*device, ledger, engines, &calibration, anew)) {
            calibration_sentence(&calibration, because, sizeof(because));
            io = calibration.io;
        }
    }
    ledger_close(ledger);
    for (uint32_t i = 0; i < count; i++)
        device_close(engines[i].device);
    if (!exchange(device, io))
        snprintf(because, sizeof(because), "%s", error_text());
    snprintf((*device)->fallback, sizeof((*device)->fallback), "%s", fallback);
    snprintf((*device)->chosen_because, sizeof((*device)->chosen_because), "%s", because);
}
