/* SPDX-License-Identifier: Apache-2.0 */
#include "log/background.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

#define LEAST_PRIORITY 19
#define IDLE_IO (3 << 13) /* IOPRIO_CLASS_IDLE */
#define ONE_THREAD 1      /* IOPRIO_WHO_PROCESS */

int background_start(pthread_t *thread, const char *name, void *(*loop)(void *argument), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int rc = pthread_create(thread, NULL, loop, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        return error_set(rc, "the thread %s cannot be started: %s", name, error_name(rc));
    }
    pthread_setname_np(*thread, name);
    return 0;
}

void background_step_back(void) {
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), LEAST_PRIORITY);
    syscall(SYS_ioprio_set, ONE_THREAD, 0, IDLE_IO);
}
