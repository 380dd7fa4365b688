// SPDX-License-Identifier: Apache-2.0
/* RocksDB: each message is a put of its own, whose write-ahead log is synced.
 *
 *     rocksdb_peer serve FOLDER MESSAGE
 *     rocksdb_peer count FOLDER
 */
#include <memory>

#include "rocksdb/db.h"

#include "serve.h"

static void check(const char *what, const rocksdb::Status &status) {
    if (!status.ok()) {
        die(what, status.ToString());
    }
}

/* Big-endian: keys are in the order of the messages. */
static std::string key_of(uint64_t number) {
    std::string key(sizeof number, '\0');
    for (size_t i = key.size(); i-- > 0; number >>= 8) {
        key[i] = static_cast<char>(number);
    }
    return key;
}

int main(int argc, char **argv) {
    const bool serves = argc == 4 && is(argv[1], "serve");
    if (!serves && !(argc == 3 && is(argv[1], "count"))) {
        std::fprintf(stderr, "usage: rocksdb_peer serve FOLDER MESSAGE\n       rocksdb_peer count FOLDER\n");
        return 2;
    }
    rocksdb::Options options;
    options.create_if_missing = true;
    rocksdb::DB *opened = nullptr;
    check("open", rocksdb::DB::Open(options, argv[2], &opened));
    const std::unique_ptr<rocksdb::DB> db(opened);
    if (serves) {
        rocksdb::WriteOptions synced;
        synced.sync = true;
        uint64_t number = 0;
        serve([&] { check("put", db->Put(synced, key_of(number++), argv[3])); });
        return 0;
    }
    uint64_t count = 0;
    const std::unique_ptr<rocksdb::Iterator> each(db->NewIterator(rocksdb::ReadOptions()));
    for (each->SeekToFirst(); each->Valid(); each->Next()) {
        count++;
    }
    check("read", each->status());
    std::printf("%llu\n", static_cast<unsigned long long>(count));
    return 0;
}
