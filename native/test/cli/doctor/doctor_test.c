/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of `burstlog doctor` on recorded hosts, and on this one. */
#include "log_fixture.h"

#include "cli/doctor/recorded_host.h"
#include "cli/run.h"

#define DOCTOR "doctor /dev/nvme1n1 --file /logs/orders.log --pid 4242 --json --root "

static int make_host(void **state) {
    (void)state;
    make_tuned_host();
    return 0;
}

static int remove_the_host(void **state) {
    (void)state;
    remove_host();
    return 0;
}

/* The ids in one list of the report: "cpu.governor cpu.smt ". */
static const char *ids_of(const char *list) {
    static char ids[3][4096];
    static unsigned turn;
    char *text = ids[turn++ % 3], label[64];
    text[0] = '\0';
    snprintf(label, sizeof label, "\"%s\": [", list);
    const char *at = strstr(output, label);
    assert_non_null(at);
    const char *end = strstr(at, "\n  ]");
    end = end == NULL || strncmp(at + strlen(label), "]", 1) == 0 ? at : end;
    while ((at = strstr(at, "\"id\": \"")) != NULL && at < end) {
        at += 7;
        strncat(text, at, strcspn(at, "\""));
        strcat(text, " ");
    }
    return text;
}

static void assert_finds(const char *findings, const char *unknown) {
    const int code = run(DOCTOR "%s", host_folder);
    if (code != (findings[0] == '\0' ? 0 : 1)) {
        fail_msg("exit code %d: %s", code, output);
    }
    assert_string_equal(ids_of("findings"), findings);
    assert_string_equal(ids_of("unknown"), unknown);
}

static void a_tuned_host_has_no_finding_and_nothing_unknown(void **state) {
    (void)state;
    assert_finds("", "");
    assert_string_equal(ids_of("in_order"), "cpu.governor cpu.cstates cpu.isolated cpu.nohz_full cpu.smt "
                                            "cpu.preemption cpu.threads numa.threads numa.device irq.affinity "
                                            "memory.thp memory.thp_defrag memory.swap memory.swappiness memory.memlock "
                                            "memory.dirty memory.numa_balancing device.scheduler device.write_cache "
                                            "device.rotational device.power_states device.aspm "
                                            "log.file_system log.barriers log.discard log.atime files.same_disk "
                                            "clock.source clock.utc load.cpu load.memory load.io jvm.heap_size "
                                            "jvm.pretouch jvm.gc jvm.perf_data jvm.safepoints jvm.native_access ");
}

