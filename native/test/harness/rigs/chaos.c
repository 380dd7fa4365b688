/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random faults of ring and log file go on and off while three threads append. The ring is opened again after each
 * failure, and the power is cut. At the end of each round the log files hold all that was acknowledged, once, in order.
 * In every other round all lines of two threads are equal, and beside the log file lie files that begin like it.
 *
 *   rigs-chaos [--seconds N] [--seed S]    --seconds 0: one round
 */
#include "harness/rigs/rig.h"

#define THREADS 3
#define LIVES 4 /* opens of one round */
#define LEAST_STEPS 4
#define PROGRESS_NS (5 * SECOND_NS)

static struct loop_device loop;
static uint64_t random_state;
static _Atomic int stopping;
static _Atomic uint64_t acknowledged;
static uint64_t failures; /* of rings */
static int moved;
static int sync_failures;
static int on_loop;

static uint32_t up_to(uint32_t limit) {
    random_state += 0x9e3779b97f4a7c15ull;
    uint64_t value = random_state;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ value >> 27) * 0x94d049bb133111ebull;
    return (uint32_t)((value ^ value >> 31) >> 16) % limit;
}

struct appender {
    burst_t *log;
    int thread;
};

static int goes_on(int64_t result) {
    return result >= 0 || result == -EAGAIN || result == -ETIMEDOUT || result == -EINPROGRESS;
}

static void *append_on(void *argument) {
    const struct appender *appender = argument;
    int64_t result = 1;
    while (!atomic_load(&stopping) && goes_on(result)) {
        if (appender->thread != 0) {
            result = witness_append(&witness, appender->log, appender->thread, 0);
        } else {
            for (int i = 0; i < 8 && goes_on(result); i++)
                result = witness_enqueue(&witness, appender->log, 0, 0);
            const int awaited = witness_await(&witness, appender->log, 0);
            result = awaited < 0 ? awaited : result;
        }
        if (result > 0)
            atomic_fetch_add(&acknowledged, 1);
        else
            pause_ms(1);
    }
    return NULL;
}

static void attach(void) {
    if (on_loop && !make_loop("fuse/disk", &loop)) {
        fprintf(stderr, "no loop device: %s\n", strerror(errno));
        exit(1);
    }
    ring_at_path(on_loop ? loop.path : "fuse/ring");
}

static void detach(void) {
    if (on_loop && loop.fd >= 0)
        remove_loop(&loop);
    loop.fd = -1;
}

static void fault_of_the_file(void) {
    static const int errors[] = {EIO, ENOSPC, EDQUOT, EROFS, EINTR, EAGAIN};
    static const uint32_t before_writing[] = {FAULT_CREATE, FAULT_OPEN, FAULT_STAT};
    const int error = errors[up_to(6)];
    const uint64_t count = 1 + up_to(20);
    switch (up_to(6)) {
    case 0:
        RULE(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = error, .count = count, .name = "log");
        break;
    case 1:
        if (sync_failures++ == 0) /* one in a life: the sync after the cut must not fail as well */
            RULE(.operations = FAULT_FSYNC, .action = FAULT_FAIL, .error = EIO, .count = 1, .name = "log");
        break;
    case 2:
        RULE(.operations = FAULT_WRITE, .action = FAULT_SHORT, .amount = up_to(200), .count = count, .name = "log");
        break;
    case 3:
        RULE(.operations = FAULT_WRITE | FAULT_FSYNC, .action = FAULT_STALL, .amount = up_to(30), .count = count,
             .name = "log");
        break;
    case 4:
        RULE(.operations = before_writing[up_to(3)], .action = FAULT_FAIL, .error = up_to(2) ? EIO : ENOSPC,
             .count = count, .name = "log");
        break;
    default: {
        char name[40];
        snprintf(name, sizeof name, "fuse/log.moved.%d", moved++);
        rename("fuse/log", name);
    }
    }
}

static void fault_of_the_ring(void) {
    const char *name = on_loop ? "disk" : "ring";
    struct fault_rule rule = {.operations = FAULT_WRITE, .skip = up_to(10), .count = 1};
    rule.action = up_to(3) == 0 ? FAULT_FAIL : FAULT_STALL;
    rule.error = up_to(2) ? EIO : ENOSPC;
    rule.amount = up_to(40);
    if (rule.action == FAULT_FAIL && !on_loop && up_to(2)) {
        rule.action = FAULT_SHORT; /* a loop device hides short writes */
        rule.amount = 512 * up_to(8);
    }
    snprintf(rule.name, sizeof rule.name, "%s", name);
    rule_on(&rule);
}

static void act(void) {
    int rules = 0;
    for (int i = 0; i < FAULT_RULES; i++)
        rules += (int)atomic_load(&faults->rules[i].on);
    if (rules >= FAULT_RULES - 1 || up_to(5) == 0)
        rules_off();
    else if (up_to(4) == 0)
        fault_of_the_ring();
    else
        fault_of_the_file();
    pause_ms(1 + up_to(12));
}

static burst_t *open_again(int *violations) {
    burst_config_t config = small_config();
    config.drain_interval_ns = (1 + up_to(10)) * 1000000;
    main_config.on_full = up_to(2);
    main_config.block_timeout_ns = SECOND_NS / 4;
    config.shutdown_timeout_ns = SECOND_NS / 10;
    burst_t *log = NULL;
    if (burst_open(&config, &log) < 0) {
        fprintf(stderr, "VIOLATION without any fault: %s\n", burst_last_error());
        ++*violations;
    }
    return log;
}

