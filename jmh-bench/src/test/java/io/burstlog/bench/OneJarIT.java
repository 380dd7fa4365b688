// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.bench.harness.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** benchmarks.jar as users get it: nothing else is on the class path. */
@Timeout(120)
class OneJarIT {

    @TempDir
    private Path directory;

    private String run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dbench.dir=" + directory,
                // JMH holds a lock in this folder: the same test of another JDK may run at once.
                "-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp")),
                "-jar",
                System.getProperty("benchmarks.jar")));
        command.addAll(List.of(arguments));
        Path said = directory.resolve("said");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        assertThat(process.waitFor(100, TimeUnit.SECONDS)).as("ends").isTrue();
        String output = Files.readString(said);
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    @Test
    void itListsBenchmarksAndStudiesAndExplainsThem() throws Exception {
        assertThat(run("-l")).contains("AppendBench.append", "PeerBench.append", "HandOverBench.burst", "fast-ring");
        assertThat(run("help")).contains("-p ring=zram,ssd-file,tmpfs,/dev/..", "drain-rate", "--full");
    }

    /** The flags that Chronicle Queue needs reach the fork. */
    @Test
    void jmhRunsOursAndPeersInForksAndWhatCannotRunSaysWhyInOneLine() throws Exception {
        Path results = directory.resolve("jmh.json");

        String said = run(
                ("AppendBench|PeerBench -p ring=ssd-file,/dev/missing,/dev/null -p way=log4j -p peer=chronicle,file-force"
                                + " -p size=100 -wi 0 -i 1 -r 100ms -t 2 -prof gc -rf json -rff " + results)
                        .split(" "));

        assertThat(said)
                .containsPattern("(?m)^!!!! SKIPPED: AppendBench.append ring=/dev/missing .*: there is no device")
                .containsPattern("(?m)^!!!! SKIPPED: AppendBench.append ring=/dev/null .*: .*is a character device")
                .containsPattern(
                        "(?m)^!!!! SKIPPED: PeerBench.append peer=file-force .*: .*one thread only.*-t asks for 2")
                .doesNotContain("\tat ");
        List<Object> runs = Json.list(Json.parse(Files.readString(results)));
        assertThat(runs).hasSize(2).allSatisfy(run -> {
            Map<String, Object> score = Json.object(Json.object(run).get("primaryMetric"));
            assertThat(Json.number(score.get("score"))).isPositive();
            assertThat(Json.object(score.get("scorePercentiles"))).containsKey("99.99");
            assertThat(Json.object(Json.object(run).get("secondaryMetrics")).keySet())
                    .anyMatch(metric -> metric.endsWith("gc.alloc.rate.norm"));
        });
        assertThat(directory).isDirectoryNotContaining("glob:**/burstlog-bench-*");
    }

    @Test
    void aStudyRunsByItsNameAndLeavesNothingButItsResults() throws Exception {
        run(("hand-over --rounds 1 --warm-up-rounds 0 --burst 100 --producers 1" + " --ways copy --out "
                        + directory.resolve("out") + " --dir " + directory)
                .split(" "));

        assertThat(Json.list(Json.readObject(directory.resolve("out/hand-over-64.json"))
                        .get("targets")))
                .isNotEmpty();
        assertThat(directory).isDirectoryNotContaining("glob:**/burstlog-bench-*");
    }

    /** Log4j finds its own appenders, Burst, and that of the benchmarks: the caches of three jars are one. */
    @Test
    void appendersOfAllJarsAndChronicleWorkOutOfOneJar() throws Exception {
        String targets = "java-jni@ssd,java-jna@ssd,log4j-burst@ssd,log4j-force,log4j-raf-buffered,log4j-async-raf,"
                + "log4j-mmap-flush,chronicle,chronicle-sync,chronicle-msync";

        run(
                "latency",
                "--study",
                "smoke",
                "--targets",
                targets,
                "--dir",
                directory.resolve("run").toString(),
                "--out",
                directory.resolve("out").toString(),
                "--messages",
                "60",
                "--warm-up",
                "20",
                "--block",
                "20");

        Map<String, Object> study = Json.readObject(directory.resolve("out").resolve("smoke.json"));
        assertThat(Json.list(study.get("skipped"))).isEmpty();
        List<Object> found = Json.list(study.get("targets"));
        assertThat(found.stream().map(target -> Json.object(target).get("name")))
                .containsExactly((Object[]) targets.split(","));
        assertThat(found).allSatisfy(target -> {
            assertThat(Json.object(target)).containsEntry("messages", 60L);
            assertThat(Json.list(Json.object(target).get("blocks"))).hasSize(3);
        });
        run("report", "--out", directory.resolve("out").toString());
        assertThat(directory.resolve("out").resolve("report.html")).isNotEmptyFile();
    }

    /** An archive is a JVM of its own; native programs are not in the jar. */
    @Test
    void peersInProcessesOfTheirOwnRunOrSayWhyNot() throws Exception {
        String said =
                run("peers --targets aeron-archive,logback-flush,quill-fsync --messages 60 --warm-up 20 --block 20"
                        .concat(" --dir " + directory + " --out " + directory.resolve("out"))
                        .split(" "));

        assertThat(said).containsPattern("(?m)^!!!! SKIPPED: peers: quill-fsync: .*scripts/bench/all builds it");
        assertThat(Json.list(
                        Json.readObject(directory.resolve("out/peers.json")).get("targets")))
                .extracting(target -> Json.object(target).get("name"))
                .containsExactly("aeron-archive", "logback-flush");
    }

    /** Those of a forced file are there; those that were in a buffer are not. */
    @Test
    void whatAKillLosesIsCounted() throws Exception {
        String said = run("syncs --targets log4j-force,log4j-raf-buffered --events 100 --dir %s --out %s"
                .formatted(directory, directory.resolve("out"))
                .split(" "));

        assertThat(Json.list(
                        Json.readObject(directory.resolve("out/syncs.json")).get("targets")))
                .as(said)
                .extracting(target -> List.of(
                        Json.object(target).get("name"), Json.object(target).get("lostByProcessDeath")))
                .containsExactly(List.of("log4j-force", 0L), List.of("log4j-raf-buffered", 200L));
    }

    /** Each way has a second process, which sees each message in its order, or ends with an exception. */
    @Test
    void anotherProcessSeesWhatIsWritten() throws Exception {
        String ways = "burst-spin@ssd,burst-nap@ssd,burst-sleep@ssd,chronicle,aeron-ipc";

        run("seen --ways %s --messages 60 --warm-up 20 --block 20 --dir %s --out %s"
                .formatted(ways, directory, directory.resolve("out"))
                .split(" "));

        Map<String, Object> study = Json.readObject(directory.resolve("out/seen.json"));
        assertThat(Json.list(study.get("targets")))
                .extracting(target -> Json.object(target).get("name"))
                .containsExactly((Object[]) ways.split(","));
        assertThat(Json.list(study.get("targets"))).allSatisfy(each -> {
            Map<String, Object> target = Json.object(each);
            Map<String, Object> sinceCall = Json.object(target.get("sinceCall"));
            assertThat(target).containsEntry("messages", 60L);
            assertThat(Json.number(sinceCall.get("p50")))
                    .isGreaterThanOrEqualTo(Json.number(target.get("p50")))
                    .isPositive();
            assertThat(Json.number(target.get("readerCpu"))).isPositive();
        });
        run("report", "--out", directory.resolve("out").toString());
        assertThat(directory.resolve("out/report.html")).content().contains("From durable to seen", "aeron-ipc");
    }
}