/* Each mistuned item brings one finding. */
static const struct mistuned {
    const char *path, *text, *finding, *severity, *evidence;
} mistuned[] = {
    {"/sys/devices/system/cpu/cpu7/cpufreq/scaling_governor", "powersave\n", "cpu.governor ", "high",
     "cpu7/cpufreq/scaling_governor: powersave (cores 7)"},
    {"/sys/devices/system/cpu/cpu6/cpuidle/state2/disable", "0\n", "cpu.cstates ", "high",
     "cpu6/cpuidle/state2/latency: 133 us (C6; cores 6); /dev/cpu_dma_latency: 2000000000 us"},
    {"/sys/devices/system/cpu/cpu6/cpuidle/state1/latency", "10\n", "cpu.cstates ", "medium", "state1/latency: 10 us"},
    {"/sys/devices/system/cpu/nohz_full", "6\n", "cpu.nohz_full ", "low", "nohz_full: 6, which is not all"},
    {"/sys/kernel/debug/sched/preempt", "(none) voluntary full lazy\n", "cpu.preemption ", "low", "preempt: none"},
    {"/proc/version", "Linux version 5.10 #1 SMP\n", "cpu.preemption ", "low", "no PREEMPT"},
    {"/proc/4242/task/4250/status", "Name:\tburst-drain\nCpus_allowed_list:\t4-7\n", "cpu.threads ", "low",
     "Cpus_allowed_list: 4-7 (burst-drain)"},
    {"/proc/4242/task/4251/status", "Name:\tburst-commit\nCpus_allowed_list:\t1\n", "numa.threads ", "medium",
     "Cpus_allowed_list: 1 (burst-commit); the disk is on node 1"},
    {NVME_PCI "/numa_node", "0\n", "numa.device numa.threads numa.threads irq.affinity ", "high",
     "numa_node: 0 (cores 0-3); but cores 6-7"},
    {"/proc/irq/122/smp_affinity_list", "0-3\n", "irq.affinity ", "medium",
     "/proc/irq/122/smp_affinity_list: 0-3 (nvme1q2, 4711 interrupts); 1 of the disk's 3 used interrupts"},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n", "memory.thp ", "medium",
     "enabled: always"},
    {"/sys/kernel/mm/transparent_hugepage/defrag", "[always] defer never\n", "memory.thp_defrag ", "medium",
     "defrag: always"},
    {"/proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 8388604 0 -2\n", "memory.swappiness ", "low",
     "swappiness: 60, with 8191 MB of swap"},
    {"/proc/4242/limits", "Limit Soft Hard\nMax locked memory  8388608 8388608 bytes\n", "memory.memlock ", "medium",
     "/proc/4242/limits: Max locked memory 8388608 bytes"},
    {"/proc/sys/vm/dirty_background_bytes", "4294967296\n", "memory.dirty ", "low", "about 4096 MB"},
    {"/proc/sys/kernel/numa_balancing", "1\n", "memory.numa_balancing ", "low", "numa_balancing: 1"},
    {NVME "/queue/scheduler", "none [mq-deadline] kyber bfq\n", "device.scheduler ", "low",
     "/sys/block/nvme1n1/queue/scheduler: mq-deadline"},
    {NVME "/queue/scheduler", "none mq-deadline kyber [bfq]\n", "device.scheduler ", "medium", "scheduler: bfq"},
    {NVME "/queue/write_cache", "write back\n", "device.write_cache ", "medium", "write_cache: write back; fua: 1"},
    {NVME "/queue/rotational", "1\n", "device.rotational ", "medium", "rotational: 1"},
    {"/sys/module/nvme_core/parameters/default_ps_max_latency_us", "100000\n", "device.power_states ", "medium",
     "default_ps_max_latency_us: 100000"},
    {"/sys/module/pcie_aspm/parameters/policy", "default [powersave]\n", "device.aspm ", "low", "policy: powersave"},
    {"/proc/self/mountinfo",
     "24 1 8:1 / / rw,noatime - ext4 /dev/sda1 rw\n25 24 0:22 / /tmp rw - tmpfs tmpfs rw\n"
     "26 24 8:17 / /logs rw,noatime - btrfs /dev/sdb1 rw\n",
     "log.file_system ", "medium", "btrfs on /logs, which holds /logs/orders.log"},
    {"/proc/self/mountinfo",
     "25 24 0:22 / /tmp rw - tmpfs tmpfs rw\n26 24 8:17 / /logs rw,noatime - ext4 /dev/sdb1 rw,nobarrier\n",
     "log.barriers ", "high", "mounted with rw,nobarrier"},
    {"/proc/self/mountinfo",
     "25 24 0:22 / /tmp rw - tmpfs tmpfs rw\n26 24 8:17 / /logs rw,noatime - ext4 /dev/sdb1 rw,discard\n",
     "log.discard ", "medium", "/logs is mounted with discard"},
    {"/proc/self/mountinfo",
     "25 24 0:22 / /tmp rw - tmpfs tmpfs rw\n26 24 8:17 / /logs rw,nosuid - ext4 /dev/sdb1 rw\n", "log.atime ", "low",
     "without noatime and relatime"},
    {"/proc/self/mountinfo",
     "25 24 0:22 / /tmp rw - tmpfs tmpfs rw\n26 24 8:17 / /logs rw,noatime - ext4 /dev/sdb1 rw,data=journal\n",
     "log.data_journal ", "medium", "data=journal"},
    {"/proc/self/mountinfo",
     "25 24 0:22 / /tmp rw - tmpfs tmpfs rw\n26 24 259:1 / /logs rw,noatime - ext4 /dev/nvme1n1 rw\n",
     "files.same_disk ", "medium", "both on disk nvme1n1"},
    {"/proc/self/mountinfo",
     "25 24 8:1 / / rw,noatime - ext4 /dev/sda1 rw\n26 24 8:17 / /logs rw,noatime - ext4 /dev/sdb1 rw\n",
     "jvm.perf_data ", "low", "PerfDisableSharedMem"},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n", "clock.source ", "high", "hpet"},
    {"/adjtimex", "status 64 maxerror 16000000 esterror 16\n", "clock.utc ", "medium", "STA_UNSYNC"},
    {"/adjtimex", "status 1 maxerror 101 esterror 3\n", "clock.utc ", "medium", "maxerror 101 us"},
    {"/proc/pressure/cpu", "some avg10=0.00 avg60=31.70 avg300=0.00 total=1\n", "load.cpu ", "medium", "avg60=31.70"},
    {"/opt/jdk-25/release", "JAVA_VERSION=\"17.0.15\"\n", "jvm.safepoints ", "low", "GuaranteedSafepointInterval"},
};

