/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Burstlog for C++17 and later: a log whose append returns when the record is durable. This header gives
 * burstlog.h another form: the comment of a function says what differs from the C function that it calls.
 * burstlog_tasks.h, burstlog_reader.h, burstlog_consumer.h and burstlog_copier.h have none: their functions take handle() and
 * stream_handle().
 *
 *     burstlog::config config;
 *     config.ring = "orders.ring";
 *     config.main.emplace().file_name = "orders.log";
 *     burstlog::log log(config);
 *     log.append("order 1\n"); // durable when it returns
 *
 * Failures. Each function that can fail takes a std::error_code as its last argument. Without one it throws
 * burstlog::error; with one it throws no error of the log (std::bad_alloc and the like remain), sets it, and returns 0,
 * false or an empty value; last_error() is the sentence. The code is an errno of std::generic_category(), as burstlog.h
 * explains them: failure.code() == std::errc::device_or_resource_busy.
 *
 * Threads. Any thread may call any function of an open object at any time, close() included. Moving, assigning and
 * destroying an object is for one thread, while no other uses it. An object that is empty (made by no argument, or
 * moved from) may only be assigned, destroyed, and asked whether it is open.
 *
 * Times. A timeout of `forever` waits without bound; zero or less does not wait. In a configuration zero is the
 * default.
 */
#ifndef BURSTLOG_HPP
#define BURSTLOG_HPP

#include <burstlog.h>

#include <burstlog_types.hpp>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace burstlog {

/*
 * Writes records: to a log (its main stream), or to a stream. event_time: time since the epoch of any clock of the
 * caller, for instance message.time.time_since_epoch(). It is kept with the record, and is no part of the log file.
 */
class writer {
  public:
    /* Returns the record's sequence once it and all before it are durable in the ring; 0 if the ring was full and
     * on_full is discard. Calls burst_append. */
    std::int64_t append(record_view record, nanoseconds event_time = {}, error_to ec = {}) {
        return ec.answer(burst_stream_append(stream_, record.data(), record.size(), event_time.count()));
    }
    std::int64_t append(record_view record, within rule, nanoseconds event_time = {}, error_to ec = {}) {
        return ec.answer(burst_stream_append_within(stream_, record.data(), record.size(), event_time.count(),
                                                    static_cast<burst_on_full>(rule.on_full),
                                                    detail::timeout_ns(rule.timeout)));
    }

    /* Returns the record's sequence, or 0 as append does, as soon as the record is accepted. It becomes durable in the
     * background; before that it is lost with the process. log::await_durable waits for that. Calls burst_enqueue. */
    std::int64_t enqueue(record_view record, nanoseconds event_time = {}, error_to ec = {}) {
        return ec.answer(burst_stream_enqueue(stream_, record.data(), record.size(), event_time.count()));
    }
    std::int64_t enqueue(record_view record, within rule, nanoseconds event_time = {}, error_to ec = {}) {
        return ec.answer(burst_stream_enqueue_within(stream_, record.data(), record.size(), event_time.count(),
                                                     static_cast<burst_on_full>(rule.on_full),
                                                     detail::timeout_ns(rule.timeout)));
    }

    /* Enqueues without ever waiting. Empty when the ring is full, which is no error. Calls burst_offer. */
    std::optional<std::int64_t> offer(record_view record, nanoseconds event_time = {}, error_to ec = {}) {
        return taken(burst_stream_offer(stream_, record.data(), record.size(), event_time.count()), ec);
    }

    /* Ends the log file behind the records accepted so far, even if it rolls by itself. Returns the sequence of the
     * roll once that is durable; 0 as append does. time: since 1970, the birth of the file that begins. Calls
     * burst_stream_roll. */
    std::int64_t roll(const burstlog::roll &wanted, nanoseconds time, error_to ec = {}) {
        const burst_roll_t c = wanted.to_c();
        return ec.answer(burst_stream_roll(stream_, &c, time.count()));
    }

    /* Rolls like roll(), without ever waiting: the roll becomes durable with the next record that is. Empty when the ring is full,
     * or when a stream that rolls by itself cannot roll now; neither is an error. Calls burst_stream_offer_roll. */
    std::optional<std::int64_t> offer_roll(const burstlog::roll &wanted, nanoseconds time, error_to ec = {}) {
        const burst_roll_t c = wanted.to_c();
        return taken(burst_stream_offer_roll(stream_, &c, time.count()), ec);
    }

    /* With rolls_by_caller: waits for a roll that the drain has reached. Empty: none came within the time. Calls
     * burst_stream_next_roll. */
    std::optional<burst_roll_request_t> next_roll(nanoseconds timeout, error_to ec = {}) {
        std::optional<burst_roll_request_t> request(std::in_place);
        request->struct_bytes = sizeof *request;
        const int result = burst_stream_next_roll(stream_, &*request, detail::timeout_ns(timeout));
        return ec.answer(result) > 0 ? request : std::nullopt;
    }

