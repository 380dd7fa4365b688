# SPDX-License-Identifier: Apache-2.0
# machine: modules=nvme disks=a=64M,b=64M
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
finish