/* Changes a file, runs doctor, and puts the old content back. */
static void with_changed(const char *path, const char *text, const char *findings, const char *unknown) {
    char real[512], old[8192];
    snprintf(real, sizeof real, "%s%s", host_folder, path);
    FILE *file = fopen(real, "r");
    assert_non_null(file);
    const size_t bytes = fread(old, 1, sizeof old, file);
    fclose(file);
    if (text == NULL) {
        host_remove(path);
    } else {
        host_put(path, text);
    }
    assert_finds(findings, unknown);
    host_put_bytes(path, old, bytes);
}

static void each_thing_that_is_mistuned_is_found_alone_with_its_evidence(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistuned / sizeof mistuned[0]; i++) {
        char severity[64];
        with_changed(mistuned[i].path, mistuned[i].text, mistuned[i].finding, "");
        assert_said(mistuned[i].evidence);
        snprintf(severity, sizeof severity, "\"severity\": \"%s\"", mistuned[i].severity);
        assert_said(severity);
    }
}

/* If the evidence is gone the result is unknown: neither in order nor a finding. */
static const struct gone {
    const char *path, *unknown;
} gone[] = {
    {"/sys/devices/system/cpu/cpu7/cpufreq/scaling_governor", "cpu.governor "},
    {"/sys/devices/system/cpu/cpu6/cpuidle/state0/latency", "cpu.cstates "},
    {"/sys/devices/system/cpu/online", "cpu.isolated "},
    {"/sys/devices/system/cpu/nohz_full", "cpu.nohz_full "},
    {"/sys/devices/system/cpu/smt/active", "cpu.smt "},
    {"/sys/kernel/debug/sched/preempt", "cpu.preemption "},
    {"/proc/version", "cpu.preemption "},
    {"/proc/4242/task/4250/status", "cpu.threads "},
    {NVME_PCI "/numa_node", "numa.device irq.affinity "},
    {"/proc/interrupts", "irq.affinity "},
    {"/proc/irq/121/smp_affinity_list", "irq.affinity "},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "memory.thp "},
    {"/sys/kernel/mm/transparent_hugepage/defrag", "memory.thp_defrag "},
    {"/proc/swaps", "memory.swap "},
    {"/proc/sys/vm/swappiness", "memory.swappiness "},
    {"/proc/4242/limits", "memory.memlock "},
    {"/proc/sys/vm/dirty_background_bytes", "memory.dirty "},
    {"/proc/sys/kernel/numa_balancing", "memory.numa_balancing "},
    {NVME "/queue/scheduler", "device.scheduler "},
    {NVME "/queue/write_cache", "device.write_cache "},
    {NVME "/queue/rotational", "device.rotational "},
    {"/sys/module/nvme_core/parameters/default_ps_max_latency_us", "device.power_states "},
    {"/sys/module/pcie_aspm/parameters/policy", "device.aspm "},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "clock.source "},
    {"/adjtimex", "clock.utc "},
    {"/proc/pressure/cpu", "load.cpu "},
    {"/proc/pressure/memory", "load.memory "},
    {"/proc/pressure/io", "load.io "},
    {"/proc/4242/cmdline", "jvm.options "},
    {"/opt/jdk-25/release", "jvm.safepoints "},
};

static void evidence_that_cannot_be_read_is_unknown_and_not_in_order(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        with_changed(gone[i].path, NULL, "", gone[i].unknown);
        char id[64];
        assert_int_equal(sscanf(gone[i].unknown, "%62s", id), 1);
        strcat(id, " ");
        if (strstr(ids_of("in_order"), id) != NULL) {
            fail_msg("%s is in order without %s", id, gone[i].path);
        }
    }
}

