# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Builds and runs jmh-bench/target/benchmarks.jar. Sourced, not run.

# Everything that Maven and CMake say goes to the file $1.
build_benchmarks() {
  echo "Building .."
  { mvn -B -ntp -q -Pdevelopment -DskipTests -pl jmh-bench -am package &&
    cmake --build native/target/cmake --target append_bench; } >"$1" 2>&1 || fail "the build failed, see $1."
}

# What Chronicle Queue needs of a JDK from 17 on; -jar finds the same in the manifest, but not JMH's forks.
readonly bench_exports=(java.base/jdk.internal.ref java.base/sun.nio.ch java.base/jdk.internal.util
  jdk.unsupported/sun.misc jdk.compiler/com.sun.tools.javac.file)
readonly bench_opens=(jdk.compiler/com.sun.tools.javac java.base/java.lang java.base/java.lang.reflect
  java.base/java.io java.base/java.util java.base/java.nio java.base/sun.nio.ch)

# benchmarks ARGUMENT..: a study, or JMH.
benchmarks() {
  local flags=(-Xms2g -Xmx2g "-Dbench.revision=$(git describe --always --dirty 2>/dev/null || echo unknown)") each
  for each in "${bench_exports[@]}"; do flags+=("--add-exports=$each=ALL-UNNAMED"); done
  for each in "${bench_opens[@]}"; do flags+=("--add-opens=$each=ALL-UNNAMED"); done
  if [ "$(jdk_major "$JAVA_HOME")" -ge 24 ]; then
    flags+=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
  fi
  "$JAVA_HOME/bin/java" "${flags[@]}" -jar jmh-bench/target/benchmarks.jar "$@"
}
