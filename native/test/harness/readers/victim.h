/* SPDX-License-Identifier: Apache-2.0 */
/* A child that dies of SIGKILL: at a moment, or before or after its k-th system call, in any of its threads. */
#ifndef BURST_TEST_READERS_VICTIM_H
#define BURST_TEST_READERS_VICTIM_H

#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYSTEM_CALL_STOP (SIGTRAP | 0x80)

/* Starts `run` in a child, whose system calls can be counted if is_traced is set. */
static inline pid_t victim_start(void (*run)(void), int is_traced) {
    const pid_t child = fork();
    if (child == 0) {
        if (is_traced) {
            ptrace(PTRACE_TRACEME, 0, NULL, NULL);
            raise(SIGSTOP);
        }
        run();
        _exit(0);
    }
    return child;
}

/* Lets the traced child run up to the k-th stop before or after a system call, and kills it there. Returns the number of
 * stops that it made; *status is that of its end. */
static inline uint64_t victim_kill_at(pid_t child, uint64_t k, int *status) {
    uint64_t stops = 0;
    int state;
    waitpid(child, &state, 0);
    ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    ptrace(PTRACE_SYSCALL, child, NULL, NULL);
    for (;;) {
        /* Each thread is waited for, but the other children of this process are not. */
        pid_t stopped = 0;
        siginfo_t peeked = {.si_pid = 0};
        if (waitid(P_ALL, 0, &peeked, WEXITED | WSTOPPED | WNOWAIT | __WALL) < 0) {
            return stops;
        }
        stopped = peeked.si_pid;
        if (waitpid(stopped, &state, __WALL) != stopped) {
            continue;
        }
        if (WIFEXITED(state) || WIFSIGNALED(state)) {
            if (stopped == child) {
                *status = state;
                return stops;
            }
            continue;
        }
        const int signal_number = WSTOPSIG(state);
        if (signal_number == SYSTEM_CALL_STOP && ++stops == k) {
            kill(child, SIGKILL);
            continue;
        }
        const int is_own = signal_number == SYSTEM_CALL_STOP || signal_number == SIGTRAP || signal_number == SIGSTOP;
        ptrace(PTRACE_SYSCALL, stopped, NULL, (void *)(intptr_t)(is_own ? 0 : signal_number));
    }
}

#endif
