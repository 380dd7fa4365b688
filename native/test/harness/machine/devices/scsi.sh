# SPDX-License-Identifier: Apache-2.0
# machine: modules=virtio_scsi,sd_mod disks=a=64M,b=64M
# machine: qemu="-device virtio-scsi-pci -device scsi-hd,drive=a,write-cache=on,dpofua=on -device scsi-hd,drive=b,write-cache=on,dpofua=on"
# A SCSI disk with a write cache and forced unit access.
device="SCSI with FUA"
. /devices/common.sh
wait_for 20 test -b /dev/sdb || failed "no disks"
for engine in pwrite uring flush; do row "$engine" /dev/sda /dev/sdb; done
survives /dev/sda power
for engine in pwrite uring flush; do
  format /dev/sda
  start /dev/sda "$engine"
  killed
  recovered /dev/sda "$engine" "kill -9"
done
finish
