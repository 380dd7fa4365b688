/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <time.h>

#include "consume/consumer_log.h"

static int has_no_inotify;
static void (*before_listing)(void);
static unsigned listings;
static time_t later_s; /* so much later is the clock than the times of files */

int __real_inotify_init1(int flags);
int __wrap_inotify_init1(int flags);
static int entries_left; /* a listing fails behind so many entries; 0: none fails */

struct dirent *__real_readdir(DIR *entries);
struct dirent *__wrap_readdir(DIR *entries);
DIR *__real_fdopendir(int folder);
DIR *__wrap_fdopendir(int folder);
int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

static unsigned waits_to_their_end;

int __real_ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask);
int __wrap_ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask);

int __wrap_ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
    const int rc = __real_ppoll(files, count, limit, mask);
    waits_to_their_end += rc == 0;
    return rc;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
    const int rc = __real_clock_gettime(clock, time);
    time->tv_sec += clock == CLOCK_REALTIME_COARSE ? later_s : 0;
    return rc;
}

int __wrap_inotify_init1(int flags) {
    errno = EMFILE;
    return has_no_inotify ? -1 : __real_inotify_init1(flags);
}

struct dirent *__wrap_readdir(DIR *entries) {
    if (entries_left > 0 && --entries_left == 0) {
        errno = EIO;
        return NULL;
    }
    return __real_readdir(entries);
}

DIR *__wrap_fdopendir(int folder) {
    void (*call)(void) = before_listing;
    before_listing = NULL;
    listings++;
    if (call != NULL) {
        call();
    }
    return __real_fdopendir(folder);
}

/* ----------------------------------------------------------------------------------------------------- in order */

static void each_record_comes_once_with_its_number(void **state) {
    (void)state;
    assert_int_equal(next(0), 0);
    assert_int_equal(log_write(600), 0);
    assert_true(read_folder(1)->segments > 10);
    const uint64_t behind = assert_all(1, 600);
    assert_int_equal(next(0), 0);
    assert_int_equal(burst_consumer_position(consumer), behind);
}

static void a_consumer_follows_what_is_written(void **state) {
    (void)state;
    seg_log.batch_records = 1;
    uint64_t number = 1;
    for (uint64_t sequence = 1; sequence < 300; sequence = sequence_behind(sequence)) {
        assert_int_equal(log_write(sequence), 0);
        assert_next(number++, sequence);
        assert_int_equal(next(0), 0);
    }
}

static void a_torn_record_is_waited_for(void **state) {
    (void)state;
    static uint8_t bytes[MOST_BYTES];
    assert_int_equal(log_write(15), 0);
    const size_t count = read_whole(segment_path(1), bytes, sizeof bytes);
    for (size_t missing = 1; missing <= record_bytes(length_of(15)); missing += 7) {
        assert_int_equal(truncate(segment_path(1), (off_t)(count - missing)), 0);
        if (missing % 2 == 0) {
            assert_int_equal(truncate(segment_path(1), (off_t)count), 0); /* zeros */
        }
        burst_consumer_seek(consumer, 1);
        assert_all(1, 13);
        assert_int_equal(next(0), 0);
    }
    FILE *file = fopen(segment_path(1), "r+");
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
    assert_next(10, 15);
}

static void append_frame(uint64_t segment, struct record_header header, const void *payload) {
    static uint8_t frame[400000];
    header.payload_crc = crc32c(0, payload, header.length);
    header.header_crc = crc32c(crc_seed_of(seg_log.parts.ring_uuid), &header, RECORD_CRC_COVERS);
    segment_frame_put(&header, payload, frame);
    FILE *file = fopen(segment_path(segment), "a");
    assert_int_equal(fwrite(frame, 1, record_bytes(header.length), file), record_bytes(header.length));
    fclose(file);
}

static void a_record_of_any_length_comes(void **state) {
    (void)state;
    static uint8_t payload[300001];
    memset(payload, 'p', sizeof payload);
    payload[300000] = 'q';
    assert_int_equal(log_write(3), 0);
    append_frame(1, (struct record_header){.sequence = 4, .length = 300001, .type = RECORD_DATA}, payload);
    append_frame(1, (struct record_header){.sequence = 5, .length = 0, .type = RECORD_DATA}, payload);
    append_frame(1, (struct record_header){.sequence = 6, .length = 200000, .type = RECORD_DATA}, payload);
    assert_all(1, 3);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.length, 300001);
    assert_memory_equal(record.data, payload, 300001);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.length, 0);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.length, 200000);
    assert_int_equal(record.number, 5);
}