/* SIGTERM ends the daemon and undoes what it had not synced; SIGKILL only ends the daemon. */
static void cut_power(void) {
    rig_end_faultfs(up_to(2) ? SIGTERM : SIGKILL);
}

/* Makes a copy of the log file, and a foreign file that begins like it. */
static void make_siblings(int number) {
    char command[400];
    snprintf(command, sizeof command,
             "cp fuse/log fuse/copy.%d 2>/dev/null; printf '1 same\\n2 same\\n' > fuse/other.%d", number, number);
    if (system(command) != 0)
        abort();
}

static int live(int number) {
    int violations = 0;
    if (witness.repeats != 0)
        make_siblings(number);
    burst_t *log = open_again(&violations);
    if (log == NULL)
        return violations;
    sync_failures = 0;
    pthread_t threads[THREADS];
    struct appender appenders[THREADS];
    atomic_store(&stopping, 0);
    for (int i = 0; i < THREADS; i++) {
        appenders[i] = (struct appender){log, i};
        pthread_create(&threads[i], NULL, append_on, &appenders[i]);
    }
    for (uint32_t steps = LEAST_STEPS + up_to(12); steps > 0; steps--) {
        act();
        hear(log); /* the engine keeps its last events alone */
    }
    const int cut = up_to(3) == 0;
    if (cut)
        cut_power();
    atomic_store(&stopping, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    failures += stats_of(log).state == BURST_STATE_FAILED;
    if (up_to(2))
        rules_off();
    burst_close(log);
    rules_off();
    hear_to_the_end(log);
    if (cut) {
        detach();
        rig_mount_faultfs();
        attach();
    }
    return violations;
}

/* The daemon died between a failed sync and the cut: so records that could not be cut from the file are also in the
 * next one. */
static int doubles_are_told(void) {
    return strstr(events_text, "could not be cut") != NULL;
}

static int verify(void) {
    int violations = 0;
    burst_t *log = open_again(&violations);
    if (log == NULL)
        return violations;
    if (burst_await_drained(log, PATIENCE_NS) != 1 || burst_close_within(log, PATIENCE_NS) != 0) {
        fprintf(stderr, "VIOLATION without any fault the log is not drained\n");
        violations++;
    }
    hear(log);
    witness.doubles_allowed = doubles_are_told();
    const struct findings findings = witness_check(&witness, "fuse");
    if (findings.told_lost > 0)
        fprintf(stderr, "VIOLATION %llu records are reported as lost\n", (unsigned long long)findings.told_lost);
    return violations + findings.violations + (findings.told_lost > 0);
}

static int run_round(uint64_t seed) {
    char command[200];
    random_state = seed;
    loop.fd = -1;
    if (rig_up(NULL) < 0)
        exit(1);
    moved = 0;
    atomic_store(&faults->cache, FAULT_CACHE_HONEST);
    on_loop = (int)up_to(2);
    witness.repeats = seed % 2 == 0 ? 1u << 1 | 1u << 2 : 0;
    log_in("fuse");
    if (on_loop)
        make_file("backing/disk", RIG_RING_BYTES);
    attach();
    snprintf(command, sizeof command, RIG_CLI " format %s >/dev/null", ring_path);
    if (on_loop && system(command) != 0)
        exit(1);
    int violations = 0;
    for (int i = 0; i < LIVES && violations == 0; i++)
        violations = live(i);
    violations += verify();
    detach();
    if (violations > 0)
        fprintf(stderr, "what was told in that round:\n%sagain with: rigs-chaos --seconds 0 --seed %llu\n", events_text,
                (unsigned long long)seed);
    if (violations == 0 || getenv("RIG_KEEP") == NULL)
        rig_down(NULL);
    return violations;
}

static int usage(void) {
    fprintf(stderr, "usage: rigs-chaos [--seconds N] [--seed S]\n");
    return 2;
}

int main(int count, char **arguments) {
    unsigned long long seconds = 8, first = 1;
    for (int i = 1; i < count; i += 2) {
        char *end = NULL;
        unsigned long long *value = strcmp(arguments[i], "--seconds") == 0 ? &seconds
                                    : strcmp(arguments[i], "--seed") == 0  ? &first
                                                                           : NULL;
        if (value == NULL || i + 1 >= count)
            return usage();
        *value = strtoull(arguments[i + 1], &end, 10);
        if (*end != '\0' || end == arguments[i + 1])
            return usage();
    }
    const int missing = rig_enter();
    if (missing)
        return missing;
    const int64_t give_up_ns = now_ns() + (int64_t)seconds * SECOND_NS;
    int64_t told_ns = now_ns();
    unsigned long long seed = first;
    long violations = 0;
    do {
        violations += run_round(seed++);
        if (now_ns() - told_ns > PROGRESS_NS) {
            told_ns = now_ns();
            printf("%llu rounds, %llu appends acknowledged, %llu rings failed, %ld violations\n", seed - first,
                   (unsigned long long)acknowledged, (unsigned long long)failures, violations);
            fflush(stdout);
        }
    } while (now_ns() < give_up_ns);
    printf("%llu appends acknowledged, %llu rings failed\n", (unsigned long long)acknowledged,
           (unsigned long long)failures);
    printf("PROOF kernel cases=%llu violations=%ld seeds=%llu-%llu\n", seed - first, violations, first, seed - 1);
    return violations != 0;
}
