# SPDX-License-Identifier: Apache-2.0
# machine: modules=nfit,nd_pmem,dax_pmem,device_dax,ext4,crc32c_generic disks=a=256M,b=256M programs=mkfs.ext4,filefrag
# machine: qemu="-cpu max,vendor=GenuineIntel -M nvdimm=on -m 768M,slots=4,maxmem=4G -object memory-backend-file,id=ma,share=on,mem-path=a.img,size=256M -device nvdimm,memdev=ma -object memory-backend-file,id=mb,share=on,mem-path=b.img,size=256M -device nvdimm,memdev=mb"
# An NVDIMM: files on ext4 with DAX and MAP_SYNC, and a DAX character device.
device="NVDIMM, fsdax on ext4"
. /devices/common.sh

# Gives a namespace a mode by hand, as `ndctl create-namespace` does.
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
for engine in auto mapped; do # auto makes a ring of blocks; mapped makes one of lines
  rm -f /mnt/dax/ring
  start /mnt/dax/ring "$engine"
  killed
  recovered /mnt/dax/ring "$engine" "kill -9"
  case "$engine,$(sed -n 's/.* is written by \([a-z]*\):.*/\1/p' /m/found.events)" in
  auto,pwrite | auto,uring | mapped,mapped) ok "$engine: $(grep -o 'is written by.*by name\|is written by [a-z]*' /m/found.events)" ;;
  *) failed "$engine: $(grep 'is written by' /m/found.events)" ;;
  esac
done
machine-writer /mnt/dax/power-ring /mnt/dax/power-log mapped power 2 1 >/m/said 2>/m/events ||
  failed "durability=power on DAX: $(tail -n 2 /m/said)"
grep -E 'survive|written by|mapped' /m/events | head -3

# A page of memory goes bad, and a machine check reports it. A process that has mapped the page gets SIGBUS at once; one
# that maps it later gets SIGBUS when it touches the page.
echo 1 >/proc/sys/vm/memory_failure_early_kill
bad() { cat /sys/block/pmem0/badblocks /sys/bus/nd/devices/region*/badblocks 2>/dev/null; }
poison() { # BEGIN PAGE
  bad >/m/bad
  printf 'MONITOR mce 0 9 0xbd000000000000c0 0x5 0x%x 0x8c\n' $(($(cat "/sys/bus/nd/devices/$1/resource") + $2 * 4096))
  more_are_bad() { ! bad | cmp -s - /m/bad; }
  if wait_for 20 more_are_bad; then ok "bad blocks: $(bad | tr '\n' ' ')"; else failed "the machine check has poisoned nothing"; fi
}
block_of() { filefrag -v -b4096 "$1" | awk '$1 == "0:" { print $4 + 0 }'; }

rm -f /mnt/dax/ring
start /mnt/dax/ring mapped
poison pfn0.0 $(($(block_of /mnt/dax/ring) + 1500)) # in the writer's way
fails 90
grep -m 1 SIGBUS /m/events
recovered /mnt/dax/ring mapped "a poisoned page was met"
rm -f /mnt/dax/ring
start /mnt/dax/ring mapped
killed
poison pfn0.0 $(($(block_of /mnt/dax/ring) + 256 + 20)) # which holds records
rm -f /m/lines/log
burstlog recover /mnt/dax/ring >/m/said
code=$?
statement=$(sed -n 's/^statement: //p' /m/said)
lost=$(sed -n 's/^records lost: //p' /m/said)
moved=$(grep -c '^[01] ' /m/lines/log)
# One append of each thread may have been under way.
if [ $code -eq 1 ] && [ "$lost" -gt 0 ] && [ $((moved + lost - $(lines))) -ge 0 ] && [ $((moved + lost - $(lines))) -le 2 ]; then
  ok "a poisoned page that held records: $statement"
else
  failed "a poisoned page that held records: exit $code, $moved lines, $(lines) were acknowledged: $statement"
fi
umount /mnt/dax

device="NVDIMM, devdax"
give_mode namespace1.0 dax1.0 dax_pmem
wait_for 10 test -c /dev/dax1.0 || failed "no /dev/dax1.0: $(ls /dev | tr '\n' ' ')"
format /dev/dax1.0
survives /dev/dax1.0 power
start /dev/dax1.0 mapped
killed
recovered /dev/dax1.0 mapped "kill -9"
start /dev/dax1.0 mapped
poison dax1.0 1500
fails 90
recovered /dev/dax1.0 mapped "a poisoned page was met"
finish
