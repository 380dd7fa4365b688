/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor/host.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *real_path(const struct host *host, const char *path, char *real) {
    snprintf(real, 2 * HOST_PATH_BYTES, "%s%s", host->root, path);
    return real;
}

int host_read(const struct host *host, const char *path, char *text, size_t room) {
    char real[2 * HOST_PATH_BYTES];
    text[0] = '\0';
    const int fd = open(real_path(host, path, real), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    size_t used = 0;
    ssize_t got;
    while (used < room - 1 && (got = read(fd, text + used, room - 1 - used)) != 0) {
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            const int failure = errno;
            close(fd);
            return -failure;
        }
        used += (size_t)got;
    }
    close(fd);
    text[used] = '\0';
    return (int)used;
}

int host_line(const struct host *host, const char *path, char *line, size_t room) {
    const int rc = host_read(host, path, line, room);
    if (rc < 0) {
        return rc;
    }
    size_t end = strcspn(line, "\n");
    const size_t begin = strspn(line, " \t");
    while (end > begin && isspace((unsigned char)line[end - 1])) {
        end--;
    }
    if (begin < end) {
        memmove(line, line + begin, end - begin);
    }
    line[begin < end ? end - begin : 0] = '\0';
    return 0;
}

int host_number(const struct host *host, const char *path, long long *number) {
    char line[64], *end;
    const int rc = host_line(host, path, line, sizeof line);
    if (rc < 0) {
        return rc;
    }
    errno = 0;
    *number = strtoll(line, &end, 10);
    return errno != 0 || end == line || *end != '\0' ? -EINVAL : 0;
}

int host_choice(const struct host *host, const char *path, char *choice, size_t room) {
    char line[256];
    const int rc = host_line(host, path, line, sizeof line);
    if (rc < 0) {
        return rc;
    }
    char *begin = strpbrk(line, "[("), *end = begin == NULL ? NULL : strpbrk(begin, "])");
    if (end != NULL) {
        *end = '\0';
        snprintf(choice, room, "%s", begin + 1);
    } else {
        snprintf(choice, room, "%s", line); /* no choice in brackets, such as "none" */
    }
    return 0;
}

static int compare_numbers(const void *one, const void *other) {
    return *(const int *)one - *(const int *)other;
}

int host_numbered_entries(const struct host *host, const char *path, int *numbers, int room) {
    char real[2 * HOST_PATH_BYTES];
    DIR *directory = opendir(real_path(host, path, real));
    if (directory == NULL) {
        return -errno;
    }
    int count = 0;
    for (struct dirent *entry; count < room && (entry = readdir(directory)) != NULL;) {
        if (isdigit((unsigned char)entry->d_name[0])) {
            numbers[count++] = atoi(entry->d_name);
        }
    }
    closedir(directory);
    qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
    return count;
}

int host_exists(const struct host *host, const char *path) {
    char real[2 * HOST_PATH_BYTES];
    return access(real_path(host, path, real), F_OK) == 0;
}

int cpus_parse(const char *text, cpu_set_t *cpus) {
    CPU_ZERO(cpus);
    while (*text != '\0') {
        char *end;
        const long first = strtol(text, &end, 10);
        if (end == text) {
            return -EINVAL;
        }
        long last = first;
        if (*end == '-') {
            text = end + 1;
            last = strtol(text, &end, 10);
            if (end == text) {
                return -EINVAL;
            }
        }
        if (first < 0 || last < first || last >= CPU_SETSIZE || (*end != ',' && *end != '\0')) {
            return -EINVAL;
        }
        for (long cpu = first; cpu <= last; cpu++) {
            CPU_SET((size_t)cpu, cpus);
        }
        text = *end == ',' ? end + 1 : end;
    }
    return 0;
}

const char *cpus_text(const cpu_set_t *cpus, char *text) {
    size_t used = 0;
    text[0] = '\0';
    for (int cpu = 0; cpu < CPU_SETSIZE && used < CPUS_TEXT_BYTES - 16; cpu++) {
        if (!CPU_ISSET((size_t)cpu, cpus)) {
            continue;
        }
        int last = cpu;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, cpus)) {
            last++;
        }
        used += (size_t)snprintf(text + used, CPUS_TEXT_BYTES - used, "%s%d", used > 0 ? "," : "", cpu);
        if (last > cpu) {
            used += (size_t)snprintf(text + used, CPUS_TEXT_BYTES - used, "-%d", last);
        }
        cpu = last;
    }
    return text;
}

int host_cpus(const struct host *host, const char *path, cpu_set_t *cpus) {
    char line[CPUS_TEXT_BYTES * 4];
    const int rc = host_line(host, path, line, sizeof line);
    CPU_ZERO(cpus);
    if (rc == 0 && strcmp(line, "(null)") == 0) {
        return 0; /* nohz_full says "none" in this way */
    }
    return rc < 0 ? rc : cpus_parse(line, cpus);
}

int cpus_overlap(const cpu_set_t *one, const cpu_set_t *other) {
    cpu_set_t both;
    CPU_AND(&both, one, other);
    return CPU_COUNT(&both) > 0;
}
