/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/cli.h"
#include "cli/segments_folder.h"
#include "device/open.h"

static int is_damaged(const struct ring_view *view) {
    return view->recovery.lost > 0 || view->unreadable_bytes > 0;
}

/* Shows a ring that recovery refuses: prints the reason on stderr, and everything that can be shown without a
 * recovery. */
static int show_refused(struct device *device, int json, int rc, show_refused_print *print) {
    struct report report;
    const int code = cli_failed(rc);
    if (print != NULL) {
        char why[BURST_TEXT_BYTES * 2];
        snprintf(why, sizeof why, "%s", error_text());
        report_begin(&report, stdout, json);
        print(&report, device, why);
        report_end(&report);
    }
    return code;
}

static int show_device(struct device *device, int json, const struct show_command *command) {
    struct ring_view *view;
    int rc = ring_view_open(&platform_linux, device, &view);
    if (rc == -ENODATA && command->print_other != NULL) {
        char why[BURST_TEXT_BYTES];
        snprintf(why, sizeof why, "%s", error_text());
        const int shown = command->print_other(device, json);
        if (shown > 0) {
            return shown == 1 ? EXIT_OK : EXIT_DAMAGE;
        }
        error_set(ENODATA, "%s", why);
    }
    if (rc < 0) {
        return show_refused(device, json, rc, command->print_refused);
    }
    struct report report;
    report_begin(&report, stdout, json);
    rc = command->print(&report, device, view);
    int damaged = is_damaged(view) || rc > 0;
    if (rc >= 0 && ring_view_check(device, view) < 0) {
        report_text(&report, "refused", error_text());
        damaged = 1;
    }
    report_end(&report);
    ring_view_close(&platform_linux, view);
    return rc < 0 ? cli_failed(rc) : damaged ? EXIT_DAMAGE : EXIT_OK;
}

int show_ring(int argc, char **argv, const struct show_command *command) {
    int json;
    const char *path;
    int code = cli_read_ring(argc, argv, command->usage, command->about, &json, NULL, &path);
    if (code != CLI_GO_ON) {
        return code;
    }
    struct device *device;
    const int rc = device_open(&platform_linux, path, DEVICE_READ_ONLY, BURST_IO_AUTO, &device);
    if (rc < 0) {
        return cli_failed(segments_folder_explain(path, rc));
    }
    code = show_device(device, json, command);
    device_close(device);
    return code;
}
