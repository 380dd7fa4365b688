#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the C commands of docs/platforms.md as they stand there, in a home of their own, without cmocka and Maven. Then
# it moves the prefix, and installs the library of the build under test elsewhere: a program finds both.
#
#     installed_library.sh BUILD SCRATCH
set -euo pipefail
for command in cmake gcc pkg-config readelf; do
  command -v "$command" >/dev/null || { echo "SKIPPED: no $command"; exit 77; }
done

here=$(cd "$(dirname "$0")" && pwd)
tree=${here%/native/test}
build=$1 scratch=$2
page=$tree/docs/platforms.md
[ -f "$page" ] || { echo "SKIPPED: no docs beside native"; exit 77; }

fail() { echo "FAILED: $*"; exit 1; }

# Prints the libraries that program $1 needs from the dynamic linker.
needed() { readelf -dW "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p'; }

# program PREFIX: compiles and links a C program by pkg-config, and runs it.
program() {
  local lib flags
  lib=$(dirname "$(find "$1" -name libburstlog.so)")
  flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs burstlog)
  rm -rf orders orders.* rolling old
  # shellcheck disable=SC2086 # one flag a word
  gcc -Wall -Wextra -Werror -o orders "$tree/examples/c/orders.c" $flags
  LD_LIBRARY_PATH=$lib ./orders | tail -n 1 | grep -x "order 10 is durable as record 10" || fail "$1: not ten orders"
  rm -f orders.*
  # shellcheck disable=SC2086
  gcc -Wall -Wextra -Werror -o rolling "$tree/examples/c/rolling.c" $flags
  LD_LIBRARY_PATH=$lib ./rolling && [ "$(find old -type f | wc -l)" = 2 ] && [ "$(wc -l <orders.log)" = 10 ] ||
    fail "$1: thirty orders are not in three files"
  needed orders | grep -qx 'libburstlog\.so\.0' || fail "$1: the program needs no libburstlog.so.0"
  "$here/needs_libc_alone.sh" "$lib/libburstlog.so.0"
}

rm -rf "$scratch"
mkdir -p "$scratch/home" "$scratch/no-cmocka"
cd "$scratch"
# Builds from native/target, as Maven does: so a cache of compiled files finds them.
mkdir -p native/target
ln -s native/target "$tree/examples" .
find "$tree/native" -mindepth 1 -maxdepth 1 ! -name target -exec ln -s -t native {} +
export HOME=$scratch/home
unset PKG_CONFIG_PATH LD_LIBRARY_PATH DESTDIR

# A source that includes cmocka gets this file.
echo '#error "only the tests need cmocka"' >no-cmocka/cmocka.h
awk '/^##/ { here = $0 == "### C" } here && /^```/ { inside = $0 == "```sh"; next } here && inside' "$page" >commands
[ -s commands ] || fail "there are no commands under \"### C\" in $page"
CPATH=$scratch/no-cmocka bash -euo pipefail commands >output 2>&1 || { cat output; fail "the commands of $page"; }
tail -n 1 output | grep -x "order 10 is durable as record 10" || { cat output; fail "the program of $page"; }
! grep -q CMOCKA target/c/CMakeCache.txt || fail "cmocka was looked for though no test was asked for"
"$HOME/burstlog/bin/burstlog" --version

mv "$HOME/burstlog" "$HOME/moved"
program "$HOME/moved"
cmake --install "$build" --prefix "$HOME/tested" >/dev/null
program "$HOME/tested"
