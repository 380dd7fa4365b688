# SPDX-License-Identifier: Apache-2.0
# machine: modules=virtio_blk,nvmet,nvmet_tcp,nvme_tcp disks=a=64M,b=64M
# machine: qemu="-device virtio-blk-pci,drive=a -device virtio-blk-pci,drive=b"
# A remote namespace: NVMe over TCP, from a target in the same machine, whose connection is cut and restored.
device=${device:-NVMe over TCP, loopback}
address=${address:-127.0.0.1}
. /devices/common.sh
serve $address /dev/vda /dev/vdb

if [ $transport = tcp ]; then
  cut() { ip link set lo down; }
  restore() { ip link set lo up; }
else # within one machine RDMA packets pass no network: the target ends the connection, and refuses a new one
  cut() { rm $target/ports/1/subsystems/burst; }
  restore() { ln -s $target/subsystems/burst $target/ports/1/subsystems/burst; }
fi

reach() { # ctrl_loss_tmo
  connect $address "$1" || failed "connect"
  there() { ls /dev/nvme*n1 >/dev/null 2>&1; }
  wait_for 20 there || failed "no namespace"
}

disconnect() { for each in /sys/class/nvme/nvme*; do echo 1 >"$each/delete_controller"; done; }

reach 60
for engine in pwrite uring flush nvme; do row "$engine" /dev/nvme0n1 /dev/nvme0n2; done
survives /dev/nvme0n1 power
for engine in pwrite uring; do
  format /dev/nvme0n1
  start /dev/nvme0n1 "$engine"
  cut
  sleep 4
  restore
  goes_on 60
  killed
  recovered /dev/nvme0n1 "$engine" "connection cut for 4 s"
done
disconnect
sleep 1
reach 3
gone() { ! ls /dev/nvme*n1 2>/dev/null | grep -q .; }

format /dev/nvme0n1
for engine in pwrite uring nvme; do
  remote=$(ls /dev/nvme*n1)
  start "$remote" "$engine"
  cut
  fails 90
  restore
  wait_for 60 gone || failed "$remote stays, beyond ctrl_loss_tmo"
  reach 3
  recovered "$(ls /dev/nvme*n1)" "$engine" "connection lost beyond ctrl_loss_tmo (3 s)"
done
finish
