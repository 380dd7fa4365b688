# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The pinned cross compiler, in target/ziglang of the tree that is the current directory. Sourced, not run.

readonly zig_tree=$PWD
export ZIG_GLOBAL_CACHE_DIR=$zig_tree/target/zig-cache ZIG_LOCAL_CACHE_DIR=$zig_tree/target/zig-cache

zig() { "$zig_tree/target/ziglang/ziglang/zig" "$@"; }

# Puts the compiler there, unless it is there already; fails if it cannot be had.
install_zig() {
  local mark=target/ziglang/installed
  cmp -s scripts/lib/ziglang.txt "$mark" && return
  rm -rf target/ziglang
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --only-binary=:all: \
    --require-hashes --target target/ziglang -r scripts/lib/ziglang.txt && cp scripts/lib/ziglang.txt "$mark"
}
