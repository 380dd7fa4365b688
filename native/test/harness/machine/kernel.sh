# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What works on the kernel that runs. busybox sources this in the virtual machine that scripts/prove/kernels starts: a disk with a
# write cache at /dev/vda, one for a file system at /dev/vdb. Lines that begin with CELL are cells of its table.
device="Linux $(uname -r | cut -d- -f1)"
. /devices/common.sh
seconds=600

# getrandom waits on an old kernel until its pool is filled, which nothing but a read does in a machine so young.
[ ! -e /proc/sys/kernel/random/urandom_min_reseed_secs ] || {
  echo 0 >/proc/sys/kernel/random/urandom_min_reseed_secs
  for try in 1 2 3; do
    head -c 4096 /dev/urandom >/dev/null
    sleep 1
  done
}

# refusal: why the log was not opened.
refusal() { sed -n 's/^FAILED open: //p' /m/told; }

# cell MEDIUM RING ENGINE: two threads log, the process is killed, and all acknowledged lines are there. A refusal is a cell, too.
cell() {
  [ ! -b "$2" ] || format "$2"
  rm -rf /m/lines /m/events
  mkdir /m/lines
  : >/m/told
  machine-writer "$2" /m/lines/log "$3" process 2 "$seconds" >/m/told 2>/m/events &
  writer=$!
  begun() { grep -q '^A 0 20$' /m/told || [ -n "$(refusal)" ]; }
  wait_for 60 begun
  if [ -n "$(refusal)" ]; then
    wait "$writer"
    echo "CELL | $1 | $3 | refused: $(refusal)"
    return 1
  fi
  killed
  before=$failures
  recovered "$2" "$3" "kill -9"
  [ "$failures" -gt "$before" ] || echo "CELL | $1 | $3 | $(grep -o 'is written by [a-z]*' /m/found.events | head -n 1), $(lines) lines"
}

for engine in auto pwrite uring flush; do
  for medium in "disk /dev/vda" "file /mnt/ring" "memory /dev/shm/ring"; do
    [ "$medium" != "file /mnt/ring" ] || grep -q /mnt /proc/mounts || {
      mke2fs -F /dev/vdb >/m/said 2>&1
      expect "a file system" mount -t ext4 /dev/vdb /mnt || mount -t ext2 /dev/vdb /mnt
    }
    name=${medium%% *} ring=${medium#* }
    case $name,$engine in
      memory,auto) cell "$name" "$ring" mapped || failed "a mapped ring: $(refusal)" ;;
      memory,*) ;;
      *,auto | *,flush) cell "$name" "$ring" "$engine" || failed "$name, $engine: $(refusal)" ;;
      *) cell "$name" "$ring" "$engine" || : ;;
    esac
    rm -f /mnt/ring /dev/shm/ring
  done
done

words() { for file in /m/said /m/events /m/drain; do tail -n 2 $file; done; }

# A window, readers, rolls, segments, and a drain in its own process, which is killed once.
format /dev/vda
rm -rf /m/lines /m/told /m/events
mkdir /m/lines /run/burstlog
: >/m/told
burstlog drain --window /run/burstlog /dev/vda >/m/drain 2>&1 &
drain=$!
machine-writer /dev/vda /m/lines/log auto process 2 "$seconds" /m/told rolls segments external >/m/said 2>/m/events &
writer=$!
rolled() { [ "$(grep -c ^D /m/told)" -ge "$1" ]; }
wait_for 90 rolled 3 || failed "no rolls by a drain in its own process: $(words)"
kill -9 "$drain"
wait "$drain" 2>/dev/null
burstlog drain --window /run/burstlog /dev/vda >/m/drain 2>&1 &
drain=$!
rolled_on=$(grep -c ^D /m/told)
wait_for 90 rolled $((rolled_on + 2)) || failed "no rolls after the drain was killed: $(words)"
expect "a reader" burstlog tail -n 5 /m/lines/log
killed
kill "$drain"
wait "$drain"
recovered /dev/vda auto "kill -9, rolls, segments, a drain of its own"
[ "$failures" -ne 0 ] || echo "CELL | all | external | $(grep -c ^D /m/told) rolls, $(lines) lines"
burstlog doctor --seconds 1 /dev/vda >/m/said 2>&1 || [ $? -eq 1 ] || failed "burstlog doctor: $(tail -n 3 /m/said)" # 1: findings
finish
