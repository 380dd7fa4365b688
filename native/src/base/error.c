/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES 128

static _Thread_local char sentence[ERROR_TEXT_BYTES];
static _Thread_local char named[NAME_BYTES];

int error_set(int code, const char *format, ...) {
    /* Formatted apart, since an argument may be error_text() itself: a caller may put its own words around the
     * cause. */
    char next[ERROR_TEXT_BYTES];
    int before = errno;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(next, sizeof(next), format, arguments);
    va_end(arguments);
    memcpy(sentence, next, strlen(next) + 1);
    errno = before;
    return -code;
}

const char *error_text(void) {
    return sentence;
}

void error_list_add(struct error_list *list, int rc) {
    if (rc >= 0)
        return;
    const size_t used = list->code < 0 ? strlen(list->text) : 0;
    snprintf(list->text + used, sizeof(list->text) - used, "%s%s", used > 0 ? "; also: " : "", sentence);
    list->code = list->code < 0 ? list->code : rc;
}

int error_list_result(const struct error_list *list) {
    return list->code < 0 ? error_set(-list->code, "%s", list->text) : 0;
}

/* strerrorname_np would do, but glibc has it only from 2.32 on. */
static const struct {
    int code;
    const char *name;
} names[] = {
#define NAME(code)                                                                                                     \
    { code, #code }
    NAME(E2BIG),     NAME(EACCES),       NAME(EAGAIN),      NAME(EBADF),     NAME(EBUSY),     NAME(EDQUOT),
    NAME(EEXIST),    NAME(EFAULT),       NAME(EFBIG),       NAME(EINTR),     NAME(EINVAL),    NAME(EIO),
    NAME(EISDIR),    NAME(ELOOP),        NAME(EMEDIUMTYPE), NAME(EMFILE),    NAME(EMSGSIZE),  NAME(ENAMETOOLONG),
    NAME(ENFILE),    NAME(ENODATA),      NAME(ENODEV),      NAME(ENOENT),    NAME(ENOLCK),    NAME(ENOMEM),
    NAME(ENOSPC),    NAME(ENOSYS),       NAME(ENOTDIR),     NAME(ENOTSUP),   NAME(ENOTTY),    NAME(ENXIO),
    NAME(EOVERFLOW), NAME(EOWNERDEAD),   NAME(EPERM),       NAME(EPIPE),     NAME(EPROTO),    NAME(EREMOTEIO),
    NAME(EROFS),     NAME(ESHUTDOWN),    NAME(ESPIPE),      NAME(ESTALE),    NAME(ETIMEDOUT), NAME(ETXTBSY),
    NAME(EUCLEAN),   NAME(EXDEV),        NAME(EBADMSG),     NAME(EILSEQ),    NAME(EHWPOISON), NAME(ENOMEDIUM),
    NAME(ENOTCONN),  NAME(ECONNABORTED), NAME(ECONNRESET),  NAME(EHOSTDOWN), NAME(EBADE),     NAME(ECONNREFUSED),
#undef NAME
};

/* The kernel uses EBADE with another meaning than the C library's text. */
static const char *text_of(int code) {
    return code == EBADE ? "the device is reserved for another host" : strerror(code);
}

const char *error_name(int code) {
    if (code < 0)
        code = -code;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].code == code) {
            snprintf(named, sizeof(named), "%s (%s)", names[i].name, text_of(code));
            return named;
        }
    }
    snprintf(named, sizeof(named), "errno %d", code);
    return named;
}

const char *error_time(int64_t ns) {
    static const struct {
        int64_t ns;
        const char *name;
    } units[] = {{60000000000, "min"}, {1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    static _Thread_local char text[32];
    size_t unit = 0;
    while (ns % units[unit].ns != 0 || (ns == 0 && units[unit].ns > 1))
        unit++;
    snprintf(text, sizeof(text), "%lld %s", (long long)(ns / units[unit].ns), units[unit].name);
    return text;
}
