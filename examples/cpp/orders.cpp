// SPDX-License-Identifier: Apache-2.0
// Logs ten orders; each is durable when its append returns. Kill it at any time and start it again.
//
//     g++ -std=c++17 -o orders orders.cpp $(pkg-config --cflags --libs burstlog)
#include <burstlog.hpp>

#include <iostream>
#include <string>

int main() try {
    // doc: orders
    burstlog::config config;
    config.ring = "orders.ring";
    config.main.emplace().file_name = "orders.log";
    burstlog::log log(config);

    for (int order = 1; order <= 10; order++) {
        const auto sequence = log.append("order " + std::to_string(order) + "\n");
        std::cout << "order " << order << " is durable as record " << sequence << "\n";
    }
    // end
} catch (const std::exception &failure) {
    std::cerr << failure.what() << "\n";
    return 1;
}
