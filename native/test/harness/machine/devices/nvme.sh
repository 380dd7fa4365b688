# SPDX-License-Identifier: Apache-2.0
# machine: modules=nvme disks=a=64M,b=64M programs=nvme
# machine: qemu="-device nvme,serial=1,id=ctrl -device nvme-ns,drive=a,logical_block_size=512,physical_block_size=512 -device nvme-ns,drive=b,logical_block_size=512,physical_block_size=512"
# An NVMe drive with blocks of 512 bytes and a volatile write cache, by the kernel's driver.
device="NVMe, 512"
. /devices/common.sh
for engine in pwrite flush uring nvme; do row "$engine" /dev/nvme0n1 /dev/nvme0n2; done
survives /dev/nvme0n1 power
for engine in pwrite uring nvme flush; do
  format /dev/nvme0n1
  start /dev/nvme0n1 "$engine"
  killed
  recovered /dev/nvme0n1 "$engine" "kill -9"
done

# docs/nvme.md describes both: what the drive says of itself, and its other block size.
nvme id-ctrl /dev/nvme0 | grep -q '^vwc *: 0x[1-9]' || failed "nvme id-ctrl tells no volatile write cache"
nvme id-ns -H /dev/nvme0n1 >/m/said || failed "nvme id-ns: $(cat /m/said)"
grep -q 'Write Exclusive' /m/said || failed "nvme id-ns does not tell of reservations"
format_4096=$(sed -n 's/^LBA Format *\([0-9]*\) : Metadata Size: 0 .*Data Size: 4096 .*/\1/p' /m/said | head -n 1)
device="NVMe, 512, formatted for 4096"
expect "nvme format --lbaf=$format_4096" nvme format /dev/nvme0n1 "--lbaf=$format_4096" --force
[ "$(cat /sys/block/nvme0n1/queue/logical_block_size)" = 4096 ] || failed "blocks are still those of 512"
for engine in uring nvme; do
  format /dev/nvme0n1
  start /dev/nvme0n1 "$engine"
  killed
  recovered /dev/nvme0n1 "$engine" "kill -9"
done
finish