static void a_mistuned_host_has_exactly_the_expected_findings(void **state) {
    (void)state;
    for (int cpu = 0; cpu < 8; cpu++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
        host_put(path, "powersave\n");
    }
    host_put("/sys/devices/system/cpu/isolated", "\n");
    host_put("/sys/devices/system/cpu/nohz_full", "(null)\n");
    host_put("/sys/devices/system/cpu/smt/active", "1\n");
    host_put(NVME "/queue/write_cache", "write back\n");
    host_put(NVME "/queue/fua", "0\n");
    host_put(NVME "/queue/scheduler", "none [mq-deadline]\n");
    host_put("/proc/irq/121/smp_affinity_list", "0-3\n");
    host_put("/proc/irq/122/smp_affinity_list", "0-3\n");
    host_put("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    host_put("/proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 8388604 7000 -2\n");
    host_put("/proc/self/mountinfo", "24 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n26 24 8:17 / /logs rw,noatime - "
                                     "btrfs /dev/sdb1 rw,discard=async\n");
    host_put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "acpi_pm\n");
    static const char command[] = "java\0-Xmx8g\0-XX:+UseParallelGC\0-XX:+UseTransparentHugePages\0main.Gateway";
    host_put_bytes("/proc/4242/cmdline", command, sizeof command);
    assert_finds(
        "cpu.governor cpu.cstates memory.swap device.write_cache clock.source "
        "cpu.isolated numa.device irq.affinity memory.thp log.file_system jvm.heap_size jvm.pretouch jvm.gc cpu.smt "
        "memory.swappiness device.scheduler jvm.huge_pages jvm.perf_data "
        "jvm.native_access ",
        "");
    assert_said("isolcpus=7 nohz_full=7"); /* near the disk */
    assert_said("for i in 121 122; do echo 4-7 > /proc/irq/$i/smp_affinity_list; done");
    assert_said("(cores 0-7)");
    assert_said("-XX:+UseG1GC");
}

static void a_limit_that_a_program_holds_keeps_cores_awake(void **state) {
    (void)state;
    host_put("/sys/devices/system/cpu/cpu6/cpuidle/state2/disable", "0\n");
    host_put_bytes("/dev/cpu_dma_latency", "\0\0\0\0", 4);
    assert_finds("", "");
    host_remove("/dev/cpu_dma_latency");
    assert_finds("cpu.cstates ", "");
    assert_said("/dev/cpu_dma_latency cannot be read");
}

static void hardware_threads_of_isolated_cores_are_isolated_together(void **state) {
    (void)state;
    host_put("/sys/devices/system/cpu/smt/active", "1\n");
    assert_finds("", "");
    host_put("/sys/devices/system/cpu/cpu6/topology/thread_siblings_list", "2,6\n");
    assert_finds("cpu.smt ", "");
    assert_said("6-7 shares its core with 2, which is not isolated");
}

static void a_capability_to_lock_memory_lifts_the_limit(void **state) {
    (void)state;
    host_put("/proc/4242/limits", "Limit Soft Hard\nMax locked memory  8388608 8388608 bytes\n");
    host_put("/proc/4242/status", "Name:\tjava\nCapEff:\t0000000000004000\n");
    assert_finds("", "");
}

static void options_of_a_jvm_come_from_its_variables_too_and_the_last_one_wins(void **state) {
    (void)state;
    static const char command[] = "java\0-Xms8g\0-Xmx8g\0-XX:-AlwaysPreTouch\0-XX:+UseZGC\0-jar\0a.jar\0--enable-"
                                  "native-access=ALL-UNNAMED";
    static const char variables[] = "A=b\0JAVA_TOOL_OPTIONS=-XX:+AlwaysPreTouch -Xmx2g\0Z=z";
    host_put_bytes("/proc/4242/cmdline", command, sizeof command);
    host_put_bytes("/proc/4242/environ", variables, sizeof variables);
    assert_finds("jvm.pretouch jvm.native_access ", ""); /* words behind -jar are the application's */
    static const char last[] = "_JAVA_OPTIONS=-XX:+AlwaysPreTouch --enable-native-access=ALL-UNNAMED";
    host_put_bytes("/proc/4242/environ", last, sizeof last);
    assert_finds("", "");
}

