// SPDX-License-Identifier: Apache-2.0
// Logs ten orders by spdlog; each is durable when its call returns. An order that cannot be logged is not confirmed.
//
//     g++ -std=c++17 -o orders spdlog_orders.cpp $(pkg-config --cflags --libs burstlog spdlog)
#include "burst_sink.hpp"

#include <iostream>
#include <spdlog/logger.h>

int main() try {
    burstlog::config config;
    config.ring = "orders.ring";
    config.main.emplace().file_name = "orders.log";
    const auto log = std::make_shared<burstlog::log>(config);

    spdlog::logger logger("orders", std::make_shared<burst_sink>(log));
    logger.set_pattern("%l %v");
    logger.set_error_handler(throw_what_was_not_logged);
    for (int order = 1; order <= 10; order++) {
        logger.info("order {}", order);
        std::cout << "order " << order << " is durable\n";
    }

    log->close();
    try {
        logger.info("order 11");
        std::cout << "order 11 is confirmed, and nowhere\n";
    } catch (const std::exception &failure) {
        std::cout << "order 11 is refused: " << failure.what() << "\n";
    }
} catch (const std::exception &failure) {
    std::cerr << failure.what() << "\n";
    return 1;
}
