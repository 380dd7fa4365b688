# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Fast devices for measurements: zram of its own, gone again at the end. Sourced, not run; the sourcing script calls
# remove_devices when it ends.

devices=()

can_make_devices() { [ "$(id -u)" -eq 0 ] && [ -e /sys/class/zram-control/hot_add ]; }

remove_devices() {
  local device
  for device in "${devices[@]}"; do
    echo "${device#/dev/zram}" >/sys/class/zram-control/hot_remove || true
    rm -f "$device"
  done
  devices=()
}

# Makes a zram device of its own; appends it to `devices`.
make_device() {
  local number device
  number=$(cat /sys/class/zram-control/hot_add)
  device=/dev/zram$number
  devices+=("$device")
  echo 256M >"/sys/block/zram$number/disksize"
  [ -b "$device" ] || mknod "$device" b "$(awk '$2 == "zram" { print $1 }' /proc/devices)" "$number"
}

# make_rings COUNT: that many devices with an empty ring of 64 MiB each, in `devices`.
make_rings() {
  local device i
  for ((i = 0; i < $1; i++)); do make_device; done
  for device in "${devices[@]}"; do
    native/target/cmake/burstlog format --size=64M "$device" >/dev/null
    # zram compresses and takes short cuts for zeros; filled with random bytes it costs the same for every block.
    dd if=/dev/urandom of="$device" bs=1M seek=1 count=63 oflag=direct status=none
  done
}
