/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog cat`. */
#include "cli/cat_device.h"
#include "cli/cli.h"
#include "cli/read.h"

static int print(void *argument, const burst_read_t *record) {
    return read_print(argument, record);
}

int command_cat(int argc, char **argv) {
    static const struct read_command command = {
        .usage = "burstlog cat [-f] [OPTION...] SOURCE",
        .about =
            "Prints a log from its beginning: archives, log file and ring in one view. For a log on a block device (burstlog\n"
            "format --destination), --from is a byte of it.\n"
            "  -f, --follow      go on with what comes\n",
        .options = "f"};
    struct read_options options;
    char **operands;
    if (argc > 1 && argv[argc - 1][0] != '-' && cat_device_is(argv[argc - 1])) {
        return cat_device(argc, argv);
    }
    const int code = read_arguments(argc, argv, &command, &options, &operands);
    return code != CLI_GO_ON ? code : read_log(&options, print, &options);
}
