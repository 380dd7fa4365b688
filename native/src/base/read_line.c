/* SPDX-License-Identifier: Apache-2.0 */
#include "base/read_line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int read_line(const char *path, char *line, size_t line_bytes) {
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -errno;
    char *got = fgets(line, (int)line_bytes, file);
    fclose(file);
    if (got == NULL)
        return -ENODATA;
    line[strcspn(line, "\n")] = '\0';
    return 0;
}
