/* SPDX-License-Identifier: Apache-2.0 */
/* A host that refuses a system call, for children of a test: they never get it back. */
#ifndef BURST_TEST_REFUSED_CALLS_H
#define BURST_TEST_REFUSED_CALLS_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Lets the call fail with this errno in this process from now on, if that argument (0: the first) has one of these
 * bits (0: always). Ends the process with 77 on a host that forbids such filters. */
static inline void refuse_argument(unsigned int call, unsigned int argument, unsigned int bits, unsigned int failure) {
    struct sock_filter any[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | failure),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_filter with_bits[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | failure),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof(any) / sizeof(any[0]), .filter = any};
    if (bits != 0)
        filter = (struct sock_fprog){.len = sizeof(with_bits) / sizeof(with_bits[0]), .filter = with_bits};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
        _exit(77);
}

static inline void refuse_call(unsigned int call, unsigned int third_argument_bits, unsigned int failure) {
    refuse_argument(call, 2, third_argument_bits, failure);
}

#endif
