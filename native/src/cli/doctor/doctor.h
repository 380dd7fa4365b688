/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `burstlog doctor`: what on this host makes a log slow or unsteady. A check reads its evidence and adds one result: in
 * order, a finding, or unknown because the evidence cannot be read. No check changes anything.
 */
#ifndef BURST_CLI_DOCTOR_H
#define BURST_CLI_DOCTOR_H

#include <stdint.h>

#include "cli/doctor/host.h"

enum verdict { VERDICT_IN_ORDER, VERDICT_UNKNOWN, VERDICT_FINDING };
enum severity { SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };

struct result {
    const char *id; /* "cpu.governor"; stable */
    enum verdict verdict;
    enum severity severity;
    char evidence[768]; /* the file, and what it says */
    char cost[512];     /* what that does to latency: how much, and who says so */
    char mend[512];     /* commands, one a line */
};

#define DOCTOR_RESULTS 96

struct doctor {
    struct host host;
    struct device_location ring; /* path "" if none was named */
    struct device_location log;  /* the log file */
    uint64_t ring_bytes;         /* of the image in memory; 0 if unknown */
    int ring_failure;            /* 0, or why this user cannot read the ring */
    int pid;                     /* of the process that writes the ring, or that was named; 0 if none */
    char process[64];            /* its name */
    struct result results[DOCTOR_RESULTS];
    int count;
};

void doctor_in_order(struct doctor *doctor, const char *id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* hint: why the file may be missing, or NULL. */
void doctor_unknown(struct doctor *doctor, const char *id, const char *path, int failure, const char *hint);

/* Adds a finding with its evidence; the caller adds cost and mend. */
struct result *doctor_finding(struct doctor *doctor, const char *id, enum severity severity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void result_cost(struct result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
void result_mend(struct result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints all results, the costliest first. Returns the number of findings. */
int doctor_print(struct doctor *doctor, int json);

/* The cores that decide latency: the isolated ones, or, if there are none, all that are online. 0, or -errno with the
 * path that cannot be read in *unread. */
int doctor_latency_cpus(const struct doctor *doctor, cpu_set_t *cpus, const char **unread);

/* The NUMA node of the ring's disk and its cores. 1; 0 if the host has one node only or the disk is none of hardware;
 * -errno with the path that cannot be read. */
int doctor_device_node(const struct doctor *doctor, int *node, cpu_set_t *cpus, char *path);

typedef void doctor_check(struct doctor *doctor);

doctor_check doctor_check_cpus, doctor_check_threads, doctor_check_numa, doctor_check_memory, doctor_check_device,
    doctor_check_files, doctor_check_clock, doctor_check_load, doctor_check_jvm;

/* ------------------------------------------------------------------------------------------ other things to do */

struct jitter_request {
    double seconds;   /* of each core */
    const char *cpus; /* NULL: all that this process may use */
    int together;     /* all cores at once */
    int json;
};

/* Measures and prints; the exit code. doctor: for the disk's node, which may be unknown. */
int doctor_jitter(const struct doctor *doctor, const struct jitter_request *request);

struct verify_request {
    const char *path;
    const char *report; /* HOST:PORT or NULL */
    const char *listen; /* PORT or ADDRESS:PORT or NULL */
    uint32_t io;        /* serve: enum burst_io; auto: in turns all that auto may take */
    unsigned long long size;
    unsigned long long blocks; /* serve: end after so many; 0: never */
    unsigned long long last;   /* check: the last number reported */
    double seconds;            /* listen: end after so much silence; 0: never */
    int force;
    int json;
};

/* Prints the drive under request->path, and how long its durable writes take; `blocks` says how many. The exit code. */
int doctor_drive_report(const struct host *host, const struct verify_request *request);

/* The plug-pull test; each returns the exit code. */
int verify_serve(const struct verify_request *request);
int verify_check(const struct verify_request *request);
int verify_listen(const struct verify_request *request);

#endif
