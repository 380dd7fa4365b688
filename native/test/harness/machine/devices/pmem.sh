# SPDX-License-Identifier: Apache-2.0
# machine: modules=nfit,nd_pmem,dax_pmem,device_dax,ext4,xfs,crc32c_generic disks=a=256M,b=256M programs=mkfs.ext4,mkfs.xfs
# machine: qemu="-M nvdimm=on -m 768M,slots=4,maxmem=4G -object memory-backend-file,id=ma,share=on,mem-path=a.img,size=256M -device nvdimm,memdev=ma -object memory-backend-file,id=mb,share=on,mem-path=b.img,size=256M -device nvdimm,memdev=mb"
# An NVDIMM: files on ext4 with DAX and MAP_SYNC, and a DAX character device.
device="NVDIMM, fsdax on ext4"
. /devices/common.sh

# A namespace gets a mode by hand: `ndctl create-namespace` does the same.
give_mode() { # NAMESPACE SEED DRIVER
  cd /sys/bus/nd/devices || exit 1
  echo "$1" >/sys/bus/nd/drivers/nd_pmem/unbind
  cat /proc/sys/kernel/random/uuid >"$2/uuid"
  echo ram >"$2/mode"
  echo "$1" >"$2/namespace"
  echo "$2" >"/sys/bus/nd/drivers/$3/bind"
  cd /m || exit 1
}

give_mode namespace0.0 pfn0.0 nd_pmem
wait_for 10 test -b /dev/pmem0 || failed "no /dev/pmem0: $(ls /dev | tr '\n' ' ')"
expect "mkfs.ext4 /dev/pmem0" mkfs.ext4 -q -b 4096 /dev/pmem0
mkdir -p /mnt/dax
expect "mount -o dax" mount -t ext4 -o dax /dev/pmem0 /mnt/dax
fallocate -l 40M /mnt/dax/bare || failed "fallocate"
row mapped /mnt/dax/ring /mnt/dax/bare 20000
survives /mnt/dax/ring power
rm -f /mnt/dax/ring
start /mnt/dax/ring auto
killed
recovered /mnt/dax/ring auto "kill -9"
machine-writer /mnt/dax/power-ring /mnt/dax/power-log mapped power 2 1 >/m/said 2>/m/events ||
  failed "durability=power on DAX: $(tail -n 2 /m/said)"
grep -E 'survive|written by|mapped' /m/events | head -3
umount /mnt/dax

device="NVDIMM, devdax"
give_mode namespace1.0 dax1.0 dax_pmem
wait_for 10 test -c /dev/dax1.0 || failed "no /dev/dax1.0: $(ls /dev | tr '\n' ' ')"
format /dev/dax1.0
survives /dev/dax1.0 power
start /dev/dax1.0 mapped
killed
recovered /dev/dax1.0 mapped "kill -9"
finish
