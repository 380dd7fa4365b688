# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts here need on a bare Debian 12 or Ubuntu 24.04. Sourced, not run.

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else return 127
  fi
}

# The major version of the JDK in directory $1; fails if there is no compiler in it.
jdk_major() {
  [ -n "$1" ] && [ -x "$1/bin/javac" ] && "$1/bin/javac" -version 2>&1 | sed -nE 's/^javac ([0-9]+).*/\1/p'
}

# Prints the JDK to build with: JAVA_HOME if it is one, else Debian's 17, else the javac on the path.
find_build_jdk() {
  local home major on_path
  on_path=$(readlink -f "$(command -v javac)") || on_path=
  for home in "${JAVA_HOME:-}" /usr/lib/jvm/java-17-openjdk-* "${on_path%/bin/javac}"; do
    major=$(jdk_major "$home") || continue
    if [ "${major:-0}" -ge 17 ]; then
      printf '%s\n' "$home"
      return 0
    fi
  done
  return 1
}

# Prints the directory of a JDK 25; fails if there is none.
find_jdk25() {
  local home
  for home in "${JAVA25_HOME:-}" /usr/lib/jvm/*25*; do
    if [ "$(jdk_major "$home")" = 25 ]; then
      printf '%s\n' "$home"
      return 0
    fi
  done
  return 1
}

missing_packages() {
  find_build_jdk >/dev/null || echo openjdk-17-jdk-headless
  command -v mvn >/dev/null || echo maven
  command -v cmake >/dev/null || echo cmake
  command -v gcc >/dev/null || echo gcc
  command -v make >/dev/null || echo make
  [ -e /usr/include/stdio.h ] || echo libc6-dev
  command -v pkg-config >/dev/null || echo pkg-config
  compgen -G '/usr/lib/*/liburing.a' >/dev/null || echo liburing-dev
  local command_of_same_name
  for command_of_same_name in "$@"; do
    command -v "$command_of_same_name" >/dev/null || echo "$command_of_same_name"
  done
}

# Prints the packages that make the file systems that no bare machine makes.
missing_file_systems() {
  command -v mkfs.xfs >/dev/null || echo xfsprogs
  command -v mkfs.btrfs >/dev/null || echo btrfs-progs
}

# Prints the packages that the tests need beyond those; the programs of the proof are among them.
missing_test_packages() {
  [ -e /usr/include/cmocka.h ] || echo libcmocka-dev
  [ -e /usr/include/blkid/blkid.h ] || echo libblkid-dev
  command -v g++ >/dev/null || echo g++
  command -v ccache >/dev/null || echo ccache
  command -v strace >/dev/null || echo strace
  command -v zstd >/dev/null || echo zstd
  command -v shellcheck >/dev/null || echo shellcheck
  [ -x /usr/sbin/logrotate ] || echo logrotate
  command -v musl-gcc >/dev/null || echo musl-tools
  python3 -m pip --version >/dev/null 2>&1 || echo python3-pip
  command -v spin >/dev/null || echo spin
  command -v clang-14 >/dev/null || echo clang-14
  command -v clang-format-14 >/dev/null || echo clang-format-14
  compgen -G '/usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.fuzzer-*' >/dev/null || echo libclang-rt-14-dev
  command -v llvm-cov-14 >/dev/null || echo llvm-14 # llvm-objcopy, too
  command -v fusermount3 >/dev/null || echo fuse3
  missing_file_systems
  [ -e /usr/include/fuse3/fuse.h ] || echo libfuse3-dev
  [ -e /usr/include/spdlog/spdlog.h ] || echo libspdlog-dev
  [ -e /usr/include/sqlite3.h ] || echo libsqlite3-dev
}

# Installs what the build lacks, and the packages named (each called like its command); exports JAVA_HOME.
# Everything apt says goes to the file $1.
set_up() {
  local apt_log=$1 packages
  shift
  mapfile -t packages < <(missing_packages "$@" | sort -u)
  if [ "${#packages[@]}" -gt 0 ]; then
    command -v apt-get >/dev/null || fail "missing here: ${packages[*]} (Debian's names); install them and start again."
    printf 'Installing %s ..\n' "${packages[*]}"
    if ! { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y \
        --no-install-recommends "${packages[@]}"; } >"$apt_log" 2>&1; then
      tail -n 5 "$apt_log" >&2
      fail "could not install ${packages[*]} (needs root or sudo, and a network); what apt said is in $apt_log."
    fi
  fi
  JAVA_HOME=$(find_build_jdk) || fail "found no JDK of version 17 or later, set JAVA_HOME to one."
  export JAVA_HOME
}

# Maven in this tree, one at a time: on many cores scripts/proof runs several of the scripts that build at once.
build_with_maven() {
  mkdir -p target
  flock --close target/maven.lock mvn -B -ntp -q "$@"
}

# The modules that are released, each in the folder of that name: those of pom.xml that no profile adds.
modules() { sed -nE 's/^    <module>(.*)<\/module>$/\1/p' pom.xml; }
