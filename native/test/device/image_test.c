/* SPDX-License-Identifier: Apache-2.0 */
/* Where a ring's image belongs, on a recorded host; and where it is, on this one. */
#include "device/media.h"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/image.h"
#include "device/medium.h"
#include "device/open.h"
#include "media/layout.h"
#include "refused_calls.h"

#define IMAGE_BYTES (4u << 20)

static const struct platform *const host = &platform_linux;

/* Two sockets. An NVMe drive with a partition is on the second, a virtual disk on none, a loop
 * device on no controller. */
static const char *record_host(const char *nodes) {
    static char sys[2 * PATH_BYTES];
    char command[10 * PATH_BYTES];
    snprintf(sys, sizeof(sys), "%s/sys", scratch);
    snprintf(command, sizeof(command),
             "rm -rf '%s' && mkdir '%s' && cd '%s' && nodes=%s && "
             "mkdir -p devices/system/node/node0 devices/system/node/node1 dev/block && "
             "echo $nodes > devices/system/node/online && "
             "echo 0-7,16-23 > devices/system/node/node0/cpulist && "
             "echo 8-15,24-31 > devices/system/node/node1/cpulist && "
             "drive=devices/pci0000:80/0000:81:00.0/nvme/nvme0/nvme0n1 && "
             "mkdir -p $drive/nvme0n1p1 devices/pci0000:00/virtio3/block/vda devices/virtual/block/loop0 && "
             "echo 1 > devices/pci0000:80/0000:81:00.0/numa_node && "
             "echo -1 > devices/pci0000:00/numa_node && "
             "ln -s ../../$drive dev/block/259:0 && ln -s ../../$drive/nvme0n1p1 dev/block/259:1 && "
             "ln -s ../../devices/pci0000:00/virtio3/block/vda dev/block/254:0 && "
             "ln -s ../../devices/virtual/block/loop0 dev/block/7:0",
             sys, sys, sys, nodes);
    assert_int_equal(system(command), 0);
    return sys;
}

static int node_of(const char *sys, const char *text) {
    struct cpulist cpus;
    assert_int_equal(cpulist_parse(text, &cpus), 0);
    return image_node_of_cpus(sys, &cpus);
}

static void a_device_has_the_node_of_the_controller_that_it_hangs_on(void **state) {
    (void)state;
    const char *sys = record_host("0-1");
    assert_int_equal(image_node_of_device(sys, 259, 0), 1);
    assert_int_equal(image_node_of_device(sys, 259, 1), 1);
    assert_int_equal(image_node_of_device(sys, 254, 0), -1);
    assert_int_equal(image_node_of_device(sys, 7, 0), -1);
    assert_int_equal(image_node_of_device(sys, 8, 0), -1);
}

static void cpus_have_a_node_if_they_share_it(void **state) {
    (void)state;
    const char *sys = record_host("0-1");
    assert_int_equal(node_of(sys, "3"), 0);
    assert_int_equal(node_of(sys, "8,31"), 1);
    assert_int_equal(node_of(sys, "7-8"), -1);
    assert_int_equal(node_of(sys, "99"), -1);
    struct cpulist none = {{0}};
    assert_int_equal(image_node_of_cpus(sys, &none), -1);
}

static void the_only_node_of_a_host_is_not_asked_for(void **state) {
    (void)state;
    const char *sys = record_host("0");
    assert_int_equal(node_of(sys, "3"), -1);
    assert_int_equal(image_node_of_device(sys, 259, 0), -1);
    assert_int_equal(image_node_of_device("/no-such-place", 259, 0), -1);
    assert_int_equal(node_of("/no-such-place", "3"), -1);
}

static struct device *open_on_node(int node) {
    struct device *device;
    make_file(scratch_path("a.ring"), IMAGE_BYTES);
    if (device_open(host, scratch_path("a.ring"), DEVICE_WRITER, BURST_IO_AUTO, &device) < 0)
        fail_msg("%s", error_text());
    assert_int_equal(device->image_node, -1);
    device->image_node = node;
    return device;
}

