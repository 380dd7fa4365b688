# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The pinned cross compiler and the pinned liburing, in target/ziglang and target/liburing of the tree that is the current
# directory. Sourced, not run.

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

readonly liburing=$zig_tree/target/liburing/liburing-2.9

# Puts the sources of liburing there; fails if they cannot be had. apt works on lists of its own: nothing of the host's changes. It
# checks no signature, since the pinned bytes are the only ones that are taken; they may also be put there by hand.
install_liburing() {
  local pin=$zig_tree/scripts/lib/liburing.txt mirror apt
  mkdir -p "${liburing%/*}/lists/partial"
  (
    cd "${liburing%/*}" || exit
    if ! sha256sum --check "$pin"; then
      # shellcheck disable=SC2016 # apt's own words
      mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' | head -n 1 | grep .) || exit
      echo "deb-src [trusted=yes] $mirror trixie main" >sources.list
      apt=(apt-get -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$PWD/lists"
        -o Dir::Cache="$PWD/cache" -o APT::Sandbox::User=root)
      "${apt[@]}" update && "${apt[@]}" source --download-only --tar-only liburing && rm -rf lists cache
      sha256sum --check "$pin" || exit
    fi
    tar -xzf liburing_*.orig.tar.gz
  )
}

declare -A target_of=(
  [linux-x86-64]=x86_64-linux-gnu.2.17
  [linux-aarch64]=aarch64-linux-gnu.2.17
  [linux-x86-64-musl]=x86_64-linux-musl
  [linux-aarch64-musl]=aarch64-linux-musl
)

# compiler PLATFORM FOLDER: as one command, FOLDER/cc.
compiler() {
  mkdir -p "$2"
  printf '#!/bin/sh\nexec "%s" cc -target %s "$@"\n' "$zig_tree/target/ziglang/ziglang/zig" "${target_of[$1]}" >"$2/cc"
  chmod +x "$2/cc"
}

# The flags by which one tree gives the same bytes wherever it lies. configure PLATFORM BUILD [CMAKE-OPTION..]
configure() {
  local platform=$1 build=$2
  shift 2
  # The linker's own build id would depend on the compiler's path, which is in the debug information.
  local id
  id=0x$({ echo "$platform"; cat scripts/lib/{ziglang,liburing}.txt; find native/{src,include,cross/liburing,CMakeLists.txt,burstlog.map} \
    -type f -print0 | LC_ALL=C sort -z | xargs -0 sha1sum; } | sha1sum | cut -d ' ' -f 1)
  compiler "$platform" "$build" || return
  cmake -S native -B "$build" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="${target_of[$platform]%%-*}" \
    -DCMAKE_C_COMPILER="$build/cc" -DCMAKE_C_COMPILER_LAUNCHER= -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_C_FLAGS="-Werror -ffile-prefix-map=$zig_tree=. -ffile-prefix-map=$build=build" \
    -DCMAKE_SHARED_LINKER_FLAGS="-Wl,--build-id=$id" -DCMAKE_EXE_LINKER_FLAGS="-Wl,--build-id=$id -dynamic" \
    -DBURST_LIBURING="$liburing" -DBURST_JNI_INCLUDE="$(find_build_jdk)/include" "$@"
}

