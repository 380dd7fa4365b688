// SPDX-License-Identifier: Apache-2.0
/* spdlog: the calling thread writes into a buffer of stdio, and flushes it for each message.
 *
 *     spdlog_peer serve FILE MESSAGE
 */
#include "spdlog/sinks/basic_file_sink.h"
#include "spdlog/spdlog.h"

#include "serve.h"

int main(int argc, char **argv) {
    if (argc != 4 || !is(argv[1], "serve")) {
        std::fprintf(stderr, "usage: spdlog_peer serve FILE MESSAGE\n");
        return 2;
    }
    const auto logger = spdlog::basic_logger_mt("peer", argv[2]);
    logger->set_pattern("%v");
    logger->flush_on(spdlog::level::info);
    const std::string message = argv[3];
    serve([&] { logger->info("{}", message); });
    return 0;
}
