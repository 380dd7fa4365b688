// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.TargetResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedrawingTest {

    private static final Map<String, Object> ENVIRONMENT = Map.of(
            "command",
            "scripts/bench/all --publish x",
            "time",
            "2026-11-23T10:00:00Z",
            "revision",
            "abc",
            "kernel",
            "Linux 6.18.44-x amd64",
            "cpu",
            "A Processor, 2 processors for this JVM",
            "hypervisor",
            "yes: a virtual machine",
            "log files on",
            "ext4 on /dev/vda (rw); write cache: write back, logical block: 512",
            "JVM",
            "OpenJDK 64-Bit Server VM 17.0.15+6-Debian-1deb12u1, Debian",
            "garbage collector",
            "G1 Young Generation",
            "load average",
            "0.50 0.40");

    @TempDir
    private Path out;

    @TempDir
    private Path docs;

    private void publish() throws Exception {
        StringBuilder page = new StringBuilder();
        for (String name : List.of("fast-ring", "jvm")) {
            page.append("<!-- published: %1$s -->\n<!-- end of %1$s -->\n".formatted(name));
        }
        Files.writeString(docs.resolve("benchmarks.md"), page);
        Study fastRing = new Study("fast-ring", "latency", "Fast ring", ENVIRONMENT).with("bytes", 256);
        for (String name : List.of("bare@ssd", "log4j-burst@device", "log4j-burst@ssd")) {
            fastRing.add(target(name, 1000 * name.length()));
        }
        fastRing.write(out);
        Study jvm = new Study("jvm", "jvm", "JVMs", ENVIRONMENT);
        jvm.with("orders", 1000).with("seconds", 2.0).with("runs", 1).with("warmUpOrders", 10);
        jvm.with("ring", "/dev/zram1").with("instrumentGoesFirst", true).with("loadSha256", "0123456789abcdef0123");
        Map<String, Object> run = target("JDK 17 G1, pinned, noisy", 70_000);
        run.putAll(Map.of("jvm", "JDK 17 G1", "pinned", true, "noisy", true, "p99.9OfRuns", List.of(1000.0)));
        jvm.add(run);
        jvm.write(out);
        Publication.run(new Options(List.of("--docs", docs.toString(), "--out", out.toString())));
    }

    private static Map<String, Object> target(String name, long nanos) {
        TargetResult result = new TargetResult(name, "");
        result.add(IntStream.range(0, 1000).mapToLong(i -> nanos + 7 * i).toArray(), 0);
        return result.toJson();
    }

    private String page() throws Exception {
        return Files.readString(docs.resolve("benchmarks.md"));
    }

    private String picture(String name) throws Exception {
        return Files.readString(docs.resolve("pictures").resolve(name + ".svg"));
    }

    private void redraw() throws Exception {
        Redrawing.run(new Options(List.of("--docs", docs.toString())));
    }

    @Test
    void thePicturesAreThoseOfTheMeasurementAndThePageStays() throws Exception {
        publish();
        String page = page();
        List<String> names = List.of("fast-ring", "jvm-pinned-noisy");
        List<String> pictures = List.of(picture(names.get(0)), picture(names.get(1)));
        for (String name : names) {
            Files.writeString(docs.resolve("pictures").resolve(name + ".svg"), "an older picture");
        }

        redraw();

        assertThat(picture(names.get(0))).isEqualTo(pictures.get(0)).contains("1,000 messages of 256 bytes each");
        assertThat(picture(names.get(1))).isEqualTo(pictures.get(1)).contains("1,000 orders; 2026-11-23");
        assertThat(page()).isEqualTo(page);
    }

    @Test
    void aPictureThatIsNotDrawnAnyMoreGoesAndThoseOfEachMessageStay() throws Exception {
        publish();
        Path older = docs.resolve("pictures/fast-ring-slower.svg");
        Files.writeString(older, "<svg");
        String page = page();
        assertThat(page).contains("![Each message through Log4j](pictures/fast-ring-each-message.svg)");
        String shown = page.replace(
                "![Fast ring]", "![Fast ring: the slower half](pictures/fast-ring-slower.svg)\n\n![Fast ring]");
        Files.writeString(docs.resolve("benchmarks.md"), shown);

        redraw();

        assertThat(older).doesNotExist();
        assertThat(page()).isEqualTo(page);
    }
}