static void a_collector_that_stops_all_threads_is_found_and_so_is_none(void **state) {
    (void)state;
    static const struct {
        const char *option, *finding;
    } collectors[] = {{"-XX:+UseG1GC", ""},
                      {"-XX:+UseZGC", ""},
                      {"-XX:+UseShenandoahGC", ""},
                      {"-XX:+UseParallelGC", "jvm.gc "},
                      {"-XX:+UseSerialGC", "jvm.gc "},
                      {"-XX:-UseG1GC", "jvm.gc "}};
    for (size_t i = 0; i < sizeof collectors / sizeof collectors[0]; i++) {
        char options[200];
        static const char command[] = "java\0Main";
        host_put_bytes("/proc/4242/cmdline", command, sizeof command);
        const int length = snprintf(options, sizeof options,
                                    "JAVA_TOOL_OPTIONS=-Xms8g -Xmx8g -XX:+AlwaysPreTouch "
                                    "--enable-native-access=ALL-UNNAMED %s",
                                    collectors[i].option);
        host_put_bytes("/proc/4242/environ", options, (size_t)length + 1);
        assert_finds(collectors[i].finding, "");
    }
}

static void a_missing_option_proves_nothing_while_variables_or_files_of_options_cannot_be_read(void **state) {
    (void)state;
    static const char command[] = "java\0-Xms8g\0-Xmx8g\0-XX:+UseZGC\0--enable-native-access=ALL-UNNAMED\0Main";
    host_put_bytes("/proc/4242/cmdline", command, sizeof command);
    host_remove("/proc/4242/environ");
    assert_finds("", "jvm.pretouch ");
    assert_said("/proc/4242/environ cannot be read");
    static const char with_file[] = "java\0@options\0-Xms8g\0-Xmx8g\0-XX:+UseZGC\0--enable-native-access=ALL-"
                                    "UNNAMED\0Main";
    host_put_bytes("/proc/4242/cmdline", with_file, sizeof with_file);
    host_put_bytes("/proc/4242/environ", "A=b", 4);
    assert_finds("", "jvm.pretouch ");
}

static void file_systems_whose_syncs_are_not_known_are_unknown(void **state) {
    (void)state;
    host_put("/proc/self/mountinfo", "25 24 0:22 / /tmp rw - tmpfs tmpfs rw\n26 24 0:40 / /logs rw,relatime - nfs4 "
                                     "server:/x rw\n");
    assert_finds("", "log.file_system ");
    assert_said("nfs4");
}

static void a_disk_made_of_others_is_looked_at_below(void **state) {
    (void)state;
    host_put("/sys/devices/virtual/block/dm-0/dev", "253:0\n");
    host_link("/sys/devices/virtual/block/dm-0/slaves/nvme1n1", "../../../../pci0000:80/0000:80:01.0/0000:81:00.0/nvme/"
                                                                "nvme1/nvme1n1");
    host_link("/sys/dev/block/253:0", "../../devices/virtual/block/dm-0");
    host_link("/sys/class/block/dm-0", "../../devices/virtual/block/dm-0");
    host_put(NVME "/queue/scheduler", "none [mq-deadline]\n");
    assert_int_equal(run("doctor /dev/dm-0 --json --root %s", host_folder), 1);
    assert_said("/sys/block/nvme1n1/queue/scheduler: mq-deadline");
    assert_said("\"disk\": \"nvme1n1\"");
    assert_said("\"stack\": \"dm-0\"");
    assert_int_equal(run("doctor /dev/dm-0 --file /logs/orders.log --root %s", host_folder), 1);
    assert_said(
        "Ring      /dev/dm-0 on disk nvme1n1, the first of those under dm-0\nLog file  /logs/orders.log on disk sdb\n");
    assert_int_equal(run("doctor --drive-report /dev/dm-0 --root %s", host_folder), 0);
    assert_said("(nvme1n1 under dm-0) |");
}

