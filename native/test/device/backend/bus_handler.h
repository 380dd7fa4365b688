/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka takes SIGBUS for itself before every test, and passes none on: tests of mapped rings take it back. */
#ifndef BURST_TEST_DEVICE_BUS_HANDLER_H
#define BURST_TEST_DEVICE_BUS_HANDLER_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/backend/bus_fault.h"

static struct sigaction bus_handler;

/* Called before cmocka runs a test. */
static inline void install_bus_handler(void) {
    static uint8_t byte;
    static _Atomic uint32_t lost_pages;
    struct guarded_range any = {.base = &byte, .bytes = 1, .page_bytes = 1, .lost_pages = &lost_pages};
    if (bus_fault_guard(&any) < 0)
        fail_msg("the handler cannot be installed");
    bus_fault_release(&any);
    sigaction(SIGBUS, NULL, &bus_handler);
}

static inline void take_bus_handler_back(void) {
    sigaction(SIGBUS, &bus_handler, NULL);
}

#endif
