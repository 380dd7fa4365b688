# SPDX-License-Identifier: Apache-2.0
# machine: modules=virtio_blk,raid1 disks=a=64M,b=64M,c=64M,d=64M programs=mdadm
# machine: qemu="-device virtio-blk-pci,drive=a,id=a -device virtio-blk-pci,drive=b,id=b -device virtio-blk-pci,drive=c -device virtio-blk-pci,drive=d"
# A mirror of two virtual disks (md RAID 1), of which one is lost while two threads log.
device="md RAID 1 over virtio"
. /devices/common.sh
make_md /dev/vda /dev/vdb || failed "mdadm"
make_md /dev/vdc /dev/vdd /dev/md1 || failed "mdadm"
format /dev/md0
survives /dev/md0 power
for engine in pwrite uring flush; do row "$engine" /dev/md0 /dev/md1; done
legs() { grep -A 1 '^md0' /proc/mdstat | sed -n 's/.*\[\([U_]*\)\]$/\1/p'; }
again() {
  mdadm --stop /dev/md0 >/dev/null 2>&1
  dd if=/dev/zero of=/dev/vda bs=1M 2>/dev/null
  dd if=/dev/zero of=/dev/vdb bs=1M 2>/dev/null
  make_md /dev/vda /dev/vdb
}
for engine in pwrite uring flush; do
  again || failed "mdadm"
  format /dev/md0
  start /dev/md0 "$engine"
  mdadm /dev/md0 --fail /dev/vda >/dev/null 2>&1 || failed "mdadm --fail"
  goes_on 20
  killed
  [ "$(legs)" = "_U" ] || failed "legs: $(legs)"
  recovered /dev/md0 "$engine" "loss of one leg, kill -9"
  mdadm --stop /dev/md0 >/dev/null 2>&1
  mdadm --assemble --run /dev/md0 /dev/vdb >/dev/null 2>&1 || failed "mdadm --assemble without the lost leg"
  recovered /dev/md0 "$engine" "start without the lost leg"
done
# Both disks are lost: the ring is, too, and the append reports it.
again || failed "mdadm"
format /dev/md0
start /dev/md0 uring
echo 1 >"$(readlink -f /sys/block/vda/device/..)/remove"
goes_on 20
echo 1 >"$(readlink -f /sys/block/vdb/device/..)/remove"
fails 40
finish
