/* SPDX-License-Identifier: Apache-2.0 */
/* Ring and log files of a trial: made once, kept in memory, and written back for each trial. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burstlog.h"
#include "../../one_stream.h"
#include "media/record.h"
#include "outlet/file/fs.h"
#include "trial.h"

#define RING_BYTES (2u * 1024 * 1024)
#define BLOCK_BYTES 4096u
#define FILES_MAX 32
#define FILLER_RECORDS 7
#define FILLER_BYTES (100u * 1024)

struct kept_file {
    char name[64];
    uint8_t *bytes;
    size_t length;
    struct file_mark mark;
};

struct snapshot {
    uint8_t ring[RING_BYTES];
    size_t ring_bytes; /* 0: no ring, or an empty file */
    int ring_is_there;
    struct kept_file files[FILES_MAX];
    int file_count;
    struct trial trial;
};

static struct snapshot waiting, remembered;

static void need(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "the stage cannot be set: %s: %s\n", what, strerror(errno));
        abort();
    }
}

int stage_files(char names[][64], int most) {
    DIR *folder = opendir("logs");
    int count = 0;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.') {
            need(count < most, "too many log files");
            snprintf(names[count++], 64, "%.63s", entry->d_name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count;
}

static void path_of(char *path, const char *name) {
    snprintf(path, 80, "logs/%.63s", name);
}

/* Lists log files, then segments, then their consumers' positions. */
static int all_files(char names[][64], int most) {
    static const char *const folders[] = {"", ".segments/", ".segments/consumers/"};
    int count = 0;
    for (int i = 0; i < 3; i++) {
        char path[80];
        path_of(path, folders[i]);
        DIR *folder = opendir(path);
        for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
            if (entry->d_name[0] != '.' && entry->d_type != DT_DIR && entry->d_type != DT_FIFO &&
                entry->d_type != DT_LNK) {
                need(count < most, "too many files");
                snprintf(names[count++], 64, "%s%.40s", folders[i], entry->d_name);
            }
        }
        if (folder != NULL) {
            closedir(folder);
        }
    }
    return count;
}

static struct file_mark mark_of(const char *path) {
    struct file_mark mark;
    need(files_posix.ops->mark_of_path(&files_posix, path, &mark) == 0, path);
    return mark;
}

