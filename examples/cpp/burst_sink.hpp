// SPDX-License-Identifier: Apache-2.0
// A sink for spdlog: a message is durable when the call that logs it returns. Copy it into your project.
#pragma once

#include <burstlog.hpp>
#include <spdlog/sinks/sink.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <spdlog/pattern_formatter.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

// Formatting is for one thread at a time, appending is not: threads that log at once share one write to the ring. So this is
// no spdlog::sinks::base_sink, which would hold its lock while it waits for the medium.
class burst_sink final : public spdlog::sinks::sink {
  public:
    // Several sinks may write to one log, or to streams of one log: any burstlog::writer.
    explicit burst_sink(std::shared_ptr<burstlog::writer> log)
        : log_(std::move(log)), formatter_(std::make_unique<spdlog::pattern_formatter>()) {
    }

    void log(const spdlog::details::log_msg &message) override {
        spdlog::memory_buf_t line;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            formatter_->format(message, line);
        }
        log_->append(std::string_view(line.data(), line.size()), message.time.time_since_epoch());
    }

    // What log() has returned from is durable.
    void flush() override {
    }

    void set_pattern(const std::string &pattern) override {
        set_formatter(std::make_unique<spdlog::pattern_formatter>(pattern));
    }

    void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        formatter_ = std::move(formatter);
    }

  private:
    const std::shared_ptr<burstlog::writer> log_;
    std::mutex mutex_;
    std::unique_ptr<spdlog::formatter> formatter_;
};

// spdlog prints what a sink throws, and goes on. With this handler the call that logs throws it instead: nothing that was not
// logged goes unseen.
[[noreturn]] inline void throw_what_was_not_logged(const std::string &sentence) {
    throw std::runtime_error(sentence);
}
