# SPDX-License-Identifier: Apache-2.0
# machine: modules=virtio_blk,nvmet,nvmet_tcp,nvme_tcp disks=a=64M,b=64M
# machine: qemu="-device virtio-blk-pci,drive=a -device virtio-blk-pci,drive=b"
# A remote namespace by two paths, which the kernel's NVMe driver makes one of (native multipath): one path is cut, then the other, then both.
device="NVMe over TCP, two paths"
. /devices/common.sh
restore() { ip addr add "192.0.2.$1/32" dev lo; }
cut() { ip addr del "192.0.2.$1/32" dev lo; } # neither side answers any more, and none learns of it at once
restore 1
restore 2
serve 192.0.2.1 /dev/vda /dev/vdb
serve_at 2 192.0.2.2
connect 192.0.2.1 60 || failed "connect by the first path"
connect 192.0.2.2 60 || failed "connect by the second path"
wait_for 20 test -b /dev/nvme0n1 || failed "no namespace"
paths() { cat /sys/class/nvme/nvme*/state | grep -c live; }
both() { [ "$(paths)" -eq 2 ]; }
wait_for 20 both || failed "$(paths) paths"
[ "$(ls /dev/nvme*n1)" = /dev/nvme0n1 ] || failed "the paths are two devices: $(ls /dev/nvme*)"
for engine in pwrite uring nvme; do row "$engine" /dev/nvme0n1 /dev/nvme0n2; done
for engine in pwrite uring; do
  format /dev/nvme0n1
  start /dev/nvme0n1 "$engine"
  for path in 1 2; do
    cut $path
    one() { [ "$(paths)" -eq 1 ]; }
    wait_for 40 one || failed "$(paths) paths after one was cut"
    goes_on 40
    restore $path
    wait_for 40 both || failed "path $path does not come back"
  done
  killed
  recovered /dev/nvme0n1 "$engine" "one path cut, then the other"
done
start /dev/nvme0n1 uring
cut 1
cut 2
sleep 8
[ "$(paths)" -eq 0 ] || failed "$(paths) paths"
restore 1
goes_on 40
restore 2
killed
recovered /dev/nvme0n1 uring "both paths cut, one restored"
finish