/* Asks for the policy of the memory, and the node that it prefers; 0 if the host does not say. */
static int policy_of(void *memory, int *policy, unsigned long nodes[16]) {
    return syscall(SYS_get_mempolicy, policy, nodes, 1024ul, memory, MPOL_F_ADDR) == 0;
}

static void the_image_is_bound_to_the_node_that_is_wanted(void **state) {
    (void)state;
    struct device *device = open_on_node(0);
    void *image = device->ops->image(device, IMAGE_BYTES);
    int policy = -1;
    unsigned long nodes[16] = {0};
    assert_non_null(image);
    if (!policy_of(image, &policy, nodes))
        SKIP_WITH("the kernel has no NUMA policies here, or does not tell them (%s)", strerror(errno));
    assert_null(strstr(device->fallback, "NUMA"));
    assert_int_equal(policy, MPOL_PREFERRED);
    assert_int_equal(nodes[0], 1);
    device_close(device);
    device = open_on_node(-1);
    image = device->ops->image(device, IMAGE_BYTES);
    assert_true(policy_of(image, &policy, nodes));
    assert_int_equal(policy, MPOL_DEFAULT);
    device_close(device);
}

static void a_node_that_is_not_there_is_told_and_done_without(void **state) {
    (void)state;
    struct device *device = open_on_node(1000);
    uint8_t *image = device->ops->image(device, IMAGE_BYTES);
    assert_non_null(image);
    image[IMAGE_BYTES - 1] = 1;
    assert_non_null(strstr(device->fallback, "NUMA node, not on 1000"));
    device_close(device);
}

static void a_host_that_forbids_mbind_is_told_and_done_without(void **state) {
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        refuse_call(SYS_mbind, 0, EPERM);
        struct device *device = open_on_node(0);
        const uint8_t *image = device->ops->image(device, IMAGE_BYTES);
        _exit(image != NULL && strstr(device->fallback, "mbind gives EPERM") != NULL &&
                      strstr(device->fallback, "allow it") != NULL
                  ? 0
                  : 1);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP_WITH("system call filters are not allowed here");
    assert_int_equal(status, 0);
}

static long mapped_bytes(void) {
    long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "re");
    assert_non_null(sizes);
    assert_int_equal(fscanf(sizes, "%ld", &pages), 1);
    fclose(sizes);
    return pages * sysconf(_SC_PAGESIZE);
}

/* As an open does that is tried again while its drain writes a checkpoint. */
static void an_image_takes_the_place_of_the_one_before(void **state) {
    (void)state;
    for (size_t i = 0; device_backends[i] != NULL; i++) {
        struct device *device;
        make_file(scratch_path("a.ring"), IMAGE_BYTES + LAYOUT_DATA_OFFSET);
        if (device_open(host, scratch_path("a.ring"), DEVICE_WRITER, device_backends[i]->io, &device) < 0)
            continue; /* this host does not have it */
        assert_non_null(device->ops->image(device, IMAGE_BYTES));
        const long before = mapped_bytes();
        for (int times = 0; times < 4; times++)
            assert_non_null(device->ops->image(device, IMAGE_BYTES));
        assert_true(mapped_bytes() - before < (long)IMAGE_BYTES);
        device_close(device);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_has_the_node_of_the_controller_that_it_hangs_on),
        cmocka_unit_test(cpus_have_a_node_if_they_share_it),
        cmocka_unit_test(the_only_node_of_a_host_is_not_asked_for),
        cmocka_unit_test(the_image_is_bound_to_the_node_that_is_wanted),
        cmocka_unit_test(a_node_that_is_not_there_is_told_and_done_without),
        cmocka_unit_test(a_host_that_forbids_mbind_is_told_and_done_without),
        cmocka_unit_test(an_image_takes_the_place_of_the_one_before),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