static void keep_file(struct kept_file *kept, const char *name) {
    char path[80];
    struct stat status = {0};
    path_of(path, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    need(fd >= 0 && fstat(fd, &status) == 0, path);
    kept->length = (size_t)status.st_size;
    kept->bytes = realloc(kept->bytes, kept->length + 1);
    need(read(fd, kept->bytes, kept->length) == (ssize_t)kept->length, path);
    memcpy(kept->name, name, sizeof kept->name);
    kept->mark = mark_of(path);
    close(fd);
}

static void take(struct snapshot *snapshot, const struct trial *trial) {
    static char names[FILES_MAX][64];
    const int fd = open("ring", O_RDONLY | O_CLOEXEC);
    snapshot->ring_is_there = fd >= 0;
    snapshot->ring_bytes = fd < 0 ? 0 : (size_t)pread(fd, snapshot->ring, RING_BYTES, 0);
    if (fd >= 0) {
        close(fd);
    }
    snapshot->file_count = all_files(names, FILES_MAX);
    for (int i = 0; i < snapshot->file_count; i++) {
        keep_file(&snapshot->files[i], names[i]);
    }
    snapshot->trial = *trial;
}

/* Guards of locks stay where a fault made the engine take one. */
static void remove_guards(const char *path) {
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.' && strstr(entry->d_name, ".burstlog-lock") != NULL) {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

/* A killed log leaves the socket of its window. */
static void remove_of_readers(void) {
    static const char *const folders[] = {".", "logs/.burstlog-index"};
    for (int i = 0; i < 2; i++) {
        DIR *folder = opendir(folders[i]);
        for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
            if (entry->d_type == DT_SOCK || (i == 1 && entry->d_type == DT_REG)) {
                unlinkat(dirfd(folder), entry->d_name, 0);
            }
        }
        if (folder != NULL) {
            closedir(folder);
        }
    }
    rmdir(folders[1]);
    unlink("ring.flight"); /* a log that has a window keeps its flight in it */
}

static void remove_files(void) {
    static char names[FILES_MAX][64];
    char path[80];
    const int count = all_files(names, FILES_MAX);
    for (int i = 0; i < count; i++) {
        path_of(path, names[i]);
        unlink(path);
    }
    remove_guards(".");
    remove_guards("logs");
    remove_guards("logs/.segments");
    rmdir("logs/.segments/consumers/lost+found"); /* session_put_strangers */
    unlink("logs/.segments/consumers/fifo");
    unlink("logs/.segments/consumers/link");
    rmdir("logs/.segments/consumers");
    rmdir("logs/.segments");
    unlink(".ring.burstlog-creating");
    remove_of_readers();
}

/* To the kernel a file that is written back is another file. So the checkpoint gets the new file's marks in place of
 * the old one's: in the life that the trial tells nobody has copied anything. */
static void take_over_marks(struct one_stream *checkpoint, const struct file_mark *before,
                            const struct file_mark *now) {
    struct checkpoint_entry *streams = &checkpoint->stream;
    for (uint32_t i = 0; i < checkpoint->head.stream_count; i++) {
        struct outlet_mark *mark = &streams[i].mark;
        if (mark->inode == before->inode && mark->handle_crc == before->handle_crc) {
            mark->inode = now->inode;
            mark->born_ns = now->born_ns;
            mark->handle_type = now->handle_type;
            mark->handle_bytes = now->handle_bytes;
            mark->handle_crc = now->handle_crc;
        }
    }
}

static void take_over_mark(uint8_t *ring, const struct file_mark *before, const struct file_mark *now) {
    const struct superblock *superblock = (const struct superblock *)ring;
    const uint32_t crc_seed = crc_seed_of(superblock->uuid);
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        struct one_stream *checkpoint = (struct one_stream *)(ring + LAYOUT_CHECKPOINT_OFFSET(slot));
        if (one_stream_stands(checkpoint, crc_seed, superblock->capacity_bytes)) {
            take_over_marks(checkpoint, before, now);
            one_stream_seal(checkpoint, crc_seed);
        }
    }
}

