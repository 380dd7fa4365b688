/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog cat` of a log that is on a block device. */
#ifndef BURST_CLI_CAT_DEVICE_H
#define BURST_CLI_CAT_DEVICE_H

/* Whether the device or file at the path has a log, as `burstlog format --destination` prepares one. */
int cat_device_is(const char *path);

/* Prints the log; argv as of the command. Returns the exit code. */
int cat_device(int argc, char **argv);

#endif
