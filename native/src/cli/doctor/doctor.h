/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `burstlog doctor`: finds everything on this host that makes a log slow or unsteady. A check reads its evidence and
 * adds one result: "in order", a finding, or "unknown" if the evidence cannot be read. No check changes anything.
 */
#ifndef BURST_CLI_DOCTOR_H
#define BURST_CLI_DOCTOR_H

#include <stdint.h>

#include "cli/doctor/host.h"

enum verdict { VERDICT_IN_ORDER, VERDICT_UNKNOWN, VERDICT_FINDING };
enum severity { SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };

struct result {
    const char *id; /* stable: "cpu.governor" */
    enum verdict verdict;
    enum severity severity;
    char evidence[768]; /* the file, and its content */
    char cost[512];     /* the effect on latency: how much, and the source */
    char mend[512];     /* commands, one in each line */
};

#define DOCTOR_RESULTS 96

struct doctor {
    struct host host;
    struct device_location ring; /* path "" if none was named */
    struct device_location log;  /* the log file */
    uint64_t ring_bytes;         /* size of the image in memory; 0: unknown */
    int ring_failure;            /* 0, or the -errno that this user gets when reading the ring */
    int pid;                     /* the process that writes the ring, or that the user named; 0: none */
    char process[64];            /* the process's name */
    struct result results[DOCTOR_RESULTS];
    int count;
};

void doctor_in_order(struct doctor *doctor, const char *id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a result "unknown". hint: why the file may be missing, or NULL. */
void doctor_unknown(struct doctor *doctor, const char *id, const char *path, int failure, const char *hint);

/* Adds a finding with its evidence. The caller adds cost and mend. */
struct result *doctor_finding(struct doctor *doctor, const char *id, enum severity severity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void result_cost(struct result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
void result_mend(struct result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints all results, the costliest first. Returns the number of findings. */
int doctor_print(struct doctor *doctor, int json);

/* The cores that decide latency: the isolated ones, or all that are online if none is isolated. Returns 0, or -errno
 * with the unreadable path in *unread. */
int doctor_latency_cpus(const struct doctor *doctor, cpu_set_t *cpus, const char **unread);

/* The NUMA node of the ring's disk, and its cores. Returns 1; 0 if the host has only one node or the disk is no
 * hardware; -errno with the unreadable path. */
int doctor_device_node(const struct doctor *doctor, int *node, cpu_set_t *cpus, char *path);

typedef void doctor_check(struct doctor *doctor);

doctor_check doctor_check_cpus, doctor_check_threads, doctor_check_numa, doctor_check_memory, doctor_check_device,
    doctor_check_files, doctor_check_clock, doctor_check_load, doctor_check_jvm;

/* ------------------------------------------------------------------------------------------ the other tasks */

struct jitter_request {
    double seconds;   /* duration for each core */
    const char *cpus; /* list of cores; NULL: all that this process may use */
    int together;     /* measure all cores at the same time */
    int json;
};

/* Measures hiccups and prints them. Returns the exit code. doctor: tells the disk's node, which may be unknown. */
int doctor_jitter(const struct doctor *doctor, const struct jitter_request *request);

struct slow_request {
    const char *folder; /* for ring and log file */
    const char *ring;   /* a blank block device; NULL: the ring is a file in the folder */
    double seconds;
    uint32_t io; /* enum burst_io */
    int force;
    int json;
};

/* Appends, and prints what held up the slowest. Returns the exit code. */
int doctor_slow_appends(const struct slow_request *request);

struct verify_request {
    const char *path;   /* the medium of the test; drive report: of one that was made on the drive, or NULL */
    const char *drive;  /* drive report: a folder on the drive, or its device */
    const char *report; /* HOST:PORT or NULL */
    const char *listen; /* PORT or ADDRESS:PORT or NULL */
    uint32_t io;        /* serve: enum burst_io; BURST_IO_AUTO takes in turns all engines that auto may choose */
    unsigned long long size;
    unsigned long long blocks; /* serve: end after so many blocks; 0: never */
    unsigned long long last;   /* check: the last number that was reported */
    double seconds;            /* listen: end after so many seconds of silence; 0: never */
    int force;
    int json;
};

/* Prints the drive under request->drive, how long its writes take, what the plug-pull test at request->path found, and
 * what a ring writes to it in a day; request->blocks is the number of writes. Returns the exit code. */
int doctor_drive_report(const struct host *host, const struct verify_request *request);

/* The plug-pull test. Each call returns the exit code. */
int verify_serve(const struct verify_request *request);
int verify_check(const struct verify_request *request);
int verify_listen(const struct verify_request *request);

/* Looks for the blocks up to request->last in the medium of a plug-pull test, as verify_check does, and says in a few
 * words what is lost. Returns 0, or -errno with a sentence. */
int verify_result(const struct verify_request *request, char *words, size_t room);

#endif
