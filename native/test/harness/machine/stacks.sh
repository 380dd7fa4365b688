# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Layers between a ring and its disks. busybox sources this in the virtual machine. make_STACK DISK.. makes or finds a
# layer on these disks, and leaves the ring's device in $stacked. scripts/prove/machine-devices and scripts/prove/power-cuts use
# it.

quietly() { "$@" >/m/stack 2>&1 || { cat /m/stack; return 1; }; }

map() { # NAME TARGET DISK..: a device of device-mapper
  map_name=$1 map_target=$2
  quietly dmsetup --noudevsync create "$map_name" --table "0 $(blockdev --getsz "$3") $map_target $3 0" || return 1
  stacked=/dev/$(cd /sys/block && grep -lx "$map_name" dm-*/dm/name | cut -d/ -f1)
}

make_crypt() { # DISK [NAME]
  key=00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef
  map "${2:-ring}" "crypt aes-xts-plain64 $key$key 0" "$1"
}

lvm_quietly() {
  quietly lvm "$@" --config 'activation { udev_sync=0 udev_rules=0 } devices { use_devicesfile=0 } backup { backup=0 archive=0 }'
}

make_lvm() {
  if ! lvm_quietly vgs rings >/dev/null; then
    lvm_quietly vgcreate rings "$@" && lvm_quietly lvcreate -y -Zn -Wn -n ring -l 100%FREE rings || return 1
  fi
  lvm_quietly vgchange -ay rings || return 1
  stacked=/dev/$(cd /sys/block && grep -lx rings-ring dm-*/dm/name | cut -d/ -f1)
}

make_md() { # DISK DISK [NAME]
  mkdir -p /run/mdadm
  stacked=${3:-/dev/md0}
  if mdadm --examine "$1" >/dev/null 2>&1; then
    quietly mdadm --assemble --run "$stacked" "$1" "$2"
  else
    quietly mdadm --create "$stacked" --run --assume-clean --level=1 --raid-devices=2 --metadata=1.2 "$1" "$2"
  fi
}

target=/sys/kernel/config/nvmet
transport=${transport:-tcp}

serve_at() { # PORT ADDRESS
  mkdir $target/ports/$1
  echo $transport >$target/ports/$1/addr_trtype
  echo ipv4 >$target/ports/$1/addr_adrfam
  echo "$2" >$target/ports/$1/addr_traddr
  echo 4420 >$target/ports/$1/addr_trsvcid
  ln -s $target/subsystems/burst $target/ports/$1/subsystems/burst
}

# An NVMe target over TCP, or over $transport, that serves the disks as namespaces 1, 2, ..
serve() { # ADDRESS DISK..
  [ -d $target ] || mount -t configfs config /sys/kernel/config
  mkdir $target/subsystems/burst
  echo 1 >$target/subsystems/burst/attr_allow_any_host
  address=$1
  shift
  for disk; do
    namespace=$target/subsystems/burst/namespaces/$((${namespaces:=0} + 1))
    namespaces=$((namespaces + 1))
    mkdir "$namespace"
    echo -n "$disk" >"$namespace/device_path"
    [ ! -e "$namespace/resv_enable" ] || echo 1 >"$namespace/resv_enable" # Linux 6.13 and later
    echo 1 >"$namespace/enable"
  done
  serve_at 1 "$address"
}

connect() { # ADDRESS CTRL_LOSS_TMO [NQN OF THE HOST, one digit]
  host=${3:+,hostnqn=$3,hostid=0000000$3-0000-0000-0000-000000000000}
  echo "transport=$transport,traddr=$1,trsvcid=4420,nqn=burst,keep_alive_tmo=2,reconnect_delay=1,ctrl_loss_tmo=$2$host" \
    >/dev/nvme-fabrics
}

make_tcp() {
  serve 127.0.0.1 "$@" && connect 127.0.0.1 60 || return 1
  until [ -b /dev/nvme0n1 ]; do sleep 0.05; done
  stacked=/dev/nvme0n1
}