    /* Answers a roll. failed: the roll failed, and the same file goes on. "" stands for NULL. Calls
     * burst_stream_rolled. */
    void rolled(std::uint64_t sequence, const std::string &target, const std::string &next_file = {},
                error_to ec = {}) {
        ec.answer(burst_stream_rolled(stream_, sequence, 0, detail::or_null(target), detail::or_null(next_file)));
    }
    void roll_failed(std::uint64_t sequence, std::errc failed, error_to ec = {}) {
        ec.answer(burst_stream_rolled(stream_, sequence, -static_cast<int>(failed), nullptr, nullptr));
    }

    /* The absolute path of the log file that is written now; empty if the log has no main stream. Calls
     * burst_stream_current_file. */
    std::string current_file() const {
        char path[BURST_PATH_BYTES] = "";
        burst_stream_current_file(stream_, path, sizeof path);
        return path;
    }

    explicit operator bool() const noexcept {
        return stream_ != nullptr;
    }

    /* For the functions of burstlog.h. */
    burst_stream_t *stream_handle() const noexcept {
        return stream_;
    }

  protected:
    writer() noexcept = default;
    explicit writer(burst_stream_t *stream) noexcept : stream_(stream) {
    }
    writer(writer &&other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {
    }
    writer &operator=(writer &&other) noexcept {
        stream_ = std::exchange(other.stream_, nullptr);
        return *this;
    }
    ~writer() = default;

    burst_stream_t *stream_ = nullptr;

  private:
    /* The answer of a call that never waits. */
    static std::optional<std::int64_t> taken(std::int64_t sequence, error_to ec) {
        const bool is_taken = ec.answer(sequence == -EAGAIN ? 0 : sequence) > 0;
        return is_taken ? std::optional(sequence) : std::nullopt;
    }
};

/* A further stream of a log, with a log file of its own: burstlog.h, "streams". The destructor closes it like
 * close(). */
class stream : public writer {
  public:
    stream() noexcept = default;
    stream(stream &&other) noexcept = default;
    stream &operator=(stream &&other) noexcept {
        if (this != &other) {
            end();
            writer::operator=(std::move(other));
            close_timeout_ = other.close_timeout_;
        }
        return *this;
    }
    ~stream() {
        end();
    }

    /* Waits until all records of this stream accepted so far are durable in its log file. Returns false after the time.
     * Calls burst_stream_await_drained. */
    bool await_drained(nanoseconds timeout = forever, error_to ec = {}) {
        return ec.answer(burst_stream_await_drained(stream_, detail::timeout_ns(timeout))) > 0;
    }

    /* Calls burst_stream_stats. */
    burst_stream_stats_t stats() const noexcept {
        burst_stream_stats_t stats{};
        stats.struct_bytes = sizeof stats;
        burst_stream_stats(stream_, &stats);
        return stats;
    }

    /* Returns true if the log file has all records of the stream, and false if the time was over. The other records go
     * there while the log is open, or at its next open. Without a timeout it takes at most the log's shutdown_timeout.
     * Calls burst_stream_close. */
    bool close(error_to ec = {}) {
        return close(close_timeout_, ec);
    }
    bool close(nanoseconds timeout, error_to ec = {}) {
        return ec.answer(burst_stream_close(stream_, detail::timeout_ns(timeout))) > 0;
    }

  private:
    friend class log;

    stream(burst_stream_t *opened, nanoseconds close_timeout) noexcept : writer(opened), close_timeout_(close_timeout) {
    }

    void end() noexcept {
        if (stream_ != nullptr) {
            burst_stream_close(stream_, detail::timeout_ns(close_timeout_));
        }
    }

    nanoseconds close_timeout_{0};
};

/*
 * An open ring, and the drain that moves its records to their log files. As a writer it writes the main stream.
 *
 * The destructor closes the log like close(), but drops the result. So call close() if accepted records matter that
 * nobody waited for. Destroy a log only after other threads have ended their calls on it and on its streams.
 */
class log : public writer {
  public:
    log() noexcept = default;

    /* Opens ring and log file, and finishes what a crash interrupted. If `ec` tells an error, the log is empty. Calls
     * burst_open. */
    explicit log(const config &config, error_to ec = {})
        : shutdown_timeout_(config.shutdown_timeout.count() != 0 ? config.shutdown_timeout : std::chrono::seconds(10)) {
        burst_stream_config_t of_main;
        burst_rolling_t rolled;
        const burst_config_t c = config.to_c(of_main, rolled);
        ec.answer(burst_open(&c, &log_));
        stream_ = log_ != nullptr ? burst_main_stream(log_) : nullptr;
    }
    log(log &&other) noexcept
        : writer(std::move(other)), log_(std::exchange(other.log_, nullptr)),
          shutdown_timeout_(other.shutdown_timeout_) {
    }
    log &operator=(log &&other) noexcept {
        if (this != &other) {
            end();
            writer::operator=(std::move(other));
            log_ = std::exchange(other.log_, nullptr);
            shutdown_timeout_ = other.shutdown_timeout_;
        }
        return *this;
    }
    ~log() {
        end();
    }

