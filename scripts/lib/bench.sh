# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Builds and runs jmh-bench/target/benchmarks.jar. Sourced, not run.

# Everything that Maven and CMake say goes to the file $1.
build_benchmarks() {
  echo "Building .."
  mvn -B -ntp -q -Pdevelopment -DskipTests -pl jmh-bench -am package >"$1" 2>&1 || fail "the build failed, see $1."
}

# The hash of the measured sources; pages and pictures are results and do not count.
revision() {
  git describe --always 2>/dev/null || { echo unknown; return; }
  [ -z "$(git status --porcelain -- . ':!docs' ':!README.md')" ] || echo ", changed"
}

# benchmarks ARGUMENT..: studies, or JMH. The results name $bench_script as what made them, or the jar if it is not set.
benchmarks() {
  "$JAVA_HOME/bin/java" -Xms2g -Xmx2g "-Dbench.peers=$PWD/target/peers" "-Dbench.revision=$(revision | tr -d '\n')" \
    "-Dbench.script=${bench_script:-}" \
    -jar jmh-bench/target/benchmarks.jar "$@"
}
