// SPDX-License-Identifier: Apache-2.0
// Logs ten orders; each is durable when its append returns. Kill it at any time and start it again.
//
//     g++ -std=c++17 -o orders orders.cpp $(pkg-config --cflags --libs burstlog)
#include <burstlog.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

int main() try {
    burst_config_t config;
    burst_config_init(&config);
    config.ring = "orders.ring";
    config.file_name = "orders.log";

    burst_t *opened;
    if (burst_open(&config, &opened) < 0)
        throw std::runtime_error(burst_last_error());
    const std::unique_ptr<burst_t, int64_t (*)(burst_t *)> log(opened, burst_close);

    for (int order = 1; order <= 10; order++) {
        const std::string line = "order " + std::to_string(order) + "\n";
        const int64_t sequence = burst_append(log.get(), line.data(), line.size(), 0);
        if (sequence < 0)
            throw std::runtime_error(burst_last_error());
        std::cout << "order " << order << " is durable as record " << sequence << "\n";
    }
} catch (const std::exception &failure) {
    std::cerr << failure.what() << "\n";
    return 1;
}
