/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor/slow_owner.h"

#include <string.h>

/* Without a control all that an append suffers is its owner's; with one, only as much as the control suffers. */
enum control { NO_CONTROL, BY_WRITES, BY_UNSEEN };

static const struct {
    const char *id, *words;
    enum slow_owner owner;
    enum control control;
} causes[SLOW_CAUSES] = {
    [SLOW_QUEUED] = {"queued", "no core: another thread had it", OWNER_MACHINE, NO_CONTROL},
    [SLOW_QUEUED_BY_DRAIN] = {"queued_by_drain", "no core: the drain had it", OWNER_OURS, NO_CONTROL},
    [SLOW_STOPPED] = {"stopped", "its core was stopped by the host", OWNER_MACHINE, NO_CONTROL},
    [SLOW_SPACE] = {"space", "the ring was full", OWNER_OURS, NO_CONTROL},
    [SLOW_WRITE] = {"write", "the medium's write", OWNER_MEDIUM, BY_WRITES},
    [SLOW_WRITE_AND_DRAIN] = {"write_and_drain", "the medium's write, the drain at work", OWNER_MEDIUM, BY_WRITES},
    [SLOW_FAULT] = {"fault", "a page fault", OWNER_OURS, NO_CONTROL},
    [SLOW_ASLEEP] = {"asleep", "asleep outside the write", OWNER_OURS, NO_CONTROL},
    [SLOW_COLD] = {"cold", "cold caches: another had just had the core", OWNER_MACHINE, NO_CONTROL},
    [SLOW_UNSEEN] = {"unseen", "on its core, no counter moved", OWNER_MACHINE, BY_UNSEEN},
};

const char *slow_cause_id(enum slow_cause cause) {
    return causes[cause].id;
}

const char *slow_cause_words(enum slow_cause cause) {
    return causes[cause].words;
}

const char *slow_owner_name(enum slow_owner owner) {
    static const char *const names[SLOW_OWNERS] = {"machine", "medium", "ours"};
    return names[owner];
}

const char *slow_stage_name(enum slow_stage stage) {
    static const char *const names[SLOW_STAGES] = {"before the write", "in the write", "behind the write"};
    return names[stage];
}

static int64_t positive(int64_t value) {
    return value > 0 ? value : 0;
}

void slow_between(const struct slow_reading *before, const struct slow_reading *after, struct slow_call *call) {
    const int64_t off_core_ns = positive(after->wall_ns - before->wall_ns - (after->cpu_ns - before->cpu_ns));
    const int slept = after->sleeps != before->sleeps;
    const int is_known = before->queued_ns >= 0 && after->queued_ns >= 0;
    /* A kernel that does not count it leaves the switches: a thread that did not sleep and was preempted was queued. */
    const int64_t queued_ns = is_known                                    ? after->queued_ns - before->queued_ns
                              : after->preemptions != before->preemptions ? off_core_ns
                                                                          : 0;
    const int64_t rest_ns = positive(off_core_ns - queued_ns);
    call->queued_ns = queued_ns;
    call->stopped_ns = slept ? 0 : rest_ns;
    call->asleep_ns = slept ? rest_ns : 0;
    call->drain_ns = after->drain_cpu_ns - before->drain_cpu_ns;
    call->drain_at_work |= call->drain_ns > 0;
    call->faults = (uint32_t)(after->faults - before->faults);
    call->waited_for_space = after->full_waits != before->full_waits;
}

static void take(int64_t shares_ns[SLOW_CAUSES], enum slow_cause cause, int64_t *left_ns, int64_t explained_ns) {
    const int64_t share_ns = explained_ns < *left_ns ? positive(explained_ns) : *left_ns;
    shares_ns[cause] += share_ns;
    *left_ns -= share_ns;
}

enum slow_cause slow_assign(const struct slow_call *call, const struct slow_call *typical,
                            int64_t shares_ns[SLOW_CAUSES]) {
    int64_t left_ns = positive(call->took_ns - typical->took_ns);
    const int64_t write_ns = call->write_ns - typical->write_ns;
    memset(shares_ns, 0, SLOW_CAUSES * sizeof *shares_ns);
    /* The two may have had different cores: the drain is blamed too often rather than too seldom. */
    take(shares_ns, 2 * call->drain_ns >= call->queued_ns ? SLOW_QUEUED_BY_DRAIN : SLOW_QUEUED, &left_ns,
         call->queued_ns);
    take(shares_ns, SLOW_STOPPED, &left_ns, call->stopped_ns);
    take(shares_ns, SLOW_SPACE, &left_ns, call->waited_for_space ? call->before_ns - typical->before_ns : 0);
    take(shares_ns, call->drain_at_work ? SLOW_WRITE_AND_DRAIN : SLOW_WRITE, &left_ns, write_ns);
    take(shares_ns, SLOW_FAULT, &left_ns, call->faults > typical->faults ? left_ns : 0);
    take(shares_ns, SLOW_ASLEEP, &left_ns, call->asleep_ns - call->write_ns);
    take(shares_ns, SLOW_COLD, &left_ns, call->was_preempted ? left_ns : 0);
    take(shares_ns, SLOW_UNSEEN, &left_ns, left_ns);
    enum slow_cause owner = SLOW_UNSEEN;
    for (int cause = SLOW_CAUSES - 1; cause >= 0; cause--) {
        owner = shares_ns[cause] >= shares_ns[owner] ? (enum slow_cause)cause : owner;
    }
    return owner;
}

enum slow_stage slow_stage_of(const struct slow_call *call, const struct slow_call *typical) {
    const int64_t before_ns = call->before_ns - typical->before_ns, write_ns = call->write_ns - typical->write_ns;
    const int64_t behind_ns = call->took_ns - typical->took_ns - before_ns - write_ns;
    return write_ns >= before_ns && write_ns >= behind_ns ? SLOW_IN_WRITE
           : before_ns >= behind_ns                       ? SLOW_BEFORE_WRITE
                                                          : SLOW_BEHIND_WRITE;
}

void slow_divide(const uint64_t counts[SLOW_CAUSES], const struct slow_control *control, double owners[SLOW_OWNERS]) {
    double left[] = {[BY_WRITES] = control->writes, [BY_UNSEEN] = control->unseen};
    memset(owners, 0, SLOW_OWNERS * sizeof *owners);
    for (int cause = 0; cause < SLOW_CAUSES; cause++) {
        const double count = (double)counts[cause];
        double *known = causes[cause].control == NO_CONTROL ? NULL : &left[causes[cause].control];
        const double theirs = known == NULL || count < *known ? count : *known;
        owners[causes[cause].owner] += theirs;
        owners[OWNER_OURS] += count - theirs;
        if (known != NULL) {
            *known -= theirs;
        }
    }
}
