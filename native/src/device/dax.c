/* SPDX-License-Identifier: Apache-2.0 */
#include "device/dax.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define ALIGN_BYTES_MAX (1u << 30)

static int read_number(const char *directory, const char *name, uint64_t *number) {
    char path[PATH_MAX + 32];
    unsigned long long value = 0;
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -errno;
    const int got = fscanf(file, "%llu", &value);
    fclose(file);
    *number = value;
    return got == 1 ? 0 : -EINVAL;
}

static int is_of_subsystem(const char *directory, const char *wanted) {
    char path[PATH_MAX + 32], target[PATH_MAX];
    snprintf(path, sizeof(path), "%s/subsystem", directory);
    const ssize_t length = readlink(path, target, sizeof(target) - 1);
    if (length < 0)
        return 0;
    target[length] = '\0';
    const char *slash = strrchr(target, '/');
    return strcmp(slash == NULL ? target : slash + 1, wanted) == 0;
}

int dax_probe(const char *sysfs, dev_t number, struct dax_facts *facts) {
    char link[PATH_MAX], directory[PATH_MAX];
    snprintf(link, sizeof(link), "%s/dev/char/%u:%u", sysfs, major(number), minor(number));
    if (realpath(link, directory) == NULL || !is_of_subsystem(directory, "dax"))
        return -ENODEV;
    uint64_t align = 0;
    memset(facts, 0, sizeof(*facts));
    if (read_number(directory, "size", &facts->bytes) < 0)
        return -EINVAL;
    if (read_number(directory, "align", &align) < 0)
        align = 2u << 20; /* before Linux 5.10 it is not said, and this is what it mostly is */
    if (facts->bytes == 0 || align == 0 || (align & (align - 1)) != 0 || align > ALIGN_BYTES_MAX)
        return -EINVAL;
    facts->align_bytes = (uint32_t)align;
    facts->is_persistent = strstr(directory, "/ndbus") != NULL;
    return 0;
}

int dax_is_device(dev_t number) {
    struct dax_facts facts;
    return dax_probe("/sys", number, &facts) != -ENODEV;
}
