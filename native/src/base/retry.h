/* SPDX-License-Identifier: Apache-2.0 */
/* glibc has this macro; musl does not. */
#ifndef BURST_BASE_RETRY_H
#define BURST_BASE_RETRY_H

#include <errno.h>
#include <unistd.h>

/* The result of a system call, repeated as long as a signal interrupts it. */
#ifndef TEMP_FAILURE_RETRY
#define TEMP_FAILURE_RETRY(call)                                                                                       \
    (__extension__({                                                                                                   \
        long result_of_the_call;                                                                                       \
        do {                                                                                                           \
            result_of_the_call = (call);                                                                               \
        } while (result_of_the_call == -1 && errno == EINTR);                                                          \
        result_of_the_call;                                                                                            \
    }))
#endif

#endif
