# SPDX-License-Identifier: Apache-2.0
# machine: modules=virtio_blk,nvmet,nvmet_tcp,nvme_tcp disks=a=64M,b=64M
# machine: qemu="-device virtio-blk-pci,drive=a -device virtio-blk-pci,drive=b"
# A remote namespace: NVMe over TCP, from a target in the same machine, whose connection is cut and restored.
device="NVMe over TCP, loopback"
. /devices/common.sh
mount -t configfs config /sys/kernel/config
cd /sys/kernel/config/nvmet || exit 1
mkdir subsystems/burst ports/1
echo 1 >subsystems/burst/attr_allow_any_host
for disk in 1:/dev/vda 2:/dev/vdb; do
  mkdir "subsystems/burst/namespaces/${disk%%:*}"
  echo -n "${disk#*:}" >"subsystems/burst/namespaces/${disk%%:*}/device_path"
  echo 1 >"subsystems/burst/namespaces/${disk%%:*}/enable"
done
echo tcp >ports/1/addr_trtype
echo ipv4 >ports/1/addr_adrfam
echo 127.0.0.1 >ports/1/addr_traddr
echo 4420 >ports/1/addr_trsvcid
ln -s ../../../subsystems/burst ports/1/subsystems/burst 2>/dev/null ||
  ln -s /sys/kernel/config/nvmet/subsystems/burst ports/1/subsystems/burst
cd /m || exit 1

connect() { # ctrl_loss_tmo
  echo "transport=tcp,traddr=127.0.0.1,trsvcid=4420,nqn=burst,keep_alive_tmo=2,reconnect_delay=1,ctrl_loss_tmo=$1" \
    >/dev/nvme-fabrics || failed "connect"
  there() { ls /dev/nvme*n1 >/dev/null 2>&1; }
  wait_for 20 there || failed "no namespace"
}

disconnect() { for each in /sys/class/nvme/nvme*; do echo 1 >"$each/delete_controller"; done; }

connect 60
for engine in pwrite uring nvme; do row "$engine" /dev/nvme0n1 /dev/nvme0n2; done
survives /dev/nvme0n1 power
for engine in pwrite uring; do
  format /dev/nvme0n1
  start /dev/nvme0n1 "$engine"
  ip link set lo down
  sleep 4
  ip link set lo up
  goes_on 60
  killed
  recovered /dev/nvme0n1 "$engine" "connection cut for 4 s"
done
disconnect
sleep 1
connect 3
gone() { ! ls /dev/nvme*n1 2>/dev/null | grep -q .; }

format /dev/nvme0n1
for engine in pwrite uring nvme; do
  remote=$(ls /dev/nvme*n1)
  start "$remote" "$engine"
  ip link set lo down
  fails 90
  ip link set lo up
  wait_for 60 gone || failed "$remote stays, beyond ctrl_loss_tmo"
  connect 3
  recovered "$(ls /dev/nvme*n1)" "$engine" "connection lost beyond ctrl_loss_tmo (3 s)"
done
finish