static void a_loss_and_a_roll_are_told(void **state) {
    (void)state;
    const struct marker_loss loss = {.from = 4096, .to = 8192, .first_sequence = 4, .count = 3};
    assert_int_equal(log_write(3), 0);
    append_frame(1, (struct record_header){.sequence = 4, .length = sizeof loss, .type = SEGMENT_FRAME_LOSS}, &loss);
    append_frame(1, (struct record_header){.sequence = 7, .length = 4, .type = RECORD_DATA, .flags = RECORD_ROLL},
                 "roll");
    assert_all(1, 3);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.kind, BURST_CONSUMED_LOST);
    assert_int_equal(record.sequence, 4);
    assert_int_equal(record.count, 3);
    assert_null(record.data);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.kind, BURST_CONSUMED_ROLL);
    assert_memory_equal(record.data, "roll", 4);
}

static void segments_of_another_ring_are_read_on(void **state) {
    (void)state;
    assert_int_equal(log_write(15), 0);
    seg_log.outlet->ops->destroy(seg_log.outlet);
    seg_log.parts.ring_uuid[0]++;
    seg_log.noted_sequence = seg_log.written = 0;
    log_make_outlet();
    assert_int_equal(log_bind(), OUTLET_NOTE);
    assert_int_equal(log_write(6), 0);
    assert_int_equal(assert_all(1, 15), 11);
    assert_next(11, 1);
    assert_next(12, 3);
}

/* ------------------------------------------------------------------------------------------------------- waiting */

static void *write_all(void *until) {
    struct timespec while_it_waits = {.tv_nsec = 20000000};
    nanosleep(&while_it_waits, NULL);
    while (seg_log.written < *(const uint64_t *)until) {
        if (log_write(sequence_behind(seg_log.written)) != 0) {
            abort();
        }
    }
    return NULL;
}

/* Many segments end while the consumer waits. */
static void a_waiting_consumer_gets_what_is_written_meanwhile(void **state) {
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        uint64_t until = turn == 0 ? 900 : 990;
        uint64_t number = burst_consumer_position(consumer),
                 sequence = record.sequence > 0 ? (uint64_t)record.sequence : 0;
        pthread_t writer;
        pthread_create(&writer, NULL, write_all, &until);
        while (sequence < until) {
            sequence = sequence_behind(sequence);
            assert_int_equal(next(-1), 1);
            assert_int_equal(record.kind, BURST_CONSUMED_RECORD);
            assert_int_equal(record.number, number++);
            assert_int_equal(record.sequence, sequence);
        }
        pthread_join(writer, NULL);
        const int64_t last = record.sequence;
        assert_int_equal(burst_consumer_ack(consumer, record.number), 0);
        has_no_inotify = 1;
        reopen_consumer();
        record.sequence = last;
    }
    has_no_inotify = 0;
}

static void a_wait_ends(void **state) {
    (void)state;
    assert_int_equal(next(1000000), 0);
    has_no_inotify = 1;
    reopen_consumer();
    assert_int_equal(next(3000000), 0);
    has_no_inotify = 0;
}

static unsigned count_open_files(void) {
    unsigned count = 0;
    DIR *files = opendir("/proc/self/fd");
    while (__real_readdir(files) != NULL) {
        count++;
    }
    closedir(files);
    return count;
}

/* The lag reads beside the consumer: its files are closed, too. */
static void a_closed_consumer_has_nothing_open(void **state) {
    (void)state;
    burst_consumer_lag_t lag = {.struct_bytes = sizeof lag};
    assert_int_equal(log_write(6), 0);
    const unsigned before = count_open_files();
    burst_consumer_t *second = open_consumer("second");
    assert_int_equal(burst_consumer_lag(second, &lag), 0);
    assert_true(count_open_files() > before);
    burst_consumer_close(second);
    assert_int_equal(count_open_files(), before);
}

static void write_more(void) {
    assert_int_equal(log_write(sequence_behind(seg_log.written)), 0);
}

