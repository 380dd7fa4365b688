/* SPDX-License-Identifier: Apache-2.0 */
/* Windows that no log makes: each field that a pointer or a walk depends on. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "media/record.h"
#include "window/attach.h"
#include "window/memory.h"
#include "window/protocol.h"

#define CAPACITY_BYTES (1024u * 1024u)

static struct window_memory memory;
static struct window *window;

static int begin(void **state) {
    (void)state;
    static const uint8_t mapping[1];
    struct device device = {.platform = &platform_linux, .mapping = mapping};
    window_memory_init(&memory);
    window = memory.maker.make(&memory.maker, &device, CAPACITY_BYTES);
    assert_non_null(window);
    *window->head = (struct window_head){.magic = WINDOW_MAGIC,
                                         .version = WINDOW_VERSION,
                                         .head_bytes = sizeof *window->head,
                                         .window_bytes = WINDOW_PAGES_BYTES,
                                         .capacity_bytes = CAPACITY_BYTES,
                                         .data_offset = LAYOUT_DATA_OFFSET,
                                         .block_bytes = 4096,
                                         .checkpoint_offset = WINDOW_CHECKPOINT_OFFSET,
                                         .figures_offset = WINDOW_FIGURES_OFFSET,
                                         .epoch = 7,
                                         .gap_count = 2,
                                         .uuid = {1}};
    window->gaps[0] = (struct window_gap){.from = 4096, .to = 8192, .first_sequence = 3};
    window->gaps[1] = (struct window_gap){.from = 8192, .to = 12288, .first_sequence = 3, .count = 1, .damaged = 1};
    return 0;
}

static int end(void **state) {
    (void)state;
    window_memory_close(&memory);
    return 0;
}

static int attach(void) {
    struct attached_window attached;
    window_seal(window, crc_seed_of(window->head->uuid));
    const int rc = window_attach(memory.fd, "/run/w", &attached);
    if (rc == 0) {
        window_detach(&attached);
    } else {
        assert_non_null(strstr(error_text(), "/run/w"));
    }
    return rc;
}

static void seal_memory(void) {
    const int fd = window_memory_seal(&memory);
    assert_true(fd >= 0);
    close(fd);
}

static void a_window_of_a_log_is_taken(void **state) {
    (void)state;
    seal_memory();
    assert_int_equal(attach(), 0);
}

static void memory_that_can_be_cut_is_refused(void **state) {
    (void)state;
    assert_int_equal(attach(), -EPERM);
}

static void each_field_that_leads_astray_is_refused(void **state) {
    (void)state;
    seal_memory();
    struct window_head *head = window->head;
    const struct window_head whole = *head;
#define REFUSED(field, value, code)                                                                                    \
    do {                                                                                                               \
        head->field = (value);                                                                                         \
        assert_int_equal(attach(), code);                                                                              \
        *head = whole;                                                                                                 \
    } while (0)
    REFUSED(magic, 1, -EUCLEAN);
    REFUSED(version, 2, -EPROTO);
    REFUSED(incompatible, 1, -EPROTO);
    REFUSED(head_bytes, 8, -EUCLEAN);
    REFUSED(head_bytes, 5000, -EUCLEAN);
    REFUSED(capacity_bytes, 0, -EUCLEAN);
    REFUSED(capacity_bytes, 4096, -EUCLEAN);
    REFUSED(capacity_bytes, CAPACITY_BYTES + 8, -EUCLEAN);
    REFUSED(capacity_bytes, 1ull << 60, -EUCLEAN);
    REFUSED(data_offset, 0, -EUCLEAN);
    REFUSED(block_bytes, 0, -EUCLEAN);
    REFUSED(block_bytes, 4097, -EUCLEAN);
    REFUSED(block_bytes, 1u << 31, -EUCLEAN);
    REFUSED(line_bytes, 63, -EUCLEAN);
    REFUSED(image_offset, 8, -EUCLEAN);
    REFUSED(image_offset, WINDOW_IMAGE_OFFSET, -EUCLEAN);
    REFUSED(image_offset, 4096, -EUCLEAN);
    REFUSED(image_offset, UINT64_MAX - 4095, -EUCLEAN);
    REFUSED(image_offset, WINDOW_PAGES_BYTES, -EUCLEAN); /* where the memory ends: it lacks the whole capacity */
    REFUSED(figures_offset, WINDOW_FIGURES_OFFSET + 64, -EUCLEAN);
    REFUSED(requests_offset, WINDOW_REQUESTS_OFFSET, -EUCLEAN); /* the memory has none */
    REFUSED(checkpoint_offset, UINT64_MAX, -EUCLEAN);
    head->gap_count = WINDOW_GAPS_MAX + 1; /* too many to be sealed */
    struct attached_window attached;
    assert_int_equal(window_attach(memory.fd, "/run/w", &attached), -EUCLEAN);
    *head = whole;
    window_seal(window, crc_seed_of(head->uuid));
    head->epoch++;
    assert_int_equal(window_attach(memory.fd, "/run/w", &attached), -EUCLEAN);
}

