/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/doctor/doctor.h"
#include "cli/report.h"

#define LINE_COLUMNS 116

static struct result *add_result(struct doctor *doctor, const char *id, enum verdict verdict) {
    if (doctor->count == DOCTOR_RESULTS) {
        abort(); /* a table that is too small is a bug of this program */
    }
    struct result *result = &doctor->results[doctor->count++];
    memset(result, 0, sizeof *result);
    result->id = id;
    result->verdict = verdict;
    return result;
}

#define FORMAT_INTO(text)                                                                                              \
    do {                                                                                                               \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        vsnprintf(text, sizeof(text), format, arguments);                                                              \
        va_end(arguments);                                                                                             \
    } while (0)

void doctor_in_order(struct doctor *doctor, const char *id, const char *format, ...) {
    FORMAT_INTO(add_result(doctor, id, VERDICT_IN_ORDER)->evidence);
}

void doctor_unknown(struct doctor *doctor, const char *id, const char *path, int failure, const char *hint) {
    struct result *result = add_result(doctor, id, VERDICT_UNKNOWN);
    snprintf(result->evidence, sizeof result->evidence, "%s cannot be read: %s%s%s", path,
             failure == -EINVAL ? "its content is not understood" : error_name(failure), hint == NULL ? "" : "; ",
             hint == NULL ? "" : hint);
}

struct result *doctor_finding(struct doctor *doctor, const char *id, enum severity severity, const char *format, ...) {
    struct result *result = add_result(doctor, id, VERDICT_FINDING);
    result->severity = severity;
    FORMAT_INTO(result->evidence);
    return result;
}

void result_cost(struct result *result, const char *format, ...) {
    FORMAT_INTO(result->cost);
}

void result_mend(struct result *result, const char *format, ...) {
    FORMAT_INTO(result->mend);
}

/* Breaks lines between words. Each line begins at the same column. */
static void print_words(const char *label, const char *text) {
    int column = printf("        %s", label);
    const int indent = column;
    for (const char *word = text + strspn(text, " "); *word != '\0'; word += strspn(word, " ")) {
        const int length = (int)strcspn(word, " ");
        if (column > indent && column + 1 + length > LINE_COLUMNS) {
            column = printf("\n%*s", indent, "") - 1;
        } else if (column > indent) {
            column += printf(" ");
        }
        column += printf("%.*s", length, word);
        word += length;
    }
    putchar('\n');
}

/* Prints the commands unbroken, so that they can be copied. */
static void print_commands(const char *commands) {
    const char *label = "mend";
    for (const char *line = commands; *line != '\0';) {
        const int length = (int)strcspn(line, "\n");
        printf("        %-8s%.*s\n", label, length, line);
        line += length + (line[length] == '\n');
        label = "";
    }
}

static const char *const severities[] = {"low", "medium", "high"};

static void print_finding(const struct result *result) {
    static const char *const shown[] = {"LOW", "MEDIUM", "HIGH"};
    printf("%-8s%s\n", shown[result->severity], result->id);
    print_words("read    ", result->evidence);
    print_words("cost    ", result->cost);
    print_commands(result->mend);
    putchar('\n');
}

static int count_of(const struct doctor *doctor, enum verdict verdict) {
    int count = 0;
    for (int i = 0; i < doctor->count; i++) {
        count += doctor->results[i].verdict == verdict;
    }
    return count;
}

static void print_unknown(const struct doctor *doctor) {
    for (int i = 0; i < doctor->count; i++) {
        const struct result *result = &doctor->results[i];
        if (result->verdict == VERDICT_UNKNOWN) {
            printf("UNKNOWN %s\n", result->id);
            print_words("", result->evidence);
        }
    }
    if (count_of(doctor, VERDICT_UNKNOWN) > 0) {
        putchar('\n');
    }
}