/* Writes only the blocks that differ. */
static void put_ring(const struct snapshot *snapshot, const struct file_mark *marks) {
    static uint8_t present[RING_BYTES], wanted[RING_BYTES];
    if (!snapshot->ring_is_there) {
        unlink("ring");
        return;
    }
    memcpy(wanted, snapshot->ring, sizeof wanted);
    for (int i = 0; i < snapshot->file_count && snapshot->ring_bytes == RING_BYTES; i++) {
        take_over_mark(wanted, &snapshot->files[i].mark, &marks[i]);
    }
    const int fd = open("ring", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    need(fd >= 0, "ring");
    const ssize_t got = pread(fd, present, RING_BYTES, 0);
    need(got == (ssize_t)snapshot->ring_bytes || ftruncate(fd, (off_t)snapshot->ring_bytes) == 0, "ring");
    for (size_t at = 0; at < snapshot->ring_bytes; at += BLOCK_BYTES) {
        if (got < (ssize_t)(at + BLOCK_BYTES) || memcmp(present + at, wanted + at, BLOCK_BYTES) != 0) {
            need(pwrite(fd, wanted + at, BLOCK_BYTES, (off_t)at) == BLOCK_BYTES, "ring");
        }
    }
    close(fd);
}

static void put(const struct snapshot *snapshot, struct trial *trial) {
    struct file_mark marks[FILES_MAX];
    remove_files();
    if (snapshot->file_count > 0) {
        mkdir("logs", 0700);
    } else {
        rmdir("logs");
    }
    for (int i = 0; i < snapshot->file_count; i++) {
        char path[80];
        path_of(path, snapshot->files[i].name);
        if (strncmp(snapshot->files[i].name, ".segments", 9) == 0) {
            mkdir("logs/.segments", 0700);
            mkdir("logs/.segments/consumers", 0700);
        }
        const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        need(fd >= 0 &&
                 write(fd, snapshot->files[i].bytes, snapshot->files[i].length) == (ssize_t)snapshot->files[i].length,
             path);
        close(fd);
        marks[i] = mark_of(path);
    }
    put_ring(snapshot, marks);
    *trial = snapshot->trial;
}

void stage_remember(const struct trial *trial) {
    take(&remembered, trial);
}

void stage_recall(struct trial *trial) {
    put(&remembered, trial);
}

static burst_t *open_for_the_stage(const char *file_name) {
    const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = file_name};
    burst_config_t config;
    burst_t *log;
    burst_config_init(&config);
    config.ring = "ring";
    config.io = BURST_IO_PWRITE;
    config.main = &main_config;
    config.ring_bytes = RING_BYTES;
    config.durability = BURST_DURABILITY_PROCESS;
    config.drain_interval_ns = 3600ull * 1000000000;
    const int rc = ENGINE(int, burst_open(&config, &log));
    need(rc == 0, burst_last_error());
    shim_settle();
    return log;
}

static void append_for_the_stage(burst_t *log, struct trial *trial, size_t length) {
    static char text[FILLER_BYTES + 1];
    const uint32_t number = ++trial->record_count;
    const int64_t sequence = ENGINE(int64_t, burst_append(log, text, make_record(text, number, length), 0));
    need(sequence > 0, burst_last_error());
    trial->records[number].sequence = sequence;
    trial->records[number].fate = FATE_ACKNOWLEDGED;
}

static void drain_for_the_stage(burst_t *log) {
    const int drained = ENGINE(int, burst_await_drained(log, -1));
    need(drained == 1, "draining");
    shim_settle();
}

/* Makes a ring near the end of its lap, as a killed process leaves it: the log file has some of the records, the
 * last ones wait. */
static void make_waiting(void) {
    static const size_t lengths[] = {33, 3000, 5000, 28, 4200, 29};
    static struct trial filler;
    struct trial trial = {.scenario = SCENARIO_WAITING};
    burst_t *log = open_for_the_stage("filler");
    for (int i = 0; i < FILLER_RECORDS; i++) {
        append_for_the_stage(log, &filler, FILLER_BYTES);
    }
    drain_for_the_stage(log);
    need(ENGINE(int64_t, burst_close(log)) == 0, "close");
    log = open_for_the_stage("logs/log");
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        append_for_the_stage(log, &trial, lengths[i]);
        if (i == 2) {
            drain_for_the_stage(log);
        }
    }
    take(&waiting, &trial);
    need(ENGINE(int64_t, burst_close(log)) == 0, "close");
    unlink("filler");
}

void stage_build(char *folder) {
    need(mkdtemp(folder) != NULL && chdir(folder) == 0, folder);
    shim_arm(NULL);
    make_waiting();
}

void stage_remove(const char *folder) {
    remove_files();
    unlink("ring");
    rmdir("logs");
    need(chdir("/") == 0 && rmdir(folder) == 0, folder);
}

void stage_set(struct trial *trial, enum scenario scenario) {
    static struct snapshot none, empty = {.ring_is_there = 1};
    put(scenario < SCENARIO_NEW ? &waiting : scenario == SCENARIO_NEW_EMPTY ? &empty : &none, trial);
    trial->scenario = scenario;
    shim_weather = (struct shim_weather){.no_exclusive_rename = scenario == SCENARIO_NEW_LINKED};
}
