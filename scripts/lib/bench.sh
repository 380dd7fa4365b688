# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Builds and runs jmh-bench/target/benchmarks.jar. Sourced, not run.

# Everything that Maven and CMake say goes to the file $1.
build_benchmarks() {
  echo "Building .."
  mvn -B -ntp -q -Pdevelopment -DskipTests -pl jmh-bench -am package >"$1" 2>&1 || fail "the build failed, see $1."
}

# benchmarks ARGUMENT..: studies, or JMH.
benchmarks() {
  "$JAVA_HOME/bin/java" -Xms2g -Xmx2g "-Dbench.revision=$(git describe --always --dirty 2>/dev/null || echo unknown)" \
    -jar jmh-bench/target/benchmarks.jar "$@"
}