static void the_report_for_people_has_the_costliest_first_and_commands_that_can_be_copied(void **state) {
    (void)state;
    host_put(NVME "/queue/scheduler", "none [mq-deadline]\n");
    host_put("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    host_put("/sys/devices/system/cpu/nohz_full", "(null)\n");
    host_remove("/proc/pressure/io");
    host_put("/proc/4242/task/4250/status", "Name:\tburst-drain\nCpus_allowed_list:\t4-7\n");
    assert_int_equal(run("doctor /dev/nvme1n1 --pid 4242 --root %s", host_folder), 1);
    assert_said("Ring      /dev/nvme1n1 on disk nvme1n1\nProcess   4242 (java)\n\nMEDIUM  memory.thp\n");
    assert_said("\n        mend    echo madvise > /sys/kernel/mm/transparent_hugepage/enabled\n");
    assert_said("UNKNOWN load.io\n");
    assert_said("4 findings (0 high, 1 medium, 3 low), 1 unknown, ");
    assert_true(strstr(output, "memory.thp\n") < strstr(output, "device.scheduler\n"));
    assert_null(strstr(output, " \n"));
}

/* On this host, whatever its state: each check answers, and doctor finds a running ring with
 * its process and log file. */
static void a_running_ring_is_looked_at_on_this_host(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_true(burst_append(log, "one\n", 4, 0) > 0);
    const int code = run("doctor --json %s", ring_path);
    burst_close(log);
    assert_true(code == 0 || code == 1);
    char words[256];
    snprintf(words, sizeof words, "\"pid\": %d", (int)getpid());
    assert_said(words);
    snprintf(words, sizeof words, "/%s", file_path);
    assert_said(words);
    assert_said("burst-drain");
    assert_said("\"clock.utc\"");
}

/* doctor runs as another user, who may see neither the ring nor its process. */
static void a_ring_of_another_user_leaves_log_file_and_threads_unknown(void **state) {
    (void)state;
    if (geteuid() != 0) {
        fprintf(stderr, "SKIPPED %s: root alone can become another user\n", __func__);
        skip();
    }
    char command[1024];
    burst_t *log = open_small();
    assert_int_equal(chmod(folder, 0755), 0);
    snprintf(
        command, sizeof command,
        "cp %s %s/burstlog && setpriv --reuid 65534 --regid 65534 --clear-groups %s/burstlog doctor --json %s 2>&1",
        BURST_CLI, folder, folder, ring_path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    const int code = WEXITSTATUS(pclose(pipe));
    burst_close(log);
    if (code != 0 && code != 1) {
        fprintf(stderr, "SKIPPED %s: another user cannot come here: %s\n", __func__, output);
        skip();
    }
    const char *unknown = ids_of("unknown");
    assert_non_null(strstr(unknown, "cpu.threads "));
    assert_non_null(strstr(unknown, "log.file_system "));
}

static void wrong_usage_is_told(void **state) {
    (void)state;
    assert_int_equal(run("doctor a b"), 2);
    assert_int_equal(run("doctor --pid x"), 2);
    assert_int_equal(run("doctor --verify-device %s/none --check 18446744073709551615", folder), 2);
    assert_int_equal(run("doctor --nonsense"), 2);
    assert_int_equal(run("doctor --pid 1073741823"), 3);
    assert_said("there is no process 1073741823");
    assert_int_equal(run("doctor %s/none/ring", folder), 3);
    assert_said("cannot be found");
    assert_int_equal(run("doctor --help"), 0);
    assert_said("plug-pull");
}

#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, make_host, remove_the_host)

int main(void) {
    const struct CMUnitTest tests[] = {
        HOST_TEST(a_tuned_host_has_no_finding_and_nothing_unknown),
        HOST_TEST(each_thing_that_is_mistuned_is_found_alone_with_its_evidence),
        HOST_TEST(evidence_that_cannot_be_read_is_unknown_and_not_in_order),
        HOST_TEST(a_mistuned_host_has_exactly_the_expected_findings),
        HOST_TEST(a_limit_that_a_program_holds_keeps_cores_awake),
        HOST_TEST(a_collector_that_stops_all_threads_is_found_and_so_is_none),
        HOST_TEST(hardware_threads_of_isolated_cores_are_isolated_together),
        HOST_TEST(a_capability_to_lock_memory_lifts_the_limit),
        HOST_TEST(options_of_a_jvm_come_from_its_variables_too_and_the_last_one_wins),
        HOST_TEST(a_missing_option_proves_nothing_while_variables_or_files_of_options_cannot_be_read),
        HOST_TEST(file_systems_whose_syncs_are_not_known_are_unknown),
        HOST_TEST(a_disk_made_of_others_is_looked_at_below),
        HOST_TEST(the_report_for_people_has_the_costliest_first_and_commands_that_can_be_copied),
        TEST(a_running_ring_is_looked_at_on_this_host),
        TEST(a_ring_of_another_user_leaves_log_file_and_threads_unknown),
        TEST(wrong_usage_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
