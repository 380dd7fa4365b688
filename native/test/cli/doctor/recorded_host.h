/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host as `burstlog doctor --root` reads it: two sockets of four cores (0-3, 4-7), the ring's disk nvme1n1 on the
 * second, log files on sdb, and process 4242, a JVM that logs. It is well tuned; a test mistunes one thing.
 */
#ifndef BURST_TEST_CLI_RECORDED_HOST_H
#define BURST_TEST_CLI_RECORDED_HOST_H

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char host_folder[64];

#define NVME_PCI "/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0"
#define NVME NVME_PCI "/nvme/nvme1/nvme1n1"
#define SATA "/sys/devices/pci0000:00/0000:00:17.0/ata1/block/sdb"

static inline void host_parents(const char *path) {
    char command[1024], copy[512];
    snprintf(copy, sizeof copy, "%s", path);
    snprintf(command, sizeof command, "mkdir -p '%s%s'", host_folder, dirname(copy));
    assert_int_equal(system(command), 0);
}

static inline void host_put_bytes(const char *path, const void *bytes, size_t count) {
    char real[1024];
    snprintf(real, sizeof real, "%s%s", host_folder, path);
    if (access(real, F_OK) < 0) {
        host_parents(path);
    }
    FILE *file = fopen(real, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static inline void host_put(const char *path, const char *text) {
    host_put_bytes(path, text, strlen(text));
}

/* Makes a relative link, as /sys has them. */
static inline void host_link(const char *path, const char *target) {
    char real[1024];
    host_parents(path);
    snprintf(real, sizeof real, "%s%s", host_folder, path);
    assert_int_equal(symlink(target, real), 0);
}

static inline void host_remove(const char *path) {
    char command[1024];
    snprintf(command, sizeof command, "rm -r '%s%s'", host_folder, path);
    assert_int_equal(system(command), 0);
}

static inline void host_put_cpu(int cpu) {
    static const struct { const char *name, *latency; } states[] = {{"POLL", "0"}, {"C1", "1"}, {"C6", "133"}};
    char path[256], text[16];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
    host_put(path, "performance\n");
    for (int state = 0; state < 3; state++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/name", cpu, state);
        host_put(path, states[state].name);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/latency", cpu, state);
        host_put(path, states[state].latency);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/disable", cpu, state);
        host_put(path, state == 2 && cpu >= 6 ? "1\n" : "0\n"); /* isolated cores stay awake */
    }
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    snprintf(text, sizeof text, "%d\n", cpu);
    host_put(path, text);
}

static inline void host_put_disk(void) {
    host_put(NVME "/dev", "259:1\n");
    host_link("/sys/dev/block/259:1", "../../devices/pci0000:80/0000:80:01.0/0000:81:00.0/nvme/nvme1/nvme1n1");
    host_link("/sys/class/block/nvme1n1", "../../devices/pci0000:80/0000:80:01.0/0000:81:00.0/nvme/nvme1/nvme1n1");
    host_link(NVME "/device", "../../nvme1");
    host_put(NVME_PCI "/numa_node", "1\n");
    host_put(NVME "/queue/scheduler", "[none] mq-deadline kyber bfq\n");
    host_put(NVME "/queue/write_cache", "write through\n");
    host_put(NVME "/queue/fua", "1\n");
    host_put(NVME "/queue/rotational", "0\n");
    host_put("/sys/module/nvme_core/parameters/default_ps_max_latency_us", "0\n");
    host_put("/sys/module/pcie_aspm/parameters/policy", "[default] performance powersave powersupersave\n");
    for (int vector = 120; vector <= 122; vector++) {
        char path[256];
        snprintf(path, sizeof path, NVME_PCI "/msi_irqs/%d", vector);
        host_put(path, "msix\n");
        snprintf(path, sizeof path, "/proc/irq/%d/smp_affinity_list", vector);
        host_put(path, vector == 120 ? "0\n" : "4-7\n");
    }
    host_put("/proc/interrupts", "            CPU0       CPU4\n"
                                 " 120:         12          0  IR-PCI-MSIX-0000:81:00.0    0-edge      nvme1q0\n"
                                 " 121:          0      90210  IR-PCI-MSIX-0000:81:00.0    1-edge      nvme1q1\n"
                                 " 122:          0       4711  IR-PCI-MSIX-0000:81:00.0    2-edge      nvme1q2\n"
                                 " NMI:          0          0  Non-maskable interrupts\n");
    host_put(SATA "/queue/rotational", "0\n");
    host_put(SATA "/dev", "8:16\n");
    host_put(SATA "/sdb1/dev", "8:17\n");
    host_put(SATA "/sdb1/partition", "1\n");
    host_link("/sys/dev/block/8:17", "../../devices/pci0000:00/0000:00:17.0/ata1/block/sdb/sdb1");
    host_put("/proc/self/mountinfo", "24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
                                     "25 24 0:22 / /tmp rw,nosuid - tmpfs tmpfs rw\n"
                                     "26 24 8:17 / /logs rw,noatime shared:2 - ext4 /dev/sdb1 rw\n");
}

/* Further disks, which only some tests look at. */
#define VIRTIO "/sys/devices/pci0000:00/0000:00:05.0/virtio2/block/vda"
#define RAM "/sys/devices/virtual/block/ram0"

static inline void host_put_virtio(const char *cache_type, const char *write_cache) {
    char real[512];
    host_put(VIRTIO "/dev", "254:0\n");
    host_put(VIRTIO "/cache_type", cache_type);
    host_put(VIRTIO "/queue/write_cache", write_cache);
    snprintf(real, sizeof real, "%s%s/device", host_folder, VIRTIO);
    if (access(real, F_OK) < 0) {
        host_link(VIRTIO "/device", "../../../virtio2");
        host_link("/sys/dev/block/254:0", "../../devices/pci0000:00/0000:00:05.0/virtio2/block/vda");
        host_link("/sys/class/block/vda", "../../devices/pci0000:00/0000:00:05.0/virtio2/block/vda");
    }
}

static inline void host_put_ram(void) {
    host_put(RAM "/dev", "1:0\n");
    host_put(RAM "/queue/write_cache", "write through\n");
    host_link("/sys/dev/block/1:0", "../../devices/virtual/block/ram0");
    host_link("/sys/class/block/ram0", "../../devices/virtual/block/ram0");
}

static inline void host_put_memory(void) {
    host_put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    host_put("/sys/kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never\n");
    host_put("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
    host_put("/proc/sys/vm/swappiness", "60\n");
    host_put("/proc/sys/vm/dirty_background_bytes", "67108864\n");
    host_put("/proc/sys/vm/dirty_background_ratio", "0\n");
    host_put("/proc/meminfo", "MemTotal:       131072000 kB\nMemFree: 1 kB\n");
    host_put("/proc/sys/kernel/numa_balancing", "0\n");
}

#define GOOD_OPTIONS                                                                                                   \
    "java\0-Xms8g\0-Xmx8g\0-XX:+AlwaysPreTouch\0-XX:+UseZGC\0-cp\0a.jar\0--enable-native-access=ALL-UNNAMED\0main."    \
    "Gateway\0"                                                                                                        \
    "-Xmx1g"

static inline void host_put_process(void) {
    host_put("/proc/4242/comm", "java\n");
    host_put_bytes("/proc/4242/cmdline", GOOD_OPTIONS, sizeof GOOD_OPTIONS);
    host_put_bytes("/proc/4242/environ", "PATH=/bin", sizeof "PATH=/bin");
    host_link("/proc/4242/exe", "/opt/jdk-25/bin/java");
    host_put("/opt/jdk-25/release", "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"25.0.3\"\n");
    host_put("/proc/4242/limits", "Limit  Soft  Hard  Units\nMax locked memory         unlimited  unlimited   bytes\n");
    host_put("/proc/4242/status", "Name:\tjava\nCapEff:\t0000000000000000\n");
    host_put("/proc/4242/task/4242/comm", "java\n");
    host_put("/proc/4242/task/4250/comm", "burst-drain\n");
    host_put("/proc/4242/task/4250/status", "Name:\tburst-drain\nCpus_allowed_list:\t6\n");
    host_put("/proc/4242/task/4251/comm", "burst-commit\n");
    host_put("/proc/4242/task/4251/status", "Name:\tburst-commit\nCpus_allowed_list:\t7\n");
}

static inline void make_tuned_host(void) {
    strcpy(host_folder, "burst-host-XXXXXX");
    assert_non_null(mkdtemp(host_folder));
    for (int cpu = 0; cpu < 8; cpu++) {
        host_put_cpu(cpu);
    }
    host_put("/sys/devices/system/cpu/online", "0-7\n");
    host_put("/sys/devices/system/cpu/isolated", "6-7\n");
    host_put("/sys/devices/system/cpu/nohz_full", "6-7\n");
    host_put("/sys/devices/system/cpu/smt/active", "0\n");
    host_put_bytes("/dev/cpu_dma_latency", "\x00\x94\x35\x77", 4); /* 2,000,000,000: no limit */
    host_put("/proc/version", "Linux version 6.12 (gcc) #1 SMP PREEMPT_DYNAMIC\n");
    host_put("/sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n");
    host_put("/sys/devices/system/node/online", "0-1\n");
    host_put("/sys/devices/system/node/node0/cpulist", "0-3\n");
    host_put("/sys/devices/system/node/node1/cpulist", "4-7\n");
    host_put_disk();
    host_put_memory();
    host_put_process();
    host_put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    host_put("/adjtimex", "status 0 maxerror 38 esterror 2\n");
    host_put("/proc/pressure/cpu", "some avg10=0.00 avg60=0.35 avg300=0.00 total=1\n");
    host_put("/proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 "
                                      "avg300=0.00 total=1\n");
    host_put("/proc/pressure/io", "some avg10=90.00 avg60=90.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.90 "
                                  "avg300=0.00 total=1\n");
}

static inline void remove_host(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", host_folder);
    assert_int_equal(system(command), 0);
}

#endif
