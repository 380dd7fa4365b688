# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Functions for the scripts in this folder. busybox sources this in the virtual machine; $device names the device in
# the table. Lines that begin with ROW are rows of the table, lines with FAIL are failures; scripts/prove/machine-devices
# collects both.

. /devices/stacks.sh

failures=0

ok() { echo "ok    $*"; }

failed() {
  echo "FAIL  $device: $*"
  failures=$((failures + 1))
}

# expect WHAT COMMAND..
expect() {
  expected=$1
  shift
  if "$@" >/m/said 2>&1; then ok "$expected"; else
    failed "$expected: exit $?"
    sed 's/^/        /' /m/said
  fi
}

survives() { # RING CLASS
  class=$(burstlog info "$1" | sed -n 's/^survives: //p')
  if [ "$class" = "$2" ]; then ok "$1 survives $2"; else failed "$1 survives $class, not $2"; fi
}

format() { # RING
  expect "burstlog format $1" burstlog format --size=16M --force --discard-records=0 "$1"
}

# row ENGINE RING BARE [RECORDS]: times appends and bare writes, in turns. It overwrites the ring and BARE.
row() {
  [ ! -b "$2" ] && [ ! -c "$2" ] || format "$2"
  rm -f /m/log*
  if media_bench "$device" "$2" "$3" /m/log "$1" "${4:-1000}" 256 >/m/row 2>&1; then
    sed 's/^/ROW /' /m/row
  else
    failed "$1: $(tail -n 1 /m/row)"
  fi
  rm -f /m/log*
}

# start RING ENGINE [DURABILITY]: two threads log to /m/lines in the background until they are stopped or fail.
start() {
  rm -rf /m/lines /m/events
  mkdir /m/lines
  : >/m/told
  machine-writer "$1" /m/lines/log "$2" "${3:-process}" 2 "${seconds:-60}" >/m/told 2>/m/events &
  writer=$!
  wait_for 15 grep -q '^A 0 5$' /m/told || failed "$2 on $1 does not log: $(tail -n 2 /m/told /m/events)"
}

wait_for() { # SECONDS COMMAND..
  tries=$(($1 * 10))
  shift
  until "$@"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.1
  done
}

lines() { grep -c ^A /m/told; }

goes_on() { # within SECONDS
  begun=$(lines)
  more() { [ "$(lines)" -gt $((begun + 5)) ]; }
  if wait_for "$1" more; then ok "appends go on: $begun lines, then $(lines)"; else failed "no append within $1 s"; fi
}

# fails SECONDS: the writer ends by itself in that time, because its ring has failed.
fails() { # within SECONDS
  ended() { ! kill -0 "$writer" 2>/dev/null; }
  wait_for "$1" ended || { failed "the writer goes on"; kill -9 "$writer"; }
  wait "$writer"
  if grep -q '^FAILED append' /m/told; then ok "$(grep -m 1 '^FAILED append' /m/told)"; else failed "no append failed"; fi
}

killed() {
  kill -9 "$writer"
  wait "$writer" 2>/dev/null
}

# recovered RING ENGINE AFTER: all acknowledged lines are there, once and whole.
recovered() {
  machine-writer "$1" /m/lines/log "$2" process 2 0 >/m/found 2>/m/found.events
  code=$?
  missing=$(awk '$1 == "F" && FILENAME == "/m/found" { have[$2] = $3 } $1 == "A" && FILENAME == "/m/told" {
    need[$2] = $3 } END { for (t in need) if (have[t] + 0 < need[t]) print "thread " t ": " need[t] ", has " have[t] + 0 }' \
    /m/found /m/told)
  if [ "$code" -eq 0 ] && [ -z "$missing" ]; then
    ok "$2: $(lines) acknowledged lines are there after $3"
    echo "RECOVERED | $device | $2 | $3 | $(lines) |"
  else
    failed "$2 after $3: exit $code; missing: $missing; $(tail -n 3 /m/found) $(tail -n 2 /m/found.events)"
  fi
}

finish() {
  echo "$device: $failures failures"
  exit "$failures"
}
