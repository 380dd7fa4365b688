# SPDX-License-Identifier: Apache-2.0
# machine: modules=virtio_blk,crc32_generic,rdma_rxe,nvmet,nvmet_rdma,nvme_rdma,dummy disks=a=64M,b=64M programs=rdma scripts=nvme-tcp
# machine: qemu="-device virtio-blk-pci,drive=a -device virtio-blk-pci,drive=b"
# The same over RDMA, by an RDMA device that the kernel makes of a network device (soft-RoCE).
device="NVMe over RDMA, soft-RoCE"
transport=rdma
address=192.0.2.1
ip link add wire type dummy
ip link set wire up
ip addr add $address/24 dev wire
rdma link add rxe0 type rxe netdev wire || echo "FAIL  $device: no RDMA device"
. /devices/nvme-tcp.sh