/* The log writes between the look that found nothing and the wait. */
static void what_is_written_before_a_wait_ends_it(void **state) {
    (void)state;
    assert_int_equal(log_write(6), 0);
    assert_all(1, 6);
    before_listing = write_more;
    assert_int_equal(next(5000000000), 1);
    assert_int_equal(record.number, 5);
}

static void write_more_at_the_next(void) {
    before_listing = write_more;
}

/* The log writes between the last look and the wait itself: the consumer does not wait a second. */
static void what_is_written_at_the_last_look_before_a_wait_ends_it_at_once(void **state) {
    (void)state;
    assert_int_equal(log_write(6), 0);
    assert_all(1, 6);
    before_listing = write_more_at_the_next;
    waits_to_their_end = 0;
    assert_int_equal(next(5000000000), 1);
    assert_int_equal(record.number, 5);
    assert_int_equal(waits_to_their_end, 0);
}

static void end_the_segment(void) {
    const unsigned notes = seg_log.notes;
    while (seg_log.notes == notes) {
        assert_int_equal(log_write(sequence_behind(seg_log.written)), 0);
    }
}

/* The consumer has found the segment's end; then the log writes on and begins another segment. */
static void what_is_written_while_a_consumer_looks_is_not_passed_over(void **state) {
    (void)state;
    seg_log.batch_records = 1;
    assert_int_equal(log_write(6), 0);
    assert_all(1, 6);
    before_listing = end_the_segment;
    assert_next(5, 7);
    assert_all(6, seg_log.written);
}

/* The consumer passes over no segment when a listing fails. */
static void a_listing_that_fails_is_refused(void **state) {
    (void)state;
    assert_int_equal(log_write(600), 0);
    for (int left = 1; left < 12; left++) {
        burst_consumer_seek(consumer, 1);
        entries_left = left;
        assert_int_equal(burst_consumer_next(consumer, &record, 0), -EIO);
        entries_left = 0;
        assert_next(1, 1);
    }
    assert_all(2, 600);
}

/* A folder of very many segments is not listed for each record. */
static void a_folder_that_is_unchanged_is_listed_once(void **state) {
    (void)state;
    seg_log.batch_records = 1;
    assert_int_equal(log_write(3), 0);
    assert_all(1, 3);
    later_s = 10;
    assert_int_equal(next(0), 0);
    listings = 0;
    const unsigned notes = seg_log.notes;
    for (uint64_t number = 3; number < 10; number++) {
        assert_int_equal(log_write(sequence_behind(seg_log.written)), 0);
        assert_next(number, seg_log.written);
        assert_int_equal(next(0), 0);
    }
    assert_int_equal(seg_log.notes, notes);
    assert_int_equal(listings, 0);
    end_the_segment();
    assert_all(10, seg_log.written);
    assert_int_equal(next(0), 0);
    assert_true(listings > 0);
    /* A file that was changed just now may change again within the same tick of its time. */
    later_s = 0;
    before_listing = end_the_segment;
    end_the_segment();
    while (next(0) == 1) {
    }
    assert_int_equal(record.sequence, seg_log.written);
    end_the_segment();
    while (next(0) == 1) {
    }
    assert_int_equal(record.sequence, seg_log.written);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CONSUMER_TEST(each_record_comes_once_with_its_number),
        CONSUMER_TEST(a_consumer_follows_what_is_written),
        CONSUMER_TEST(a_torn_record_is_waited_for),
        CONSUMER_TEST(a_record_of_any_length_comes),
        CONSUMER_TEST(a_loss_and_a_roll_are_told),
        CONSUMER_TEST(segments_of_another_ring_are_read_on),
        CONSUMER_TEST(a_waiting_consumer_gets_what_is_written_meanwhile),
        CONSUMER_TEST(a_wait_ends),
        CONSUMER_TEST(a_closed_consumer_has_nothing_open),
        CONSUMER_TEST(what_is_written_before_a_wait_ends_it),
        CONSUMER_TEST(what_is_written_at_the_last_look_before_a_wait_ends_it_at_once),
        CONSUMER_TEST(what_is_written_while_a_consumer_looks_is_not_passed_over),
        CONSUMER_TEST(a_listing_that_fails_is_refused),
        CONSUMER_TEST(a_folder_that_is_unchanged_is_listed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
