// SPDX-License-Identifier: Apache-2.0
/* Postgres: each message is an insert and a commit of its own. The server runs already, or is about to.
 *
 *     postgres_peer serve CONNECTION MESSAGE
 *     postgres_peer count CONNECTION
 */
#include <unistd.h>

#include <libpq-fe.h>

#include "serve.h"

constexpr int patience_tenths = 600;

static PGconn *server;

static PGresult *check(const char *what, PGresult *result) {
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        die(what, PQerrorMessage(server));
    }
    return result;
}

static void run(const char *sql) {
    PQclear(check(sql, PQexec(server, sql)));
}

int main(int argc, char **argv) {
    const bool serves = argc == 4 && is(argv[1], "serve");
    if (!serves && !(argc == 3 && is(argv[1], "count"))) {
        std::fprintf(stderr, "usage: postgres_peer serve CONNECTION MESSAGE\n       postgres_peer count CONNECTION\n");
        return 2;
    }
    for (int i = 0; i < patience_tenths && PQping(argv[2]) != PQPING_OK; i++) {
        usleep(100000);
    }
    server = PQconnectdb(argv[2]);
    if (PQstatus(server) != CONNECTION_OK) {
        die("connect", PQerrorMessage(server));
    }
    if (serves) {
        run("CREATE TABLE IF NOT EXISTS log (number BIGSERIAL PRIMARY KEY, message TEXT NOT NULL)");
        PQclear(check("prepare", PQprepare(server, "put", "INSERT INTO log (message) VALUES ($1)", 1, nullptr)));
        const char *const values[] = {argv[3]};
        serve([&] { PQclear(check("insert", PQexecPrepared(server, "put", 1, values, nullptr, nullptr, 0))); });
    } else {
        PGresult *result = check("count", PQexec(server, "SELECT count(*) FROM log"));
        std::printf("%s\n", PQgetvalue(result, 0, 0));
        PQclear(result);
    }
    PQfinish(server);
    return 0;
}
