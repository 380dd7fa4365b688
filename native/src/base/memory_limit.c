/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel: admin-guide/cgroup-v2.rst (memory.max, memory.stat), admin-guide/cgroup-v1/memory.rst, proc(5) (mountinfo). */
#include "base/memory_limit.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define NO_LIMIT_FROM ((uint64_t)1 << 62) /* cgroup v1 writes "no limit" as a number of this size */
/* For each CPU, since the kernel counts usage and cache in batches of 64 pages. */
#define CHARGED_AHEAD_PAGES 128u

#define WAY_OUT                                                                                                        \
    "the kernel would kill the process (exit code 137); raise that limit or choose a smaller ring. What a ring holds " \
    "stays in it: `burstlog recover` moves it where there is more memory"

/* The control groups that limit the memory of a process. */
struct hierarchy {
    int is_v1;
    char mount[PATH_MAX]; /* where the hierarchy is mounted */
    char group[PATH_MAX]; /* the process's group, below the mount: "" or "/a/b" */
};

static uint64_t sum(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t lower(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t above(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

/* The number in a file of the group. Returns `missing` if there is no such file, or if it says "max". */
static uint64_t value_of(const char *root, const char *group, const char *name, uint64_t missing) {
    char path[2 * PATH_MAX + 64];
    uint64_t value;
    snprintf(path, sizeof path, "%s%s/%s", root, group, name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return missing;
    const int got = fscanf(file, "%" SCNu64, &value);
    fclose(file);
    return got == 1 ? value : missing;
}

/* Sets the values of the lines that begin with one of the names. Returns 0 if the file cannot be read. */
static int add_lines(const char *root, const char *path, const char *const *names, uint64_t *values, size_t count) {
    char whole[2 * PATH_MAX + 64], line[256], name[64];
    uint64_t value;
    snprintf(whole, sizeof whole, "%s%s", root, path);
    FILE *file = fopen(whole, "re");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%63s %" SCNu64, name, &value) != 2)
            continue;
        for (size_t i = 0; i < count; i++) {
            if (strcmp(name, names[i]) == 0)
                values[i] = value;
        }
    }
    fclose(file);
    return 1;
}

/* How many more bytes of this group the host may swap out. */
static uint64_t swap_left(const char *root, const struct hierarchy *in, const char *group, uint64_t limit) {
    static const char *const names[] = {"SwapFree:"};
    uint64_t free_kib[1] = {0}, of_group;
    add_lines(root, "/proc/meminfo", names, free_kib, 1);
    if (in->is_v1)
        of_group = above(value_of(root, group, "memory.memsw.limit_in_bytes", UINT64_MAX), limit);
    else
        of_group = above(value_of(root, group, "memory.swap.max", UINT64_MAX),
                         value_of(root, group, "memory.swap.current", 0));
    return lower(free_kib[0] * 1024, of_group);
}

static uint64_t charged_ahead(void) {
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN), page_bytes = sysconf(_SC_PAGESIZE);
    return (uint64_t)(cpus > 0 ? cpus : 1) * (uint64_t)page_bytes * CHARGED_AHEAD_PAGES;
}

static void look_at_group(const char *root, const struct hierarchy *in, const char *group, struct memory_limit *found) {
    static const char *const of_v2[] = {"inactive_file", "active_file", "slab_reclaimable"};
    static const char *const of_v1[] = {"total_inactive_file", "total_active_file", ""};
    const char *limit_name = in->is_v1 ? "memory.limit_in_bytes" : "memory.max";
    uint64_t caches[3] = {0};
    char stat[PATH_MAX + 64];
    const uint64_t limit = value_of(root, group, limit_name, MEMORY_UNLIMITED);
    if (limit >= NO_LIMIT_FROM)
        return;
    if (limit < found->limit_bytes) {
        found->limit_bytes = limit;
        snprintf(found->file, sizeof found->file, "%.*s/%s", (int)sizeof found->file - 32, group, limit_name);
    }
    const uint64_t used = value_of(root, group, in->is_v1 ? "memory.usage_in_bytes" : "memory.current", 0);
    snprintf(stat, sizeof stat, "%s/memory.stat", group);
    const int is_told = add_lines(root, stat, in->is_v1 ? of_v1 : of_v2, caches, 3);
    if (in->is_v1) /* v1 does not tell how much of it the kernel can take back */
        caches[2] = value_of(root, group, "memory.kmem.usage_in_bytes", 0);
    const uint64_t left = above(sum(limit, caches[0]), used);
    found->left_bytes = lower(found->left_bytes, lower(left, limit));
    if (is_told) {
        const uint64_t more = sum(sum(caches[1], caches[2]), sum(swap_left(root, in, group, limit), charged_ahead()));
        found->most_bytes = lower(found->most_bytes, above(sum(limit, sum(caches[0], more)), used));
    }
}

/* Finds the process's group in the hierarchy; for v1 in the one that has the controller `memory`. Returns 0 if there is
 * none. */
static int find_group(const char *root, int is_v1, char *group) {
    char path[PATH_MAX], line[PATH_MAX + 256];
    int found = 0;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (!found && fgets(line, sizeof line, file) != NULL) { /* a line: 4:memory,cpu:/a/b */
        char *controllers = strchr(line, ':'), *name = controllers == NULL ? NULL : strchr(controllers + 1, ':');
        if (name == NULL)
            continue;
        *controllers++ = '\0';
        *name++ = '\0';
        name[strcspn(name, "\n")] = '\0';
        for (char *rest, *one = strtok_r(controllers, ",", &rest); is_v1 && one != NULL;
             one = strtok_r(NULL, ",", &rest))
            found |= strcmp(one, "memory") == 0;
        found |= !is_v1 && strcmp(line, "0") == 0;
        snprintf(group, PATH_MAX, "%s", name);
    }
    fclose(file);
    return found;
}

static int has_word(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = words; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return 1;
    }
    return 0;
}

/* A mount may show only a part of the hierarchy. Group paths below it then begin behind the part's own path. */
static void put_below_mount(struct hierarchy *in, const char *shown) {
    const size_t length = strcmp(shown, "/") == 0 ? 0 : strlen(shown);
    const int is_below = strncmp(in->group, shown, length) == 0 &&
                         (in->group[length] == '/' || in->group[length] == '\0') && strstr(in->group, "..") == NULL;
    if (!is_below)
        in->group[0] = '\0';
    else
        memmove(in->group, in->group + length, strlen(in->group + length) + 1);
    if (strcmp(in->group, "/") == 0)
        in->group[0] = '\0';
}

/* A line of mountinfo: 36 35 0:30 SHOWN MOUNT options optional.. - cgroup2 source options */
static int find_hierarchy(const char *root, int is_v1, struct hierarchy *in) {
    char path[PATH_MAX], shown[PATH_MAX] = "/", type[32], options[1024];
    char *line = NULL;
    size_t room = 0;
    int found = 0;
    in->is_v1 = is_v1;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    FILE *file = find_group(root, is_v1, in->group) ? fopen(path, "re") : NULL;
    while (!found && file != NULL && getline(&line, &room, file) > 0) {
        const char *second = strstr(line, " - ");
        options[0] = '\0';
        found = second != NULL && sscanf(second, " - %31s %*s %1023s", type, options) >= 1 &&
                strcmp(type, is_v1 ? "cgroup" : "cgroup2") == 0 && (!is_v1 || has_word(options, "memory")) &&
                sscanf(line, "%*d %*d %*s %4095s %4095s", shown, in->mount) == 2;
    }
    free(line);
    if (file != NULL)
        fclose(file);
    if (found)
        put_below_mount(in, shown);
    return found;
}

static void look_at_hierarchy(const char *root, int is_v1, struct memory_limit *found) {
    struct hierarchy in;
    if (!find_hierarchy(root, is_v1, &in))
        return;
    for (;;) { /* from the process's group upwards */
        char group[2 * PATH_MAX];
        snprintf(group, sizeof group, "%s%s", in.mount, in.group);
        if (strlen(group) < PATH_MAX)
            look_at_group(root, &in, group, found);
        char *last = strrchr(in.group, '/');
        if (last == NULL)
            return;
        *last = '\0';
    }
}

static const struct memory_limit none = {
    .limit_bytes = MEMORY_UNLIMITED, .left_bytes = MEMORY_UNLIMITED, .most_bytes = MEMORY_UNLIMITED};

void memory_limit_read(const char *root, struct memory_limit *limit) {
    *limit = none;
    look_at_hierarchy(root, 0, limit);
    look_at_hierarchy(root, 1, limit);
}

void memory_limit_of(const struct platform *platform, struct memory_limit *limit) {
    *limit = none;
    if (platform->ops->memory_limit != NULL)
        platform->ops->memory_limit(platform, limit);
}

enum memory_verdict memory_limit_judge(const struct memory_limit *limit, uint64_t bytes) {
    return bytes > limit->limit_bytes || bytes > limit->most_bytes ? MEMORY_IS_LACKING
           : bytes > limit->left_bytes                             ? MEMORY_IS_SHORT
                                                                   : MEMORY_FITS;
}

int memory_limit_check(const struct platform *platform, const char *what, const char *path, uint64_t bytes,
                       struct memory_limit *limit) {
    memory_limit_of(platform, limit);
    const int verdict = (int)memory_limit_judge(limit, bytes);
    if (verdict == MEMORY_IS_LACKING && bytes > limit->limit_bytes)
        return error_set(ENOMEM,
                         "%s %s takes %" PRIu64
                         " bytes of memory, and the control group of this process may have %" PRIu64 " (%s): " WAY_OUT,
                         what, path, bytes, limit->limit_bytes, limit->file);
    if (verdict == MEMORY_IS_LACKING)
        return error_set(ENOMEM,
                         "%s %s takes %" PRIu64 " bytes of memory, and of the %" PRIu64 " of the control group of this "
                         "process (%s) at most %" PRIu64 " can be had: " WAY_OUT,
                         what, path, bytes, limit->limit_bytes, limit->file, limit->most_bytes);
    return verdict;
}
