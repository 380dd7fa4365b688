#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The shared library needs libc alone at run time, and exports nothing but burst_*.
#
#     needs_libc_alone.sh LIBRARY
set -euo pipefail
command -v readelf >/dev/null || { echo "SKIPPED: no readelf (binutils)"; exit 77; }

needed=$(readelf -dW "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
exported=$(readelf --dyn-syms -W "$1" | awk '$1 ~ /^[0-9]+:$/ && $7 != "UND" && $5 != "LOCAL" { print $8 }')
echo "needs: ${needed//$'\n'/ }"
grep -q '^libc\.' <<<"$needed" || { echo "it needs no libc: this is not the library"; exit 1; }
grep -q '^burst_open' <<<"$exported" || { echo "it has no burst_open: this is not the library"; exit 1; }
if foreign=$(grep -vE '^(libc\.(so|musl-).*|ld-linux.*\.so\..*)$' <<<"$needed"); then
  echo "it needs more than libc: $foreign"
  exit 1
fi
if foreign=$(grep -vE '^burst_|^BURST' <<<"$exported"); then
  echo "it shows more than burst_*: $foreign"
  exit 1
fi
