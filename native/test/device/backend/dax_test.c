/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is a character device, on recorded trees that look like the /sys of Linux. */
#include "device/media.h"

#include "device/backend/dax.h"

#define NVDIMM "LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0/region0/dax0.0/dax0.0"
#define RESERVED_MEMORY "platform/hmem.0/dax1.0"

static void make_folders(const char *path) {
    char part[2 * PATH_BYTES];
    snprintf(part, sizeof(part), "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(part, 0700);
        *slash = '/';
    }
    mkdir(part, 0700);
}

static void write_file(const char *directory, const char *name, const char *text) {
    char path[3 * PATH_BYTES];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Makes a device 252:<minor> of this subsystem at this place below /sys/devices. */
static void make_device(unsigned int number, const char *place, const char *subsystem, const char *size,
                        const char *align) {
    char directory[2 * PATH_BYTES], link[3 * PATH_BYTES], target[3 * PATH_BYTES];
    snprintf(directory, sizeof(directory), "%s/devices/%s", scratch_path("sys"), place);
    make_folders(directory);
    make_folders(scratch_path("sys/dev/char"));
    make_folders(scratch_path("sys/bus"));
    snprintf(link, sizeof(link), "%s/252:%u", scratch_path("sys/dev/char"), number);
    snprintf(target, sizeof(target), "../../devices/%s", place);
    assert_int_equal(symlink(target, link), 0);
    snprintf(link, sizeof(link), "%s/subsystem", directory);
    snprintf(target, sizeof(target), "%s/%s", scratch_path("sys/bus"), subsystem);
    assert_int_equal(symlink(target, link), 0);
    if (size != NULL)
        write_file(directory, "size", size);
    if (align != NULL)
        write_file(directory, "align", align);
}

static void a_dax_device_tells_its_size_and_alignment_and_whether_it_is_an_nvdimm(void **state) {
    (void)state;
    struct dax_facts facts;
    make_device(5, NVDIMM, "dax", "1071644672\n", "2097152\n");
    assert_int_equal(dax_probe(scratch_path("sys"), makedev(252, 5), &facts), 0);
    assert_int_equal(facts.bytes, 1071644672);
    assert_int_equal(facts.align_bytes, 2097152);
    assert_true(facts.is_persistent);
    make_device(6, RESERVED_MEMORY, "dax", "4294967296\n", "1073741824\n");
    assert_int_equal(dax_probe(scratch_path("sys"), makedev(252, 6), &facts), 0);
    assert_int_equal(facts.bytes, 4294967296);
    assert_int_equal(facts.align_bytes, 1073741824);
    assert_false(facts.is_persistent);
}

static void memory_that_the_command_line_of_the_kernel_sets_aside_is_not_persistent(void **state) {
    (void)state;
    struct dax_facts facts;
    make_device(7, "platform/e820_pmem/ndbus1/region1/dax1.0/dax1.0", "dax", "1071644672\n", "2097152\n");
    write_file(scratch_path("sys/devices/platform/e820_pmem/ndbus1"), "provider", "e820\n");
    assert_int_equal(dax_probe(scratch_path("sys"), makedev(252, 7), &facts), 0);
    assert_false(facts.is_persistent);
}

static void where_the_alignment_is_not_told_it_is_that_of_a_huge_page(void **state) {
    (void)state;
    struct dax_facts facts;
    make_device(1, NVDIMM, "dax", "1071644672\n", NULL);
    assert_int_equal(dax_probe(scratch_path("sys"), makedev(252, 1), &facts), 0);
    assert_int_equal(facts.align_bytes, 2u << 20);
}

static void other_character_devices_are_none(void **state) {
    (void)state;
    struct dax_facts facts;
    make_device(3, "virtual/mem/null", "mem", NULL, NULL);
    assert_int_equal(dax_probe(scratch_path("sys"), makedev(252, 3), &facts), -ENODEV);
    assert_int_equal(dax_probe(scratch_path("sys"), makedev(252, 4), &facts), -ENODEV);
    struct stat null;
    assert_int_equal(stat("/dev/null", &null), 0);
    assert_false(dax_is_device(null.st_rdev));
}

static void a_size_or_an_alignment_that_cannot_be_is_refused(void **state) {
    (void)state;
    struct dax_facts facts;
    make_device(1, "a/ndbus0/dax0.0", "dax", NULL, "4096\n");
    assert_int_equal(dax_probe(scratch_path("sys"), makedev(252, 1), &facts), -EINVAL);
    make_device(2, "b/ndbus0/dax0.0", "dax", "many\n", "4096\n");
    assert_int_equal(dax_probe(scratch_path("sys"), makedev(252, 2), &facts), -EINVAL);
    make_device(3, "c/ndbus0/dax0.0", "dax", "0\n", "4096\n");
    assert_int_equal(dax_probe(scratch_path("sys"), makedev(252, 3), &facts), -EINVAL);
    make_device(4, "d/ndbus0/dax0.0", "dax", "8388608\n", "4095\n");
    assert_int_equal(dax_probe(scratch_path("sys"), makedev(252, 4), &facts), -EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_dax_device_tells_its_size_and_alignment_and_whether_it_is_an_nvdimm),
        TEST(memory_that_the_command_line_of_the_kernel_sets_aside_is_not_persistent),
        TEST(where_the_alignment_is_not_told_it_is_that_of_a_huge_page),
        TEST(other_character_devices_are_none),
        TEST(a_size_or_an_alignment_that_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
