/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a running JVM's options: those of its command line, and those of the variables that the JVM reads, too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/doctor/doctor.h"

#define OPTIONS_BYTES (1u << 18)
#define OPTIONS_MAX 4096

struct jvm {
    char process[HOST_PATH_BYTES]; /* /proc path of its command line: the evidence */
    char environment[HOST_PATH_BYTES];
    int environment_failure; /* 0, or the -errno of reading its environment, where an option may stand */
    int version;             /* "17" for instance; 0: unknown */
    int count;
    const char *options[OPTIONS_MAX]; /* in the order in which the JVM takes them: the last one wins */
};

static void add_option(struct jvm *jvm, const char *option) {
    if (jvm->count < OPTIONS_MAX) {
        jvm->options[jvm->count++] = option;
    }
}

static int takes_a_value(const char *option) {
    static const char *const separate[] = {"-cp",           "-classpath",
                                           "--class-path",  "-p",
                                           "--module-path", "--upgrade-module-path",
                                           "--add-modules", "--enable-native-access",
                                           "--add-exports", "--add-opens",
                                           "--add-reads",   "--limit-modules",
                                           "--patch-module"};
    for (size_t i = 0; i < sizeof separate / sizeof separate[0]; i++) {
        if (strcmp(option, separate[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Adds the options before the main class or jar. The words behind that are the application's. */
static void add_command_line(struct jvm *jvm, char *text, size_t bytes) {
    for (char *at = text + strlen(text) + 1; at < text + bytes && (*at == '-' || *at == '@'); at += strlen(at) + 1) {
        add_option(jvm, at);
        if (takes_a_value(at)) {
            at += strlen(at) + 1;
        }
    }
}

static void add_variable(struct jvm *jvm, char *text, size_t bytes, const char *name) {
    const size_t length = strlen(name);
    for (char *at = text; at < text + bytes; at += strlen(at) + 1) {
        if (strncmp(at, name, length) != 0 || at[length] != '=') {
            continue;
        }
        char *rest = NULL, *end = at + strlen(at);
        for (char *word = strtok_r(at + length + 1, " \t\n", &rest); word != NULL;
             word = strtok_r(NULL, " \t\n", &rest)) {
            add_option(jvm, word);
        }
        at = end; /* each word is terminated from here on */
    }
}

/* The version of the JDK that the program belongs to. */
static int read_version(const struct doctor *doctor) {
    char link[2 * HOST_PATH_BYTES], target[PATH_MAX], directory[PATH_MAX], home[PATH_MAX], path[HOST_PATH_BYTES],
        text[4096];
    snprintf(link, sizeof link, "%s/proc/%d/exe", doctor->host.root, doctor->pid);
    const ssize_t length = readlink(link, target, sizeof target - 1);
    if (length <= 0) {
        return 0;
    }
    target[length] = '\0';
    if (path_directory(target, directory, sizeof directory) < 0 || path_directory(directory, home, sizeof home) < 0) {
        return 0;
    }
    snprintf(path, sizeof path, "%.4000s/release", home);
    static const char label[] = "JAVA_VERSION=\"";
    const char *at = host_read(&doctor->host, path, text, sizeof text) < 0 ? NULL : strstr(text, label);
    return at == NULL ? 0 : atoi(at + sizeof label - 1);
}

static int read_jvm(const struct doctor *doctor, struct jvm *jvm) {
    static char command[OPTIONS_BYTES], environment[OPTIONS_BYTES];
    memset(jvm, 0, sizeof *jvm);
    snprintf(jvm->process, sizeof jvm->process, "/proc/%d/cmdline", doctor->pid);
    snprintf(jvm->environment, sizeof jvm->environment, "/proc/%d/environ", doctor->pid);
    const int bytes = host_read(&doctor->host, jvm->process, command, sizeof command);
    if (bytes <= 0) {
        return bytes < 0 ? bytes : -ESRCH;
    }
    const int more = host_read(&doctor->host, jvm->environment, environment, sizeof environment);
    jvm->environment_failure = more < 0 ? more : 0;
    const size_t more_bytes = more < 0 ? 0 : (size_t)more;
    add_variable(jvm, environment, more_bytes, "JAVA_TOOL_OPTIONS");
    add_variable(jvm, environment, more_bytes, "JDK_JAVA_OPTIONS");
    add_command_line(jvm, command, (size_t)bytes);
    add_variable(jvm, environment, more_bytes, "_JAVA_OPTIONS");
    jvm->version = read_version(doctor);
    return 0;
}

/* The text behind this prefix in the last option that has it; NULL if none has. */
static const char *value_of(const struct jvm *jvm, const char *prefix) {
    const size_t length = strlen(prefix);
    for (int i = jvm->count - 1; i >= 0; i--) {
        if (strncmp(jvm->options[i], prefix, length) == 0) {
            return jvm->options[i] + length;
        }
    }
    return NULL;
}

/* The last of -XX:+Name and -XX:-Name: 1 or 0. Without either, the default. */
static int is_on(const struct jvm *jvm, const char *name, int by_default) {
    for (int i = jvm->count - 1; i >= 0; i--) {
        const char *option = jvm->options[i];
        if (strncmp(option, "-XX:", 4) == 0 && (option[4] == '+' || option[4] == '-') &&
            strcmp(option + 5, name) == 0) {
            return option[4] == '+';
        }
    }
    return by_default;
}

/* Whether options may stand in a place that this user cannot read. Then a missing option proves nothing, and the result
 * is "unknown". */
static int cannot_tell(struct doctor *doctor, const struct jvm *jvm, const char *id) {
    const char *file = value_of(jvm, "@");
    if (jvm->environment_failure == 0 && file == NULL && value_of(jvm, "-XX:Flags=") == NULL) {
        return 0;
    }
    if (jvm->environment_failure < 0) {
        doctor_unknown(doctor, id, jvm->environment, jvm->environment_failure,
                       "options may stand in JAVA_TOOL_OPTIONS there");
    } else {
        doctor_unknown(doctor, id, "the file of options that the command line names", -ENOTSUP,
                       "name them on the command line");
    }
    return 1;
}

/* Adds one result about an option that is missing, or given where it should not be. */
static void require(struct doctor *doctor, const struct jvm *jvm, int holds, const char *id, enum severity severity,
                    const char *what, const char *cost, const char *mend) {
    if (holds) {
        doctor_in_order(doctor, id, "%s: %s", jvm->process, mend);
    } else if (!cannot_tell(doctor, jvm, id)) {
        struct result *found = doctor_finding(doctor, id, severity, "%s: %s", jvm->process, what);
        result_cost(found, "%s", cost);
        result_mend(found, "java %s", mend);
    }
}

static void check_heap(struct doctor *doctor, const struct jvm *jvm) {
    const char *least = value_of(jvm, "-Xms"), *most = value_of(jvm, "-Xmx");
    char what[128];
    snprintf(what, sizeof what, "-Xms is %.30s, -Xmx is %.30s", least == NULL ? "not given" : least,
             most == NULL ? "not given" : most);
    const int touched = is_on(jvm, "AlwaysPreTouch", 0);
    require(doctor, jvm, least != NULL && most != NULL && strcasecmp(least, most) == 0, "jvm.heap_size",
            SEVERITY_MEDIUM, what,
            "A heap that grows or shrinks does so in a pause, and its new pages cost 0.1 to 0.25 us each (4 KB) when "
            "they are first touched.",
            "-Xms4g -Xmx4g    # the same for both");
    require(doctor, jvm, touched, "jvm.pretouch", SEVERITY_MEDIUM, "no -XX:+AlwaysPreTouch",
            "The first touch of each page of the heap traps into the kernel, which clears it: 0.1 to 0.25 us for 4 KB, "
            "50 to 200 us for a huge page, in the middle of the first events.",
            "-XX:+AlwaysPreTouch");
    if (is_on(jvm, "UseTransparentHugePages", 0)) {
        require(doctor, jvm, touched, "jvm.huge_pages", SEVERITY_LOW,
                "-XX:+UseTransparentHugePages without -XX:+AlwaysPreTouch",
                "Huge pages save time later, but each one is cleared, 50 to 200 us, when an event first touches it.",
                "-XX:+UseTransparentHugePages -XX:+AlwaysPreTouch");
    }
}

static void check_collector(struct doctor *doctor, const struct jvm *jvm) {
    static const char *const fit[] = {"UseG1GC", "UseZGC", "UseShenandoahGC", "UseEpsilonGC"};
    for (size_t i = 0; i < sizeof fit / sizeof fit[0]; i++) {
        if (is_on(jvm, fit[i], 0)) {
            doctor_in_order(doctor, "jvm.gc", "%s: -XX:+%s", jvm->process, fit[i]);
            return;
        }
    }
    const int is_chosen = is_on(jvm, "UseParallelGC", 0) || is_on(jvm, "UseSerialGC", 0);
    require(
        doctor, jvm, 0, "jvm.gc", SEVERITY_MEDIUM,
        is_chosen ? "a collector that stops all threads (Serial or Parallel)"
                  : "no collector is chosen: it is Serial where the JVM sees one processor or less than 2 GB",
        "All threads stop until the heap is collected. The p99.9 of a gateway's orders was 1.5 to 3.1 times as long "
        "with Parallel as with G1, and no shorter with ZGC or Shenandoah (two processors, heap of 128 MB; "
        "scripts/bench/all --full jvm, 2026-11-22, docs/benchmarks.md).",
        "-XX:+UseG1GC");
}

/* Checks where the JVM's counters lie. On a disk, write-back of a page of them stops each thread that counts. */
static void check_perf_data(struct doctor *doctor, const struct jvm *jvm) {
    struct mount mount;
    const int known = mount_of_path(doctor->host.root, "/tmp", &mount) == 0;
    if (known && strcmp(mount.type, "tmpfs") == 0) {
        doctor_in_order(doctor, "jvm.perf_data", "/proc/self/mountinfo: /tmp is a tmpfs");
        return;
    }
    require(doctor, jvm, is_on(jvm, "PerfDisableSharedMem", 0) || !is_on(jvm, "UsePerfData", 1), "jvm.perf_data",
            SEVERITY_LOW, "no -XX:+PerfDisableSharedMem, and its hsperfdata file is not in memory",
            "At each safepoint the JVM writes to a mapped file; while the kernel writes that page to the disk all "
            "threads wait: seldom, then 1 ms to seconds.",
            "-XX:+PerfDisableSharedMem    # jps and jstat then do not see the process");
}

static void check_safepoints(struct doctor *doctor, const struct jvm *jvm) {
    static const char id[] = "jvm.safepoints";
    const char *interval = value_of(jvm, "-XX:GuaranteedSafepointInterval=");
    const int holds = interval != NULL ? atoi(interval) == 0 || atoi(interval) >= 60000 : jvm->version >= 25;
    if (interval == NULL && jvm->version == 0) {
        doctor_unknown(doctor, id, "the release file of its JDK", -ENOENT,
                       "older ones stop all threads once a second by default");
        return;
    }
    require(doctor, jvm, holds, id, SEVERITY_LOW, "no -XX:GuaranteedSafepointInterval=0",
            "Once a second all threads stop for housekeeping if nothing else has stopped them: 0.05 to 1 ms. (It is "
            "1000 ms in JDK 17, and off in JDK 25.)",
            "-XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0");
}

void doctor_check_jvm(struct doctor *doctor) {
    static struct jvm jvm;
    if (doctor->pid <= 0 || strcmp(doctor->process, "java") != 0) {
        return;
    }
    const int rc = read_jvm(doctor, &jvm);
    if (rc < 0) {
        doctor_unknown(doctor, "jvm.options", jvm.process, rc, NULL);
        return;
    }
    check_heap(doctor, &jvm);
    check_collector(doctor, &jvm);
    check_perf_data(doctor, &jvm);
    check_safepoints(doctor, &jvm);
    if (jvm.version >= 24) {
        require(doctor, &jvm, value_of(&jvm, "--enable-native-access") != NULL, "jvm.native_access", SEVERITY_LOW,
                "no --enable-native-access",
                "No latency: a warning at the start, and a later JDK refuses to load native code.",
                "--enable-native-access=ALL-UNNAMED");
    }
}
