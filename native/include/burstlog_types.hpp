/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters and errors of the calls of burstlog.hpp, which includes this. */
#ifndef BURSTLOG_TYPES_HPP
#define BURSTLOG_TYPES_HPP

#include <burstlog.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace burstlog {

using std::chrono::nanoseconds;

/* A timeout without a limit. */
inline constexpr nanoseconds forever = nanoseconds::max();

/* Classes of survival: enum burst_durability. */
enum class durability : std::uint32_t {
    power = BURST_DURABILITY_POWER,
    os_crash = BURST_DURABILITY_OS_CRASH,
    process = BURST_DURABILITY_PROCESS,
};

/* An append's choices in a full ring: enum burst_on_full. */
enum class on_full : std::uint32_t {
    block = BURST_ON_FULL_BLOCK,
    fail = BURST_ON_FULL_FAIL,
    discard = BURST_ON_FULL_DISCARD,
};

/* A failed call. what() is the library's sentence: what happened, where, the value seen, what to do. */
class error : public std::system_error {
  public:
    error(std::error_code code, const char *sentence) : std::system_error(code), sentence_(sentence) {
    }
    const char *what() const noexcept override {
        return sentence_.what();
    }

  private:
    std::runtime_error sentence_; /* copying it throws nothing */
};

/* The sentence of the calling thread's last failed call, until its next one. */
inline const char *last_error() noexcept {
    return burst_last_error();
}

/* The ABI of the loaded library: BURST_ABI_VERSION is that of these headers. */
inline std::uint32_t abi_version() noexcept {
    return burst_abi_version();
}

/* The version of the loaded library, for instance "0.1.0". */
inline const char *version() noexcept {
    return burst_version();
}

/* Takes the error of a call: sets a std::error_code, or without one throws burstlog::error. */
class error_to {
  public:
    error_to() noexcept = default;
    error_to(std::error_code &code) noexcept : code_(&code) {
    }

    /* Returns the result of a C function, or 0 after telling its error. */
    std::int64_t answer(std::int64_t result) const {
        const std::error_code code(result < 0 ? static_cast<int>(-result) : 0, std::generic_category());
        if (code_ != nullptr) {
            *code_ = code;
        } else if (result < 0) {
            throw error(code, burst_last_error());
        }
        return result < 0 ? 0 : result;
    }

  private:
    std::error_code *code_ = nullptr;
};

namespace detail {

inline std::int64_t timeout_ns(nanoseconds timeout) noexcept {
    return timeout == forever ? -1 : timeout.count() < 0 ? 0 : timeout.count();
}

/* A negative time becomes one that is too long, which the library refuses. */
inline std::uint64_t setting_ns(nanoseconds time) noexcept {
    return static_cast<std::uint64_t>(time.count());
}

inline const char *or_null(const std::string &text) noexcept {
    return text.empty() ? nullptr : text.c_str();
}

} // namespace detail

/* Points to the bytes of a record, which stay the caller's. It takes a string literal or another char * up to its zero;
 * anything with data() and size() and elements of one byte (std::string, std::string_view, std::vector<std::byte>,
 * std::span); or a pointer and a length. */
class record_view {
  public:
    record_view(const char *text) : record_view(text, std::char_traits<char>::length(text)) {
    }
    record_view(const void *data, std::size_t length) noexcept : data_(data), length_(length) {
    }
    template <
        typename Bytes, typename Byte = std::remove_pointer_t<decltype(std::data(std::declval<const Bytes &>()))>,
        typename = std::enable_if_t<std::is_class_v<Bytes> && sizeof(Byte) == 1 && std::is_trivially_copyable_v<Byte>>>
    record_view(const Bytes &bytes) noexcept : record_view(std::data(bytes), std::size(bytes)) {
    }
    record_view(std::nullptr_t) = delete;

    const void *data() const noexcept {
        return data_;
    }
    std::size_t size() const noexcept {
        return length_;
    }

  private:
    const void *data_;
    std::size_t length_;
};

/* The fields of burst_rolling_t, with the same names, but times without _ns. burstlog_rolling.h explains them. */
struct rolling {
    std::string pattern;                          /* required */
    std::uint32_t compress = BURST_COMPRESS_NONE; /* enum burst_compress */
    std::uint64_t size_bytes = 0;
    nanoseconds interval{0};
    std::uint64_t keep_files = 0;
    std::uint64_t keep_bytes = 0;
    nanoseconds keep{0};
    std::int32_t compress_level = 0;
    nanoseconds compress_delay{0};
    bool newest_by_time = false;

    /* The result points into this object: it is valid until this is changed or destroyed. */
    burst_rolling_t to_c() const noexcept {
        burst_rolling_t c;
        burst_rolling_init(&c);
        c.compress = compress;
        c.pattern = pattern.c_str();
        c.size_bytes = size_bytes;
        c.interval_ns = detail::setting_ns(interval);
        c.keep_files = keep_files;
        c.keep_bytes = keep_bytes;
        c.keep_ns = detail::setting_ns(keep);
        c.compress_level = compress_level;
        c.compress_delay_ns = detail::setting_ns(compress_delay);
        c.newest_by_time = newest_by_time ? 1 : 0;
        return c;
    }
};

