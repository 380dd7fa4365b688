// SPDX-License-Identifier: Apache-2.0
/* SQLite with a write-ahead log and synchronous=FULL: each message is an insert and a transaction of its own.
 *
 *     sqlite_peer serve FILE MESSAGE
 *     sqlite_peer count FILE
 */
#include <sqlite3.h>

#include "serve.h"

static sqlite3 *db;

static void check(const char *what, bool good) {
    if (!good) {
        die(what, sqlite3_errmsg(db));
    }
}

static void run(const char *sql) {
    check(sql, sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
}

static sqlite3_stmt *prepared(const char *sql) {
    sqlite3_stmt *statement = nullptr;
    check(sql, sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) == SQLITE_OK);
    return statement;
}

int main(int argc, char **argv) {
    const bool serves = argc == 4 && is(argv[1], "serve");
    if (!serves && !(argc == 3 && is(argv[1], "count"))) {
        std::fprintf(stderr, "usage: sqlite_peer serve FILE MESSAGE\n       sqlite_peer count FILE\n");
        return 2;
    }
    check("open", sqlite3_open(argv[2], &db) == SQLITE_OK);
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run("CREATE TABLE IF NOT EXISTS log (number INTEGER PRIMARY KEY, message TEXT NOT NULL)");
    sqlite3_stmt *statement = prepared(serves ? "INSERT INTO log (message) VALUES (?1)" : "SELECT count(*) FROM log");
    if (serves) {
        check("bind", sqlite3_bind_text(statement, 1, argv[3], -1, SQLITE_STATIC) == SQLITE_OK);
        serve([&] {
            check("insert", sqlite3_step(statement) == SQLITE_DONE);
            sqlite3_reset(statement);
        });
    } else {
        check("count", sqlite3_step(statement) == SQLITE_ROW);
        std::printf("%lld\n", static_cast<long long>(sqlite3_column_int64(statement, 0)));
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return 0;
}
