# SPDX-License-Identifier: Apache-2.0
# machine: modules=nvme disks=a=64M
# machine: qemu="-device nvme,serial=1,drive=a"
# The controller of an NVMe drive is reset, and removed, while two threads log.
device="NVMe"
. /devices/common.sh
for engine in pwrite uring nvme; do
  format /dev/nvme0n1
  start /dev/nvme0n1 "$engine"
  echo 1 >/sys/class/nvme/nvme0/reset_controller || failed "reset"
  if [ "$engine" = nvme ]; then # a command under way may come back aborted: then the ring fails, and is opened anew
    sleep 2
    if grep -q ^FAILED /m/told; then fails 5; else goes_on 20; fi
  else
    goes_on 20
  fi
  killed 2>/dev/null
  recovered /dev/nvme0n1 "$engine" "controller reset"
  start /dev/nvme0n1 "$engine"
  pci=$(readlink -f /sys/class/nvme/nvme0/device)
  echo 1 >"$pci/remove"
  fails 40
  echo 1 >/sys/bus/pci/rescan
  wait_for 20 test -b /dev/nvme0n1 || failed "the drive does not come back"
  recovered /dev/nvme0n1 "$engine" "removal of the drive"
done
finish