/* The fields of burst_stream_config_t whose names begin with segment. */
struct segments {
    std::string folder; /* "": none */
    std::uint64_t segment_bytes = 0;
    std::uint64_t keep_bytes = 0;
    nanoseconds keep{0};
    std::uint64_t limit_bytes = 0;
    nanoseconds limit{0};
    bool release = false; /* what to do over the limit */
};

/* The fields of burst_stream_config_t, as `rolling` has those of burst_rolling_t. "" stands for NULL. */
struct stream_config {
    std::string name;      /* a main stream has none */
    std::string file_name; /* required */
    burstlog::on_full on_full = burstlog::on_full::block;
    nanoseconds block_timeout{0};
    std::string file_owner, file_group;
    std::uint32_t file_mode = 0;
    bool rolls_by_caller = false;
    std::optional<burstlog::rolling> rolling;
    burstlog::segments segments;
    bool index = false;

    /* Fills both structs. They point to each other and into this object: valid until one of the three is changed or
     * destroyed. */
    void to_c(burst_stream_config_t &c, burst_rolling_t &rolled) const noexcept {
        burst_stream_config_init(&c);
        if (rolling) {
            rolled = rolling->to_c();
            c.rolling = &rolled;
        }
        c.on_full = static_cast<std::uint32_t>(on_full);
        c.name = detail::or_null(name);
        c.file_name = detail::or_null(file_name);
        c.block_timeout_ns = detail::setting_ns(block_timeout);
        c.file_owner = detail::or_null(file_owner);
        c.file_group = detail::or_null(file_group);
        c.file_mode = file_mode;
        c.rolls_by_caller = rolls_by_caller;
        c.segments = detail::or_null(segments.folder);
        c.segment_bytes = segments.segment_bytes;
        c.segments_keep_bytes = segments.keep_bytes;
        c.segments_keep_ns = detail::setting_ns(segments.keep);
        c.segments_limit_bytes = segments.limit_bytes;
        c.segments_limit_ns = detail::setting_ns(segments.limit);
        c.segments_over_limit = segments.release ? BURST_SEGMENTS_RELEASE : BURST_SEGMENTS_HOLD;
        c.index = index;
    }
};

/* The fields of burst_config_t, as stream_config has those of burst_stream_config_t. */
struct config {
    std::string ring;                  /* required */
    std::optional<stream_config> main; /* empty: the log itself refuses every record, and has only other streams */
    burstlog::durability durability = burstlog::durability::power;
    burst_io io = BURST_IO_AUTO;
    std::uint64_t ring_bytes = 0;
    std::uint64_t max_record_bytes = 0;
    nanoseconds drain_interval{0};
    nanoseconds shutdown_timeout{0};
    std::string drain_cpu, commit_cpu;
    int realtime_priority = 0;
    burst_huge_pages huge_pages = BURST_HUGE_PAGES_AUTO;
    bool commit_spin = false;
    nanoseconds batch_delay{0};
    std::uint64_t batch_bytes = 0;
    std::string window;
    unsigned window_mode = 0;
    burst_drain drain = BURST_DRAIN_INNER;
    std::string copy; /* name of the second copy: burstlog_copier.h */

    /* Fills the structs of the ring and of its main stream; otherwise like stream_config::to_c. */
    burst_config_t to_c(burst_stream_config_t &of_main, burst_rolling_t &rolled) const noexcept {
        burst_config_t c;
        burst_config_init(&c);
        if (main) {
            main->to_c(of_main, rolled);
            c.main = &of_main;
        }
        c.durability = static_cast<std::uint32_t>(durability);
        c.io = io;
        c.ring = ring.c_str();
        c.ring_bytes = ring_bytes;
        c.max_record_bytes = max_record_bytes;
        c.drain_interval_ns = detail::setting_ns(drain_interval);
        c.shutdown_timeout_ns = detail::setting_ns(shutdown_timeout);
        c.drain_cpu = detail::or_null(drain_cpu);
        c.commit_cpu = detail::or_null(commit_cpu);
        c.realtime_priority = realtime_priority;
        c.huge_pages = huge_pages;
        c.commit_spin = commit_spin;
        c.batch_delay_ns = detail::setting_ns(batch_delay);
        c.batch_bytes = batch_bytes;
        c.window = detail::or_null(window);
        c.window_mode = window_mode;
        c.drain = drain;
        c.copy = detail::or_null(copy);
        return c;
    }

    /* Calls burst_config_check. */
    void check(error_to ec = {}) const {
        burst_stream_config_t of_main;
        burst_rolling_t rolled;
        const burst_config_t c = to_c(of_main, rolled);
        ec.answer(burst_config_check(&c));
    }
};

/* The fields of burst_roll_t but those that are only for `burstlog info`. "" stands for NULL. The bytes stay the
 * caller's. */
struct roll {
    std::string target, next_file;
    record_view footer{""}, header{""}, note{""};

    /* The result points into this object and to its bytes. */
    burst_roll_t to_c() const noexcept {
        burst_roll_t c;
        burst_roll_init(&c);
        c.footer = footer.data();
        c.footer_bytes = footer.size();
        c.header = header.data();
        c.header_bytes = header.size();
        c.target = detail::or_null(target);
        c.next_file = detail::or_null(next_file);
        c.note = note.data();
        c.note_bytes = note.size();
        return c;
    }
};

/* A rule for one call, in place of the log's or the stream's. */
struct within {
    burstlog::on_full on_full = burstlog::on_full::block;
    nanoseconds timeout = forever;
};

} // namespace burstlog

#endif