static void gaps_that_lead_back_or_overlap_are_refused(void **state) {
    (void)state;
    seal_memory();
    struct window_gap *gap = &window->gaps[1];
    const struct window_gap whole = *gap;
    const struct window_gap bad[] = {{.from = 8192, .to = 8192},
                                     {.from = 8192, .to = 4096},
                                     {.from = 0, .to = 16384},
                                     {.from = 8192, .to = UINT64_MAX},
                                     {.from = 8192, .to = 12288, .count = UINT64_MAX},
                                     {.from = 8192, .to = 12288, .first_sequence = UINT64_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        *gap = bad[i];
        assert_int_equal(attach(), -EUCLEAN);
    }
    *gap = whole;
    assert_int_equal(attach(), 0);
}

static void a_descriptor_of_something_else_is_refused(void **state) {
    (void)state;
    struct attached_window attached;
    const int fd = (int)memfd_create("small", MFD_ALLOW_SEALING);
    assert_true(fd >= 0);
    assert_int_equal(window_attach(fd, "/run/w", &attached), -EPERM);
    assert_int_equal(ftruncate(fd, 4096), 0);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    assert_int_equal(window_attach(fd, "/run/w", &attached), -EUCLEAN);
    close(fd);
}

/* ------------------------------------------------------------------------------------------------------- greeting */

#define SENT_MOST 8

static unsigned sent; /* descriptors that the listener sends with its greeting */

static void *greet_one(void *listener) {
    const int guest = accept(*(int *)listener, NULL, NULL);
    struct window_greeting greeting = {.magic = WINDOW_GREETING_MAGIC, .version = WINDOW_VERSION};
    struct iovec part = {.iov_base = &greeting, .iov_len = sizeof greeting};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(SENT_MOST * sizeof(int))];
    } control = {.header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    const struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(sent * sizeof(int))};
    control.header.cmsg_len = CMSG_LEN(sent * sizeof(int));
    for (unsigned i = 0; i < sent; i++) {
        memcpy(CMSG_DATA(&control.header) + i * sizeof(int), &memory.fd, sizeof(int));
    }
    assert_int_equal(sendmsg(guest, &message, MSG_NOSIGNAL), sizeof greeting);
    close(guest);
    return NULL;
}

static unsigned count_open_files(void) {
    unsigned count = 0;
    DIR *files = opendir("/proc/self/fd");
    assert_non_null(files);
    while (readdir(files) != NULL) {
        count++;
    }
    closedir(files);
    return count;
}

static void a_listener_leaves_no_descriptor_open_however_many_it_sends(void **state) {
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/dev/shm/burst-attach-XXXXXX"};
    assert_non_null(mkdtemp(address.sun_path));
    strcat(address.sun_path, "/w");
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    const unsigned before = count_open_files();
    for (sent = 1; sent <= SENT_MOST; sent++) {
        struct window_socket socket;
        pthread_t thread;
        int window_fd = -1;
        assert_int_equal(pthread_create(&thread, NULL, greet_one, &listener), 0);
        assert_int_equal(window_connect(address.sun_path, &socket, &window_fd), 0);
        assert_int_equal(fcntl(window_fd, F_GETFD), FD_CLOEXEC);
        close(window_fd);
        window_disconnect(&socket);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(count_open_files(), before);
    }
    close(listener);
    unlink(address.sun_path);
    *strrchr(address.sun_path, '/') = '\0';
    rmdir(address.sun_path);
}

int main(void) {
#define ATTACH_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        ATTACH_TEST(a_window_of_a_log_is_taken),
        ATTACH_TEST(memory_that_can_be_cut_is_refused),
        ATTACH_TEST(each_field_that_leads_astray_is_refused),
        ATTACH_TEST(gaps_that_lead_back_or_overlap_are_refused),
        ATTACH_TEST(a_descriptor_of_something_else_is_refused),
        ATTACH_TEST(a_listener_leaves_no_descriptor_open_however_many_it_sends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
