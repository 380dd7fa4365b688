/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the library by its path, logs a line, closes it, opens it again: platform_check LIBRARY FOLDER. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "burstlog.h"

static void *library;

static void *function(const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}

int main(int count, char **arguments) {
    library = count == 3 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", count == 3 ? dlerror() : "usage: platform_check LIBRARY FOLDER");
        return 1;
    }
    void (*init)(burst_config_t *, size_t) = function("burst_config_init_bytes");
    int (*open_log)(const burst_config_t *, burst_t **) = function("burst_open");
    int64_t (*append)(burst_t *, const void *, size_t, int64_t) = function("burst_append");
    int64_t (*close_log)(burst_t *) = function("burst_close");
    char ring[4096], log[4096];
    snprintf(ring, sizeof ring, "%s/a.ring", arguments[2]);
    snprintf(log, sizeof log, "%s/a.log", arguments[2]);
    for (int64_t sequence = 1; sequence <= 2; sequence++) {
        const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = log};
        burst_config_t config;
        burst_t *opened;
        init(&config, sizeof config);
        config.ring = ring;
        config.main = &main_config;
        if (open_log(&config, &opened) < 0 || append(opened, "a line\n", 7, 0) != sequence || close_log(opened) < 0) {
            fprintf(stderr, "%s\n", ((const char *(*)(void))function("burst_last_error"))());
            return 1;
        }
    }
    return 0;
}
