/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of `burstlog`. Each takes its own arguments (argv[0] is its name) and returns an exit code. */
#ifndef BURST_CLI_CLI_H
#define BURST_CLI_CLI_H

enum exit_code {
    EXIT_OK = 0,
    EXIT_DAMAGE = 1,
    EXIT_USAGE = 2,
    EXIT_REFUSED = 3, /* the request was refused, or another process holds the ring */
    EXIT_IO = 4,
};

int command_format(int argc, char **argv);
int command_cat(int argc, char **argv);
int command_tail(int argc, char **argv);
int command_grep(int argc, char **argv);
int command_where(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_info(int argc, char **argv);
int command_recover(int argc, char **argv);
int command_drain(int argc, char **argv);
int command_report(int argc, char **argv);
int command_top(int argc, char **argv);
int command_spectrum(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_doctor(int argc, char **argv);

/* Prints the sentence of the last error. Returns the exit code for it. */
int cli_failed(int rc);

/* After writing to standard output failed, as errno says. Returns -EPIPE if nobody reads it any more, which is no error; else
 * -EIO with a sentence. Forgets the failure, so that it is told once. */
int cli_output_failed(void);

/* Prints `complaint: value` and the usage of the command. Returns EXIT_USAGE. value: NULL if the complaint needs
 * none. */
int cli_misused(const char *usage, const char *complaint, const char *value);

/* Reads [--json] [--window=FOLDER] RING. window: NULL if the command takes none; *window is NULL if none is given. Returns
 * CLI_GO_ON with the rest set, or the exit code. */
#define CLI_GO_ON (-1)
int cli_read_ring(int argc, char **argv, const char *usage, const char *about, int *json, const char **window,
                  const char **ring);

/* Parses "64M", "1 GB" or "4096" as bytes, in powers of 1024. Returns 0, or another value if the text is none of
 * these. */
int cli_parse_size(const char *text, unsigned long long *bytes);

#endif