    /* Opens a stream. If `ec` tells an error, the stream is empty. A stream may outlive the log, which closes it. Calls
     * burst_stream_open. */
    stream open_stream(const stream_config &config, error_to ec = {}) {
        burst_stream_config_t c;
        burst_rolling_t rolled;
        config.to_c(c, rolled);
        burst_stream_t *opened = nullptr;
        ec.answer(burst_stream_open(log_, &c, &opened));
        return stream(opened, shutdown_timeout_);
    }

    /* The highest sequence that is durable together with all before it. It never falls, and asking is cheap. */
    std::int64_t durable_sequence() const noexcept {
        return burst_durable_sequence(log_);
    }

    /* Waits until the record of that sequence and all before it are durable in the ring. Returns false after the time.
     * Calls burst_await_durable. */
    bool await_durable(std::int64_t sequence, nanoseconds timeout = forever, error_to ec = {}) {
        return ec.answer(burst_await_durable(log_, sequence, detail::timeout_ns(timeout))) > 0;
    }

    /* Waits until all records accepted so far are durable in the ring. Returns false after the time. Calls
     * burst_flush. */
    bool flush(nanoseconds timeout = forever, error_to ec = {}) {
        return ec.answer(burst_flush(log_, detail::timeout_ns(timeout))) > 0;
    }

    /* Waits until all records accepted so far, of all streams, are durable in their log files. Returns false after the
     * time. Calls burst_await_drained. */
    bool await_drained(nanoseconds timeout = forever, error_to ec = {}) {
        return ec.answer(burst_await_drained(log_, detail::timeout_ns(timeout))) > 0;
    }

    /* Returns the number of records left in the ring; the next open moves them. Without a timeout it takes at most
     * shutdown_timeout. A second close fails with ESHUTDOWN. Calls burst_close. */
    std::int64_t close(error_to ec = {}) {
        return ec.answer(burst_close(log_));
    }
    std::int64_t close(nanoseconds timeout, error_to ec = {}) {
        return ec.answer(burst_close_within(log_, detail::timeout_ns(timeout)));
    }

    /* On a closed log these are its last figures. Calls burst_stats. */
    burst_stats_t stats() const noexcept {
        burst_stats_t stats{};
        stats.struct_bytes = sizeof stats;
        burst_stats(log_, &stats);
        return stats;
    }

    /* Calls burst_stage_histogram; burst_histogram_percentile reads the result. */
    burst_histogram_t histogram(burst_stage stage) const noexcept {
        burst_histogram_t histogram{};
        histogram.struct_bytes = sizeof histogram;
        burst_stage_histogram(log_, stage, &histogram);
        return histogram;
    }

    /* The oldest event that the engine has for its operator. Empty: none came within the time, or the log is closed and
     * has no more. The latter ends `while (auto event = log.next_event(forever))`. Calls burst_next_event. */
    std::optional<burst_event_t> next_event(nanoseconds timeout) {
        burst_event_t event{};
        event.struct_bytes = sizeof event;
        return burst_next_event(log_, &event, detail::timeout_ns(timeout)) > 0 ? std::optional(event) : std::nullopt;
    }

    /* Why the ring has failed; empty if it has not. Calls burst_failure. */
    std::string failure() const {
        return text(burst_failure);
    }

    /* The findings of recovery at open; the number of records that are provably lost; what ring and log file survive,
     * and why. Call burst_recovery_statement and burst_durability_statement. */
    std::string recovery_statement() const {
        return text(burst_recovery_statement);
    }
    std::int64_t provably_lost() const noexcept {
        char nothing[1];
        return burst_recovery_statement(log_, nothing, sizeof nothing);
    }
    std::string durability_statement() const {
        return text(burst_durability_statement);
    }

    /* For the functions of burstlog.h. */
    burst_t *handle() const noexcept {
        return log_;
    }

  private:
    template <typename Result> std::string text(Result (*tell)(const burst_t *, char *, std::size_t)) const {
        char sentences[1024] = "";
        tell(log_, sentences, sizeof sentences);
        return sentences;
    }

    void end() noexcept {
        if (log_ != nullptr) {
            burst_close(log_);
        }
    }

    burst_t *log_ = nullptr;
    nanoseconds shutdown_timeout_{0};
};

} // namespace burstlog

#endif
