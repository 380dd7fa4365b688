# SPDX-License-Identifier: Apache-2.0
# machine: modules=nvme disks=a=64M,b=64M
# machine: qemu="-device nvme,serial=1,id=ctrl -device nvme-ns,drive=a,logical_block_size=4096,physical_block_size=4096 -device nvme-ns,drive=b,logical_block_size=4096,physical_block_size=4096"
# The same drive, formatted for blocks of 4096 bytes; and a partition of it.
device="NVMe, 4096"
. /devices/common.sh
for engine in pwrite uring nvme; do row "$engine" /dev/nvme0n1 /dev/nvme0n2; done
survives /dev/nvme0n1 power
# One partition of 32 MiB, 1 MiB from the start, in blocks of the disk's size.
printf '\000\000\000\000\203\000\000\000\000\001\000\000\000\040\000\000' |
  dd of=/dev/nvme0n2 bs=1 seek=446 conv=notrunc 2>/dev/null
printf '\125\252' | dd of=/dev/nvme0n2 bs=1 seek=510 conv=notrunc 2>/dev/null
sync
blockdev --rereadpt /dev/nvme0n2
wait_for 5 test -b /dev/nvme0n2p1 || failed "no partition"
device="partition of NVMe, 4096"
for engine in pwrite uring nvme; do
  format /dev/nvme0n2p1
  start /dev/nvme0n2p1 "$engine"
  killed
  recovered /dev/nvme0n2p1 "$engine" "kill -9"
done
finish
