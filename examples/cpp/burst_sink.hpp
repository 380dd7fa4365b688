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

// One thread formats at a time; appends run side by side, and threads that log at once share one write to the ring. So
// this is no spdlog::sinks::base_sink, which would hold its lock while it waits for the medium.
class burst_sink final : public spdlog::sinks::sink {
  public:
    // Several sinks may share one log, or write to streams of one log: any burstlog::writer.
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

    // Messages of log() calls that have returned are durable already.
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

// spdlog prints an exception of a sink, and goes on. With this handler the call that logs throws it instead, so each
// message that was not logged is noticed.
[[noreturn]] inline void throw_what_was_not_logged(const std::string &sentence) {
    throw std::runtime_error(sentence);
}
