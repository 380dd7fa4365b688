# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Peers of the benchmarks that are no Java: what they need, and their programs in the folder $1. Sourced, not run. A
# peer that cannot be had is named, and left out: the benchmarks skip it.

readonly quill_version=13.1.0-1
readonly quill_sha256=86ecefbded9b4a463f007823ff9e30a5904759040ceb3ad78abdf5f7a6713498

# Debian's packages that are missing here.
missing_peer_packages() {
  command -v g++ >/dev/null || echo g++
  [ -e /usr/include/spdlog/spdlog.h ] || echo libspdlog-dev
  [ -e /usr/include/rocksdb/db.h ] || echo librocksdb-dev
  [ -e /usr/include/sqlite3.h ] || echo libsqlite3-dev
  [ -e /usr/include/postgresql/libpq-fe.h ] || echo libpq-dev
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || echo postgresql
}

# The package makes a cluster of its own and starts it, unless this file is there first.
without_a_cluster() {
  local settings=/etc/postgresql-common/createcluster.conf
  [ -e "$settings" ] || as_root sh -c "mkdir -p '${settings%/*}' && echo 'create_main_cluster = false' >'$settings'"
}

install_peer_packages() {
  local packages
  mapfile -t packages < <(missing_peer_packages)
  [ "${#packages[@]}" -gt 0 ] || return 0
  command -v apt-get >/dev/null || { echo "!!!! peers: missing here: ${packages[*]} (Debian's names)"; return 0; }
  printf 'Installing %s ..\n' "${packages[*]}"
  { [[ " ${packages[*]} " != *" postgresql "* ]] || without_a_cluster; } &&
    as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      -o Dpkg::Options::=--force-confold "${packages[@]}" || echo "!!!! peers: could not install ${packages[*]}"
}

# quill's headers out of the package of Debian's unstable, by apt with lists of its own: nothing of the host changes.
fetch_quill() {
  local folder=$1 mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg options package
  [ ! -e "$folder/quill" ] && [ ! -e /usr/include/quill/Logger.h ] || return 0
  # shellcheck disable=SC2016 # apt's own variable
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' 2>/dev/null | head -n 1)
  if [ -z "$mirror" ] || [ ! -e "$keyring" ]; then
    echo "!!!! peers: quill is not fetched: this host is no Debian"
    return 0
  fi
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
  echo "deb [signed-by=$keyring] $mirror unstable main" >"$folder/apt/sources.list"
  options=(-o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/apt/lists"
    -o "Dir::Cache=$folder/apt/cache" -o APT::Sandbox::User=root)
  if ! { apt-get "${options[@]}" update && (cd "$folder/apt" && apt-get "${options[@]}" download "quill-dev=$quill_version"); }; then
    echo "!!!! peers: quill-dev $quill_version of Debian's unstable cannot be had; a newer one needs another hash here"
    return 0
  fi
  package=$(compgen -G "$folder/apt/quill-dev_*.deb")
  if echo "$quill_sha256  $package" | sha256sum --check --quiet; then
    dpkg -x "$package" "$folder/quill"
  else
    echo "!!!! peers: $package is not the one whose hash is in ${BASH_SOURCE[0]}"
  fi
  rm -rf "$folder/apt"
}

# Everything that apt and the compiler say goes to the file $2, all but the reasons.
set_up_peers() {
  mkdir -p "$1"
  { install_peer_packages && fetch_quill "$(cd "$1" && pwd)" && scripts/lib/build_peers "$1"; } >"$2" 2>&1 || true
  grep '^!!!!' "$2" || true
}
