/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ring and archives of a Log4j configuration. It looks for the attributes of <Burst> alone, and resolves what the text
 * of the file and the environment can resolve; anything else is told and not guessed. So no XML library is needed.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/path.h"
#include "cli/read.h"

#define FILE_MOST_BYTES (4u << 20)
#define NESTED_MOST 8

/* Reads the file without its comments. Returns NULL with a sentence. */
static char *read_text(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = file == NULL ? NULL : calloc(1, FILE_MOST_BYTES + 1);
    if (text == NULL) {
        error_set(errno, "configuration %s cannot be read: %s", path, error_name(errno));
        if (file != NULL) {
            fclose(file);
        }
        return NULL;
    }
    text[fread(text, 1, FILE_MOST_BYTES, file)] = '\0';
    fclose(file);
    for (char *begin = text, *end; (begin = strstr(begin, "<!--")) != NULL;) {
        end = strstr(begin, "-->");
        end = end == NULL ? begin + strlen(begin) : end + 3;
        memset(begin, ' ', (size_t)(end - begin));
    }
    return text;
}

/* Copies the value of an attribute of the element that begins at `element`. Returns 1, or 0 if it has none. */
static int attribute(const char *element, const char *name, char *value, size_t room) {
    const char *end = strchr(element, '>');
    const size_t length = strlen(name);
    for (const char *at = element; at != NULL && end != NULL && at < end; at++) {
        if (!isspace((unsigned char)*at) || strncasecmp(at + 1, name, length) != 0) {
            continue;
        }
        const char *quote = at + 1 + length;
        while (isspace((unsigned char)*quote) || *quote == '=') {
            quote++;
        }
        const char *closing = *quote == '"' || *quote == '\'' ? strchr(quote + 1, *quote) : NULL;
        if (closing != NULL && (size_t)(closing - quote) <= room) {
            memcpy(value, quote + 1, (size_t)(closing - quote - 1));
            value[closing - quote - 1] = '\0';
            return 1;
        }
    }
    return 0;
}

/* The value of <Property name="NAME">VALUE</Property>, or value="VALUE". */
static int property(const char *text, const char *name, char *value, size_t room) {
    char found[128];
    for (const char *at = text; (at = strstr(at, "<Property")) != NULL; at++) {
        if (!attribute(at, "name", found, sizeof found) || strcmp(found, name) != 0) {
            continue;
        }
        if (attribute(at, "value", value, room)) {
            return 1;
        }
        const char *begin = strchr(at, '>'), *end = begin == NULL ? NULL : strchr(begin, '<');
        if (end != NULL && (size_t)(end - begin) <= room) {
            memcpy(value, begin + 1, (size_t)(end - begin - 1));
            value[end - begin - 1] = '\0';
            return 1;
        }
    }
    return 0;
}

static int lookup(const char *text, const char *name, char *value, size_t room) {
    const char *from_environment = strncmp(name, "env:", 4) == 0 ? getenv(name + 4) : NULL;
    if (from_environment != NULL) {
        return snprintf(value, room, "%s", from_environment) < (int)room;
    }
    return property(text, name, value, room);
}

/* Replaces each ${..}; with is_pattern also %d{..}, %i and what is left of them, by *. */
static int resolve(const char *path, const char *text, int is_pattern, char *value, size_t room) {
    char done[BURST_PATH_BYTES], name[256], found[BURST_PATH_BYTES];
    for (int turn = 0; turn < NESTED_MOST; turn++) {
        char *begin = strstr(value, "${"), *end = begin == NULL ? NULL : strchr(begin, '}');
        if (end == NULL) {
            break;
        }
        snprintf(name, sizeof name, "%.*s", (int)(end - begin - 2), begin + 2);
        if (!lookup(text, name, found, sizeof found)) {
            return error_set(EINVAL, "configuration %s names ${%s}, which only its program knows: name the ring itself",
                             path, name);
        }
        if (snprintf(done, sizeof done, "%.*s%s%s", (int)(begin - value), value, found, end + 1) >= (int)sizeof done) {
            return error_set(ENAMETOOLONG, "configuration %s has a path that is too long", path);
        }
        snprintf(value, room, "%s", done);
    }
    char *out = done;
    for (const char *at = value; is_pattern && *at != '\0' && out < done + sizeof done - 1;) {
        if (*at != '%' && *at != '$') {
            *out++ = *at++;
            continue;
        }
        while (*at != '\0' && (isalnum((unsigned char)*at) || *at == '%' || *at == '$')) {
            at++;
        }
        while (*at == '{') {
            at = strchr(at, '}') == NULL ? at + strlen(at) : strchr(at, '}') + 1;
        }
        *out++ = '*';
    }
    if (is_pattern) {
        *out = '\0';
        snprintf(value, room, "%s", done);
    }
    return 0;
}

/* The element of the appender that is asked for. NULL with a sentence. */
static const char *find_appender(const struct read_options *options, const char *text) {
    const char *found = NULL;
    char name[128], names[512] = "";
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, "<Burst")) != NULL; at++) {
        if (!isspace((unsigned char)at[6])) {
            continue;
        }
        if (!attribute(at, "name", name, sizeof name)) {
            name[0] = '\0';
        }
        const size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", count == 0 ? "" : ", ", name);
        count++;
        if (options->appender == NULL || strcmp(options->appender, name) == 0) {
            found = found == NULL ? at : found;
        }
    }
    if (found == NULL || (count > 1 && options->appender == NULL)) {
        error_set(EINVAL, "configuration %s has %s: name one with --appender", options->source,
                  count == 0 ? "no element <Burst>" : names);
        return NULL;
    }
    return found;
}

static int take(struct read_options *options, const char *text, const char *element) {
    const char *path = options->source;
    char file[BURST_PATH_BYTES] = "", folder[BURST_PATH_BYTES];
    const int has_file = attribute(element, "fileName", file, sizeof file);
    int rc = has_file ? resolve(path, text, 0, file, sizeof file) : 0;
    if (rc == 0 && attribute(element, "ring", options->found_source, sizeof options->found_source)) {
        rc = resolve(path, text, 0, options->found_source, sizeof options->found_source);
    } else if (rc == 0 && has_file && path_directory(file, folder, sizeof folder) == 0) {
        snprintf(options->found_source, sizeof options->found_source, "%.4000s/burstlog.ring", folder);
    } else if (rc == 0) {
        rc = error_set(EINVAL, "configuration %s names neither ring nor fileName: name the ring itself", path);
    }
    if (rc == 0 && attribute(element, "filePattern", options->found_archives, sizeof options->found_archives)) {
        rc = resolve(path, text, 1, options->found_archives, sizeof options->found_archives);
        options->archives = options->archives == NULL ? options->found_archives : options->archives;
    }
    if (rc == 0 && attribute(element, "window", options->found_window, sizeof options->found_window)) {
        rc = resolve(path, text, 0, options->found_window, sizeof options->found_window);
        options->window = options->window == NULL ? options->found_window : options->window;
    }
    if (rc == 0 && has_file && options->stream == NULL) {
        snprintf(options->found_stream, sizeof options->found_stream, "%s", file);
        options->stream = options->found_stream;
    }
    options->source = options->found_source;
    return rc;
}

int log4j_file_resolve(struct read_options *options) {
    char *text = read_text(options->source);
    const char *element = text == NULL ? NULL : find_appender(options, text);
    const int rc = element == NULL ? -EINVAL : take(options, text, element);
    free(text);
    return rc;
}
