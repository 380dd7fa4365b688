#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shop is killed after forty orders, and started again. Then the log has each order that a customer was told of. All
# its files are in target/try, which is empty at the beginning of each run.
set -eu

cd "$(dirname "$0")"
rm -rf target/try
mkdir -p target/try
cd target/try
shop() { exec java -cp '../classes:../lib/*' shop.Shop "$1"; }

shop 1000000 >told &
until [ "$(wc -l <told)" -ge 40 ]; do
  kill -0 $! || exit 1
  sleep 0.1
done
kill -9 $!
wait $! || true
echo "killed: $(wc -l <told) orders were told, orders.log has $(wc -l <orders.log) of them"
(shop 0)
lacking=$(grep -vxFf orders.log told || true)
echo "started again: orders.log has $(wc -l <orders.log)${lacking:+, and lacks: $lacking}"
[ -z "$lacking" ]
