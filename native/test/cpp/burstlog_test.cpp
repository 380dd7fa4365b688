// SPDX-License-Identifier: Apache-2.0
// Uses burstlog.hpp as a program does, with the installed library. Runs in an empty folder.
#include <burstlog.hpp>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

using namespace std::chrono_literals;

namespace {

#define CHECK(condition) check(condition, #condition, __LINE__)

void check(bool is_true, const char *condition, int line) {
    if (!is_true) {
        std::cerr << "burstlog_test.cpp:" << line << ": not true: " << condition << "\n";
        std::exit(1);
    }
}

std::string content(const std::string &name) {
    std::ifstream file(name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

burstlog::config config_of(const std::string &name) {
    burstlog::config config;
    config.ring = name + ".ring";
    config.main.emplace().file_name = name + ".log";
    config.ring_bytes = 4u << 20;
    config.durability = burstlog::durability::process;
    return config;
}

template <typename Call> burstlog::error failure_of(Call call) {
    try {
        call();
    } catch (const burstlog::error &failure) {
        return failure;
    }
    std::cerr << "nothing was thrown\n";
    std::exit(1);
}

bool is(const char *text, const char *expected) {
    return text != nullptr && std::strcmp(text, expected) == 0;
}

// A new field in C needs a line here, and one in to_c.
static_assert(sizeof(burst_config_t) == 136 && sizeof(burst_stream_config_t) == 120 && sizeof(burst_roll_t) == 88 &&
                  sizeof(burst_rolling_t) == 72,
              "a struct of burstlog.h has changed: bring burstlog_types.hpp and this test along");

void every_setting_of_a_ring_reaches_c() {
    burstlog::config config;
    burst_stream_config_t of_main;
    burst_rolling_t rolled;
    const burst_config_t defaults = config.to_c(of_main, rolled);
    burst_config_t expected;
    burst_config_init(&expected);
    expected.ring = defaults.ring;
    CHECK(is(defaults.ring, "") && std::memcmp(&defaults, &expected, sizeof expected) == 0);

    config.ring = "r";
    config.main.emplace().file_name = "f";
    config.durability = burstlog::durability::os_crash;
    config.io = BURST_IO_FLUSH;
    config.ring_bytes = 1;
    config.max_record_bytes = 2;
    config.drain_interval = 4ms;
    config.shutdown_timeout = 5s;
    config.drain_cpu = "6";
    config.commit_cpu = "7";
    config.realtime_priority = 8;
    config.huge_pages = BURST_HUGE_PAGES_OFF;
    config.commit_spin = true;
    config.window = "/w";
    config.window_mode = 0640;
    config.drain = BURST_DRAIN_EXTERNAL;
    config.copy = "peer";
    config.batch_delay = 9ns;
    config.batch_bytes = 10;
    const burst_config_t c = config.to_c(of_main, rolled);
    CHECK(c.struct_bytes == sizeof c && is(c.ring, "r") && c.main == &of_main && is(of_main.file_name, "f"));
    CHECK(c.durability == BURST_DURABILITY_OS_CRASH && c.io == BURST_IO_FLUSH);
    CHECK(c.ring_bytes == 1 && c.max_record_bytes == 2);
    CHECK(c.drain_interval_ns == 4000000 && c.shutdown_timeout_ns == 5000000000);
    CHECK(is(c.drain_cpu, "6") && is(c.commit_cpu, "7") && c.realtime_priority == 8);
    CHECK(c.huge_pages == BURST_HUGE_PAGES_OFF && c.commit_spin == 1 && c.batch_delay_ns == 9 && c.batch_bytes == 10);
    CHECK(is(c.window, "/w") && c.window_mode == 0640 && c.drain == BURST_DRAIN_EXTERNAL);
    CHECK(is(c.copy, "peer"));
}

void every_setting_of_a_stream_reaches_c() {
    burst_stream_config_t s;
    burst_rolling_t rolled;
    burstlog::rolling rolling;
    rolling.pattern = "p-%i";
    rolling.compress = BURST_COMPRESS_ZSTD;
    rolling.size_bytes = 1;
    rolling.interval = 2us;
    rolling.keep_files = 3;
    rolling.keep_bytes = 4;
    rolling.keep = 5us;
    rolling.compress_level = -6;
    rolling.compress_delay = 7us;
    rolling.newest_by_time = true;
    burstlog::segments segments;
    segments.folder = "s";
    segments.segment_bytes = 11;
    segments.keep_bytes = 12;
    segments.keep = 13us;
    segments.limit_bytes = 14;
    segments.limit = 15us;
    segments.release = true;
    burstlog::stream_config stream;
    stream.name = "n";
    stream.file_name = "f";
    stream.on_full = burstlog::on_full::fail;
    stream.block_timeout = 1us;
    stream.file_owner = "o";
    stream.file_group = "g";
    stream.file_mode = 0600;
    stream.rolls_by_caller = true;
    stream.to_c(s, rolled);
    CHECK(s.rolling == nullptr);
    stream.rolling = rolling;
    stream.segments = segments;
    stream.index = true;
    stream.to_c(s, rolled);
    CHECK(s.rolling == &rolled && is(rolled.pattern, "p-%i") && rolled.compress == BURST_COMPRESS_ZSTD &&
          rolled.size_bytes == 1);
    CHECK(rolled.compress_level == -6 && rolled.compress_delay_ns == 7000 && rolled.newest_by_time == 1);
    CHECK(rolled.interval_ns == 2000 && rolled.keep_files == 3 && rolled.keep_bytes == 4 && rolled.keep_ns == 5000);
    CHECK(is(s.segments, "s") && s.segment_bytes == 11 && s.segments_keep_bytes == 12 && s.segments_keep_ns == 13000);
    CHECK(s.segments_limit_bytes == 14 && s.segments_limit_ns == 15000 && s.segments_over_limit == 1 && s.index == 1);
    CHECK(s.struct_bytes == sizeof s && is(s.name, "n") && is(s.file_name, "f") && s.on_full == BURST_ON_FULL_FAIL);
    CHECK(s.block_timeout_ns == 1000 && is(s.file_owner, "o") && is(s.file_group, "g") && s.file_mode == 0600);
    CHECK(s.rolls_by_caller == 1);
}

void bytes_of_any_kind_are_a_record() {
    {
        burstlog::log log(config_of("bytes"));
        log.append("literal,");
        log.append(std::string("string,"));
        log.append(std::string_view("view,--").substr(0, 5));
        log.append(std::vector<std::byte>{std::byte{'v'}, std::byte{','}});
        log.append(std::array<unsigned char, 2>{'a', ','});
        log.append({"pointer,--", 8});
#if __cplusplus >= 202002L
        const std::string spanned = "span,";
        log.append(std::span<const char>(spanned));
#else
        log.append("span,");
#endif
        CHECK(log.append(std::string(), 5ns) == 8);
        CHECK(log.await_drained());
    }
    CHECK(content("bytes.log") == "literal,string,view,v,a,pointer,span,");
    static_assert(!std::is_constructible_v<burstlog::record_view, std::vector<int>>, "its bytes are not its elements");
    static_assert(!std::is_constructible_v<burstlog::record_view, std::nullptr_t>, "there is no text");
}

void the_end_of_a_scope_closes_and_a_reopen_goes_on() {
    burstlog::config config = config_of("scope");
    config.batch_delay = 1s; // so an enqueued record is not durable soon
    for (std::int64_t opens = 0; opens < 2; opens++) {
        burstlog::log log(config);
        CHECK(log && log.append("order\n") == opens * 4 + 1 && log.durable_sequence() == opens * 4 + 1);
        CHECK(log.append("order\n", burstlog::within{}) == opens * 4 + 2 && log.durable_sequence() == opens * 4 + 2);
        CHECK(log.await_durable(log.enqueue("order\n")));
        CHECK(log.durable_sequence() == opens * 4 + 3);
        log.enqueue("order\n");
        CHECK(log.flush() && log.durable_sequence() == opens * 4 + 4);
        CHECK(log.stats().accepted_sequence == opens * 4 + 4 && log.stats().epoch == opens + 1);
        CHECK(log.recovery_statement().find("record") != std::string::npos && log.provably_lost() == 0);
        CHECK(!log.durability_statement().empty() && log.failure().empty());
        CHECK(log.next_event(0ns).has_value());
    }
    CHECK(content("scope.log") == "order\norder\norder\norder\norder\norder\norder\norder\n");
}

void a_failure_has_the_sentence_and_the_code_of_c() {
    burstlog::log log(config_of("busy"));
    const burstlog::error busy = failure_of([] { burstlog::log second(config_of("busy")); });
    CHECK(busy.code() == std::errc::device_or_resource_busy);
    CHECK(std::strstr(busy.what(), "busy.ring") != nullptr && std::string(busy.what()) == burstlog::last_error());

    std::error_code told;
    burstlog::log none(config_of("busy"), told);
    CHECK(!none && told == std::errc::device_or_resource_busy && std::string(busy.what()) == burstlog::last_error());
    CHECK(log.append("order\n", {}, told) == 1 && !told);
    CHECK(!log.await_durable(-1, 0ns, told) && told == std::errc::invalid_argument);

    burstlog::config wrong = config_of("wrong");
    wrong.main->block_timeout = -1ns;
    CHECK(failure_of([&] { wrong.check(); }).code() == std::errc::invalid_argument);
    wrong.main->block_timeout = 0ns;
    wrong.check();

    CHECK(log.close() == 0);
    CHECK(failure_of([&] { log.append("late\n"); }).code().value() == ESHUTDOWN);
    CHECK(log.stats().state == BURST_STATE_CLOSED);
    // doc: events
    while (const auto event = log.next_event(burstlog::forever)) { // until the log is closed
        std::clog << event->text << "\n";
    }
    // end
}

void a_log_is_moved_and_not_copied() {
    static_assert(!std::is_copy_constructible_v<burstlog::log> && !std::is_copy_assignable_v<burstlog::log>, "");
    static_assert(!std::is_copy_constructible_v<burstlog::stream> && !std::is_copy_assignable_v<burstlog::stream>, "");
    static_assert(
        std::is_nothrow_move_constructible_v<burstlog::log> && std::is_nothrow_move_assignable_v<burstlog::log>, "");
    static_assert(std::is_nothrow_move_assignable_v<burstlog::stream>, "");
    auto first = std::make_unique<burstlog::log>(config_of("moved"));
    burstlog::log log(std::move(*first));
    CHECK(!*first);
    first.reset();
    CHECK(log.append("order 1\n") == 1);
    burstlog::log other(config_of("other"));
    other = std::move(log); // closes the log that it had
    burstlog::log again(config_of("other"));
    CHECK(other.append("order 2\n") == 2 && again.append("other\n") == 1);
}

// The drain waits for the answer to a roll, so the ring gets full.
void a_full_ring_and_a_roll() {
    burstlog::log log(config_of("rolled"));
    burstlog::stream_config of_audit;
    of_audit.name = "audit";
    of_audit.file_name = "audit.log";
    of_audit.rolls_by_caller = true;
    burstlog::stream audit = log.open_stream(of_audit);
    CHECK(failure_of([&] { log.open_stream(of_audit); }).code() == std::errc::device_or_resource_busy);
    audit.append("before\n");
    burstlog::roll roll;
    roll.footer = "footer\n";
    roll.header = "header\n";
    roll.note = "note";
    const std::int64_t rolled = audit.roll(roll, 1s);
    CHECK(rolled == 2 && log.durable_sequence() >= rolled);

    const std::string line(60000, 'x');
    std::int64_t records = 0;
    while (audit.offer(line)) {
        records++;
    }
    CHECK(records > 10);
    const burstlog::within at_once{burstlog::on_full::fail, 0ns}, dropped{burstlog::on_full::discard, 0ns};
    CHECK(failure_of([&] { audit.append(line, at_once); }).code() == std::errc::resource_unavailable_try_again);
    CHECK(failure_of([&] { audit.append(line, {burstlog::on_full::block, 1ms}); }).code() == std::errc::timed_out);
    std::error_code told;
    CHECK(audit.enqueue(line, at_once, 0ns, told) == 0 && told == std::errc::resource_unavailable_try_again);
    CHECK(audit.append(line, dropped, 0ns, told) == 0 && !told && audit.stats().discarded == 1);
    CHECK(!audit.offer(line, 0ns, told) && !told);
    burstlog::roll large;
    large.footer = line;
    CHECK(!audit.offer_roll(large, 2s) && !audit.offer_roll(large, 2s, told) && !told);
    CHECK(!log.await_drained(0ns) && !log.await_drained(-5ns) && !audit.await_drained(1ms));

    const auto request = audit.next_roll(burstlog::forever);
    CHECK(request && request->sequence == 2 && request->time_ns == 1000000000 && request->note_bytes == 4);
    CHECK(std::memcmp(request->note, "note", 4) == 0 && request->file == audit.current_file());
    CHECK(failure_of([&] { audit.rolled(7, ""); }).code().value() == ESTALE);
    audit.rolled(request->sequence, "audit-1.log");
    CHECK(!audit.next_roll(0ns));
    CHECK(log.await_drained());
    CHECK(content("audit-1.log") == "before\nfooter\n");
    CHECK(content("audit.log").size() == 7 + static_cast<std::size_t>(records) * line.size());
    CHECK(log.histogram(BURST_STAGE_CLAIM_WAIT).count > 0);

    const auto offered = audit.offer_roll(roll, 2s);
    CHECK(offered && *offered > rolled && log.flush());
    audit.roll_failed(audit.next_roll(burstlog::forever)->sequence, std::errc::no_space_on_device);
    CHECK(audit.close() && content("audit.log").find("footer") != std::string::npos);
    CHECK(failure_of([&] { audit.append("late\n"); }).code().value() == ESHUTDOWN);
    audit = log.open_stream(of_audit);
    audit = burstlog::stream(); // closes what it had
    audit = log.open_stream(of_audit);
    CHECK(audit.append("again\n") > rolled && log.close(10s) == 0);
}

void a_close_with_a_timeout_ends_with_it() {
    burstlog::config config = config_of("left");
    config.main->rolls_by_caller = true;
    config.shutdown_timeout = 1h;
    burstlog::log log(config);
    log.append("before\n");
    log.roll({}, 1s);
    log.append("behind a roll that nobody answers\n");
    std::error_code told;
    log.close(100ms, told); // an hour later otherwise
    CHECK(log.stats().state == BURST_STATE_CLOSED);
}

void files_roll_by_themselves() {
    burstlog::config config = config_of("daily");
    config.main->rolling.emplace();
    config.main->rolling->pattern = "daily-%i.log";
    config.main->rolling->size_bytes = 12;
    burstlog::log log(config);
    log.append("order 1\n");
    log.append("order 2\n");
    log.roll({}, 1s);
    CHECK(log.append("order 3\n") > 3 && log.await_drained());
    CHECK(content("daily-1.log") == "order 1\n" && content("daily-2.log") == "order 2\n");
    CHECK(content("daily.log") == "order 3\n");
}

} // namespace

int main() try {
    CHECK(*burstlog::version() != '\0' && burstlog::abi_version() == BURST_ABI_VERSION);
    every_setting_of_a_ring_reaches_c();
    every_setting_of_a_stream_reaches_c();
    bytes_of_any_kind_are_a_record();
    the_end_of_a_scope_closes_and_a_reopen_goes_on();
    a_failure_has_the_sentence_and_the_code_of_c();
    a_log_is_moved_and_not_copied();
    a_full_ring_and_a_roll();
    a_close_with_a_timeout_ends_with_it();
    files_roll_by_themselves();
    std::cout << "C++" << __cplusplus << ": all of burstlog.hpp\n";
} catch (const std::exception &failure) {
    std::cerr << failure.what() << "\n";
    return 1;
}
