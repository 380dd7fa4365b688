#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The installed burstlog.hpp: gcc and clang compile it as C++17 and C++20 without a warning, its program runs, and a
# CMake project elsewhere finds the library. With `spdlog`: the example of a sink.
#
#     installed_cpp.sh BUILD SCRATCH headers|spdlog
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=${here%/native/test/cpp}
build=$1 scratch=$2 which=$3
for command in cmake g++ pkg-config; do
  command -v "$command" >/dev/null || { echo "SKIPPED: no $command"; exit 77; }
done
[ -d "$tree/examples" ] || { echo "SKIPPED: no examples beside native"; exit 77; }
if [ "$which" = spdlog ] && ! pkg-config --exists spdlog; then
  echo "SKIPPED: the sink for spdlog, which is not installed (Debian's libspdlog-dev)"
  exit 77
fi

fail() { echo "FAILED: $*"; exit 1; }

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
lib=$(dirname "$(find "$scratch/prefix" -name libburstlog.so)")
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib

# compile SOURCE COMPILER-AND-OPTIONS..: adds the flags of pkg-config for $packages.
packages=burstlog
compile() {
  local source=$1
  shift
  # shellcheck disable=SC2046,SC2086 # one flag a word
  "$@" -Wall -Wextra -Wconversion -Wpedantic -Werror -Wno-unused-command-line-argument "$source" \
    $(pkg-config --cflags --libs $packages)
}

# run NAME PROGRAM: runs it in a folder of its own.
run() {
  mkdir "$1"
  (cd "$1" && "../$2")
}

if [ "$which" = spdlog ]; then
  packages="burstlog spdlog"
  compile "$tree/examples/cpp/spdlog_orders.cpp" g++ -std=c++17 -o spdlog_orders
  run spdlog spdlog_orders | tee output
  [ "$(grep -c 'is durable$' output)" = 10 ] || fail "not ten orders"
  tail -n 1 output | grep -q '^order 11 is refused: .*closed' || fail "an order that was not logged was not refused"
  seq -f 'info order %g' 10 | diff - spdlog/orders.log || fail "the log file has not these ten orders"
  exit 0
fi

# Each function of these headers has a form in C++, or that of a stream has it. It is named there.
for function in $(cd "$scratch/prefix/include" && grep -ohE '^[a-z][a-z0-9_ ]*[ *]burst_[a-z_]+\(' burstlog.h burstlog_rolling.h burstlog_stages.h |
  grep -oE 'burst_[a-z_]+\($'); do
  function=${function%(} function=${function%_bytes}
  case $function in burst_register | burst_histogram_highest) continue ;; esac # for Java; a bucket's bound, which needs no form
  grep -qwE "$function|burst_stream_${function#burst_}" "$scratch"/prefix/include/*.hpp || fail "burstlog.hpp has no form of $function"
done

test=$here/burstlog_test.cpp
compile "$test" g++ -std=c++17 -o gcc_17
run gcc gcc_17
"$scratch/prefix/bin/burstlog" dump gcc/bytes.ring >dumped
grep -q '1970-01-01T00:00:00.000000005Z' dumped || fail "the time of an event is not with its record"
compile "$test" g++ -std=c++20 -fsyntax-only
if command -v clang++-14 >/dev/null; then
  compile "$test" clang++-14 -std=c++20 -o clang_20
  run clang clang_20
  compile "$test" clang++-14 -std=c++17 -fsyntax-only
else
  echo "left out: clang 14 (Debian's clang-14)"
fi

# This project knows nothing of burstlog but its prefix.
mkdir project
cp "$tree/examples/cpp/orders.cpp" project
cat >project/CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.22)
project(orders LANGUAGES CXX)
find_package(burstlog 0.1 REQUIRED)
add_executable(orders orders.cpp)
target_compile_features(orders PRIVATE cxx_std_17)
target_link_libraries(orders PRIVATE burstlog::burstlog)
PROJECT
cmake -S project -B project/build "-DCMAKE_PREFIX_PATH=$scratch/prefix" >cmake.log 2>&1 || { cat cmake.log; fail "configure"; }
env -u LD_LIBRARY_PATH cmake --build project/build >cmake.log 2>&1 || { cat cmake.log; fail "build"; }
LD_LIBRARY_PATH='' run cmake project/build/orders | tail -n 1 | grep -x "order 10 is durable as record 10"
