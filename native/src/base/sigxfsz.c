/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sigxfsz.h"

#include <errno.h>
#include <time.h>

static void only_it(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGXFSZ);
}

void sigxfsz_block(struct sigxfsz_state *held) {
    sigset_t set, pending;
    only_it(&set);
    pthread_sigmask(SIG_BLOCK, &set, &held->before);
    held->was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

void sigxfsz_restore(const struct sigxfsz_state *held) {
    const struct timespec now = {0};
    const int before = errno;
    sigset_t set;
    only_it(&set);
    while (!held->was_pending && (sigtimedwait(&set, NULL, &now) > 0 || errno == EINTR)) {
    }
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
    errno = before;
}
