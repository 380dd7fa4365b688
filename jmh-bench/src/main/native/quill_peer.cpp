// SPDX-License-Identifier: Apache-2.0
/* quill: its thread writes what the caller has left in a queue; the caller waits until it has flushed.
 *
 *     quill_peer serve FILE MESSAGE flush|fsync
 */
#include <chrono>
#include <thread>

#include "quill/Backend.h"
#include "quill/Frontend.h"
#include "quill/LogMacros.h"
#include "quill/Logger.h"
#include "quill/sinks/FileSink.h"

#include "serve.h"

int main(int argc, char **argv) {
    if (argc != 5 || !is(argv[1], "serve")) {
        std::fprintf(stderr, "usage: quill_peer serve FILE MESSAGE flush|fsync\n");
        return 2;
    }
    quill::BackendOptions options;
    /* Without a sleep, as in its own benchmarks: else a caller waits 100 us for the thread. */
    options.sleep_duration = std::chrono::nanoseconds{0};
    options.enable_yield_when_idle = true;
    options.backend_worker_on_poll_begin = [] {
        if (!has_its_turn) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    };
    quill::Backend::start(options);
    quill::FileSinkConfig config;
    config.set_fsync_enabled(is(argv[4], "fsync"));
    quill::Logger *logger = quill::Frontend::create_or_get_logger(
        "peer", quill::Frontend::create_or_get_sink<quill::FileSink>(argv[2], config),
        quill::PatternFormatterOptions{"%(message)"});
    const std::string message = argv[3];
    serve([&] {
        LOG_INFO(logger, "{}", message);
        logger->flush_log(0);
    });
    return 0;
}
