# SPDX-License-Identifier: Apache-2.0
# machine: modules=virtio_blk,dm_crypt,xts,ecb,aes_generic,dm_mod disks=a=64M,b=64M,c=64M,d=64M programs=dmsetup,lvm
# machine: qemu="-device virtio-blk-pci,drive=a -device virtio-blk-pci,drive=b -device virtio-blk-pci,drive=c -device virtio-blk-pci,drive=d"
# Devices that device-mapper makes of virtual disks: an encrypted one, and a logical volume over two of them.
device="dm-crypt over virtio"
. /devices/common.sh
run_on() { # RING BARE
  format "$1"
  survives "$1" power
  for engine in pwrite uring flush; do row "$engine" "$1" "$2"; done
  for engine in pwrite uring; do
    format "$1"
    start "$1" "$engine"
    killed
    recovered "$1" "$engine" "kill -9"
  done
}
make_crypt /dev/vdd bare || failed "dm-crypt"
bare=$stacked
make_crypt /dev/vda || failed "dm-crypt"
run_on "$stacked" "$bare"
dd if=/dev/vda bs=1M count=8 2>/dev/null | grep -q "abcdefghijklmnopqrstuvwxyz" && failed "the disk holds lines that are not encrypted"
for each in ring bare; do dmsetup --noudevsync remove "$each" || failed "dmsetup remove"; done
device="LVM over virtio"
map bare linear /dev/vdd || failed "dm-linear"
bare=$stacked
make_lvm /dev/vdb /dev/vdc || failed "LVM"
run_on "$stacked" "$bare"
finish
