/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show.h"

#include "burstlog.h"
#include "cli/cli.h"
#include "device/open.h"

static int show(struct device *device, int json, show_print *print) {
    struct engine_view *view;
    int rc = engine_view_open(&platform_linux, device, &view);
    if (rc < 0) {
        return cli_failed(rc);
    }
    struct report report;
    report_begin(&report, stdout, json);
    rc = print(&report, device, view);
    report_end(&report);
    const int damaged = view->recovery.lost > 0 || view->unreadable_bytes > 0;
    engine_view_close(&platform_linux, view);
    return rc < 0 ? cli_failed(rc) : damaged ? EXIT_DAMAGE : EXIT_OK;
}

int show_ring(int argc, char **argv, const char *usage, const char *about, show_print *print) {
    int json;
    const char *path;
    int code = cli_read_ring(argc, argv, usage, about, &json, &path);
    if (code != CLI_GO_ON) {
        return code;
    }
    struct device *device;
    const int rc = device_open(&platform_linux, path, DEVICE_READ_ONLY, BURST_IO_AUTO, &device);
    if (rc < 0) {
        return cli_failed(rc);
    }
    code = show(device, json, print);
    device_close(device);
    return code;
}
