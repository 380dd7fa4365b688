/* SPDX-License-Identifier: Apache-2.0 */
#include "device/backend/dax.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device/host/sysfs.h"

#define ALIGN_BYTES_MAX (1u << 30)
#define ALIGN_BYTES_UNTOLD (2u << 20) /* the usual alignment, for kernels before Linux 5.10, which do not tell */

static int is_of_subsystem(const char *directory, const char *wanted) {
    char path[SYSFS_PATH_BYTES], target[PATH_MAX];
    snprintf(path, sizeof(path), "%s/subsystem", directory);
    const ssize_t length = readlink(path, target, sizeof(target) - 1);
    if (length < 0)
        return 0;
    target[length] = '\0';
    const char *slash = strrchr(target, '/');
    return strcmp(slash == NULL ? target : slash + 1, wanted) == 0;
}

/* Whether the memory lies on an NVDIMM bus. Memory of the kernel's command line (memmap=) also lies on a bus, but is
 * plain memory. */
static int is_on_nvdimm(const char *directory) {
    char bus[PATH_MAX], provider[SYSFS_LINE_BYTES];
    snprintf(bus, sizeof(bus), "%s", directory);
    char *ndbus = strstr(bus, "/ndbus");
    if (ndbus == NULL)
        return 0;
    ndbus[1 + strcspn(ndbus + 1, "/")] = '\0';
    sysfs_line(bus, "provider", provider, sizeof(provider));
    return strcmp(provider, "e820") != 0;
}

int dax_probe(const char *sysfs, dev_t number, struct dax_facts *facts) {
    char link[PATH_MAX], directory[PATH_MAX];
    snprintf(link, sizeof(link), "%s/dev/char/%u:%u", sysfs, major(number), minor(number));
    if (realpath(link, directory) == NULL || !is_of_subsystem(directory, "dax"))
        return -ENODEV;
    const long long bytes = sysfs_value(directory, "size", 0);
    const long long align = sysfs_value(directory, "align", ALIGN_BYTES_UNTOLD);
    if (bytes <= 0 || align <= 0 || (align & (align - 1)) != 0 || align > ALIGN_BYTES_MAX)
        return -EINVAL;
    *facts = (struct dax_facts){
        .bytes = (uint64_t)bytes, .align_bytes = (uint32_t)align, .is_persistent = is_on_nvdimm(directory)};
    return 0;
}

int dax_is_device(dev_t number) {
    struct dax_facts facts;
    return dax_probe("/sys", number, &facts) != -ENODEV;
}