static void print_in_order(const struct doctor *doctor) {
    char ids[DOCTOR_RESULTS * 32] = "";
    size_t used = 0;
    for (int i = 0; i < doctor->count; i++) {
        if (doctor->results[i].verdict == VERDICT_IN_ORDER) {
            used += (size_t)snprintf(ids + used, sizeof ids - used, "%s%s", used > 0 ? " " : "", doctor->results[i].id);
        }
    }
    if (used > 0) {
        puts("IN ORDER");
        print_words("", ids);
        putchar('\n');
    }
}

static void print_location(const char *name, const struct device_location *location) {
    if (location->path[0] == '\0') {
        return;
    }
    printf("%-8s  %s", name, location->path);
    if (location->disk[0] != '\0') {
        printf(" on disk %s", location->disk);
    }
    if (location->stack[0] != '\0') {
        printf(", the first of those under %s", location->stack);
    }
    putchar('\n');
}

static void print_subject(const struct doctor *doctor) {
    print_location("Ring", &doctor->ring);
    print_location("Log file", &doctor->log);
    if (doctor->pid > 0) {
        printf("Process   %d (%s)\n", doctor->pid, doctor->process);
    }
    if (doctor->ring.path[0] == '\0') {
        puts("No ring is named: only the host is checked. `burstlog doctor RING` checks its disk and files, too.");
    }
    putchar('\n');
}

static void print_text(struct doctor *doctor) {
    int severities_found[3] = {0};
    print_subject(doctor);
    for (int severity = SEVERITY_HIGH; severity >= SEVERITY_LOW; severity--) {
        for (int i = 0; i < doctor->count; i++) {
            const struct result *result = &doctor->results[i];
            if (result->verdict == VERDICT_FINDING && (int)result->severity == severity) {
                print_finding(result);
                severities_found[severity]++;
            }
        }
    }
    print_unknown(doctor);
    print_in_order(doctor);
    const int found = count_of(doctor, VERDICT_FINDING);
    printf("%d finding%s (%d high, %d medium, %d low), %d unknown, %d in order. Nothing was changed.\n", found,
           found == 1 ? "" : "s", severities_found[2], severities_found[1], severities_found[0],
           count_of(doctor, VERDICT_UNKNOWN), count_of(doctor, VERDICT_IN_ORDER));
}

static void report_results(struct report *report, const struct doctor *doctor, const char *name, enum verdict verdict,
                           int severity) {
    if (name != NULL) {
        report_list(report, name);
    }
    for (int i = 0; i < doctor->count; i++) {
        const struct result *result = &doctor->results[i];
        if (result->verdict != verdict || (verdict == VERDICT_FINDING && (int)result->severity != severity)) {
            continue;
        }
        report_group(report, NULL);
        report_text(report, "id", result->id);
        if (verdict == VERDICT_FINDING) {
            report_text(report, "severity", severities[result->severity]);
        }
        report_text(report, "evidence", result->evidence);
        if (verdict == VERDICT_FINDING) {
            report_text(report, "cost", result->cost);
            report_text(report, "mend", result->mend);
        }
        report_group_end(report);
    }
    if (name != NULL) {
        report_list_end(report);
    }
}

static void print_json(struct doctor *doctor) {
    struct report report;
    report_begin(&report, stdout, 1);
    report_text(&report, "ring", doctor->ring.path);
    report_text(&report, "disk", doctor->ring.disk);
    report_text(&report, "stack", doctor->ring.stack);
    report_text(&report, "log file", doctor->log.path);
    report_number(&report, "pid", (uint64_t)doctor->pid);
    report_list(&report, "findings");
    for (int severity = SEVERITY_HIGH; severity >= SEVERITY_LOW; severity--) {
        report_results(&report, doctor, NULL, VERDICT_FINDING, severity);
    }
    report_list_end(&report);
    report_results(&report, doctor, "unknown", VERDICT_UNKNOWN, 0);
    report_results(&report, doctor, "in order", VERDICT_IN_ORDER, 0);
    report_end(&report);
}

int doctor_print(struct doctor *doctor, int json) {
    (json ? print_json : print_text)(doctor);
    return count_of(doctor, VERDICT_FINDING);
}
