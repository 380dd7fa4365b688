// SPDX-License-Identifier: Apache-2.0
/* A peer that is no Java, as a process that the harness asks. Each program takes one of two commands:
 *
 *     PROGRAM serve PLACE MESSAGE [OPTION]    one message for each call, until the input ends
 *     PROGRAM count PLACE                     prints how many messages are found at PLACE
 *
 * A line with a number N asks for N messages; the answer is N times in nanoseconds. Any other line asks for an end of all work
 * that goes on behind the calls; the answer is 1. Numbers are 64 bits wide, in the order of the machine.
 */
#ifndef SERVE_H
#define SERVE_H

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

/* False while it is the turn of others: a thread that spins for the peer has to rest. */
inline std::atomic<bool> has_its_turn{false};

[[noreturn]] inline void die(const char *what, const std::string &why) {
    std::fprintf(stderr, "%s: %s\n", what, why.c_str());
    std::exit(1);
}

inline int64_t now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

inline void answer(const std::vector<int64_t> &values) {
    if (std::fwrite(values.data(), sizeof values[0], values.size(), stdout) != values.size() ||
        std::fflush(stdout) != 0) {
        die("answer", std::strerror(errno));
    }
}

/* write: returns when the message is where the peer promises it to be. */
template <typename Write> void serve(Write write) {
    char line[32];
    while (std::fgets(line, sizeof line, stdin) != nullptr) {
        const size_t count = std::strtoul(line, nullptr, 10);
        std::vector<int64_t> nanos(count == 0 ? 1 : count, 1);
        has_its_turn = true;
        for (size_t i = 0; i < count; i++) {
            const int64_t begin = now_ns();
            write();
            nanos[i] = now_ns() - begin;
        }
        has_its_turn = false;
        answer(nanos);
    }
}

inline bool is(const char *word, const char *other) {
    return std::strcmp(word, other) == 0;
}

#endif
