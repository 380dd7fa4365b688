// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstException;
import io.burstlog.ShipperProvider.Request;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How anchors are named on the command line and in a configuration. */
class AnchorOptionsTest {

    private static final String WITNESS = "w1=https://witness.example.com,"
            + "witness.example.com/w1+094ec787+BLw31eqW/rp+jGPeCPnewtxMBTP/RKBXQB+VRIq2ekTq";

    @TempDir
    private Path directory;

    private static ArchiverConfig.Builder config() {
        return ArchiverConfig.builder().folder("segments").archive("archive").key("key");
    }

    private static ArchiverConfig config(Map<String, List<String>> options) throws Exception {
        ArchiverConfig.Builder config = config();
        new AnchorOptions(each -> options.getOrDefault(each, List.of())).addTo(config);
        return config.build();
    }

    @Test
    void eachKindOfAnchorHasItsOption() throws Exception {
        Authority authority = new Authority(directory.resolve("authority"), 30);
        Path kafka = Files.writeString(directory.resolve("kafka"), "bootstrap.servers=127.0.0.1:1\n");
        ArchiverConfig config = config(Map.of(
                "authority", List.of("stamps=http://127.0.0.1/stamp?a=b," + authority.certificates()),
                "witness", List.of(WITNESS, WITNESS.replace("w1=", "w2=")),
                "kafka", List.of("topic=heads," + kafka),
                "file", List.of("elsewhere=/mnt/other/heads"),
                "sealed-every", List.of("5000"),
                "sealed-within-s", List.of("90")));
        assertThat(config.anchors())
                .extracting(Anchor::name)
                .containsExactlyInAnyOrder("stamps", "w1", "w2", "topic", "elsewhere");
        assertThat(config.sealing().every()).isEqualTo(5000);
        assertThat(config.sealing().withinSeconds()).isEqualTo(90);
    }

    private static ArchiverConfig config(Map<String, String> settings, Map<String, Map<String, String>> anchors)
            throws Exception {
        Map<String, String> all = new HashMap<>(settings);
        all.putAll(Map.of("archive", "archive", "key", "key"));
        Request request = new Request("segments", all, anchors, false, event -> {});
        new ArchiveProvider().check(request);
        return ArchiveProvider.config(request);
    }

    @Test
    void anElementSaysTheSame() throws Exception {
        Authority authority = new Authority(directory.resolve("authority"), 30);
        Path kafka = Files.writeString(directory.resolve("kafka"), "bootstrap.servers=127.0.0.1:1\n");
        String[] witness = WITNESS.substring(3).split(",");
        ArchiverConfig config = config(
                Map.of(
                        "head", "elsewhere/head",
                        "consumer", "mine",
                        "interval", "PT0.5S",
                        "sealedEvery", "5000",
                        "sealedWithin", "PT90S",
                        "keepFor", "PT48H",
                        "keepBytes", "1048576"),
                Map.of(
                        "stamps",
                                Map.of(
                                        "authority",
                                        "http://127.0.0.1/stamp?a=b",
                                        "caFile",
                                        authority.certificates().toString()),
                        "w1", Map.of("witness", witness[0], "key", witness[1]),
                        "topic", Map.of("kafka", "heads", "properties", kafka.toString()),
                        "elsewhere", Map.of("file", "/mnt/other/heads")));
        assertThat(config.anchors()).extracting(Anchor::name).containsExactly("elsewhere", "stamps", "topic", "w1");
        assertThat(config.sealing().every()).isEqualTo(5000);
        assertThat(config.sealing().withinSeconds()).isEqualTo(90);
        assertThat(config.interval()).isEqualTo(Duration.ofMillis(500));
        assertThat(config.consumer()).isEqualTo("mine");
        assertThat(config.head()).isEqualTo(Path.of("elsewhere/head"));
        assertThat(config.keepFor()).isEqualTo(Duration.ofDays(2));
        assertThat(config.keepBytes()).isEqualTo(1 << 20);
    }

    @Test
    void badInputOfAnElementGetsOneSentence() {
        Map<Map<String, String>, String> wrong = Map.of(
                Map.of(), "the anchor it cannot be used: give it one of the attributes",
                Map.of("file", "a", "kafka", "b"), "give it one of the attributes",
                Map.of("file", " "), "the anchor it cannot be used: set the attribute file.",
                Map.of("authority", "http://here"), "set the attribute caFile.",
                Map.of("authority", "here", "caFile", "a"), "is no address of an anchor",
                Map.of("witness", "http://here", "key", "none"), "is no public key of a witness",
                Map.of("file", "a", "caFile", "b"), "the attribute caFile is unknown here");
        wrong.forEach((attributes, sentence) -> assertThatThrownBy(() -> config(Map.of(), Map.of("it", attributes)))
                .as("%s", attributes)
                .isInstanceOf(BurstException.class)
                .hasMessageContaining(sentence));
        assertThatThrownBy(() -> config(Map.of("sealedWithin", "PT1S"), Map.of()))
                .isInstanceOf(BurstException.class)
                .hasMessageContaining("sealedWithin is PT1S");
    }

    /** A file system that is not mounted yet keeps no log from its start. */
    @Test
    void aFileThatIsMissingIsNoMistakeInAnElement() {
        Map<String, Map<String, String>> anchors =
                Map.of("stamps", Map.of("authority", "http://127.0.0.1/", "caFile", "/mnt/missing/ca.pem"));
        Map<String, String> settings = Map.of("archive", "archive", "key", "key");
        Request request = new Request("segments", settings, anchors, false, event -> {});
        new ArchiveProvider().check(request);
        assertThatThrownBy(() -> new ArchiveProvider().start(request))
                .isInstanceOf(BurstException.class)
                .hasMessageContaining("/mnt/missing/ca.pem");
    }

    @Test
    void badInputGetsOneSentence() throws Exception {
        Map<String, String> wrong = Map.of(
                "--file /mnt/other/heads",
                "--file /mnt/other/heads is not NAME=..",
                "--witness w1=https://witness.example.com",
                "lacks its second part",
                "--witness " + WITNESS.replace("https", "ftp"),
                "is no address of an anchor: write http://",
                "--witness " + WITNESS.replace("094ec787", "094ec788"),
                "its id is not that of its name and key",
                "--authority a=http://127.0.0.1,/nowhere/ca.pem",
                "/nowhere/ca.pem",
                "--kafka a=heads,/nowhere/properties",
                "the properties of Kafka in /nowhere/properties cannot be read",
                "--file ../x=heads",
                "cannot name an anchor: write letters, digits, dots and hyphens",
                "--file a=b --file a=c",
                "Two anchors are named a: give each its own name.",
                "--sealed-every 0",
                "sealedEvery is 0; set it to at least 1 leaf.",
                "--sealed-within-s 59",
                "sealedWithin is PT59S; set it to at least PT1M");
        wrong.forEach((options, sentence) -> assertThat(run("archive segments archive --key key " + options))
                .as(options)
                .contains(sentence));
        assertThat(run("verify archive --key " + Written.key(1).verifier() + " --witness-key w1=none"))
                .contains("is no public key of a witness");
    }

    private static String run(String command) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (PrintStream print = new PrintStream(out, true, UTF_8)) {
            assertThat(Main.run(print, print, command.split(" "))).isIn(Main.USAGE, Main.FAILED);
        }
        return out.toString(UTF_8);
    }

    @Test
    void aConfigurationIsCheckedWhenItIsBuilt() {
        assertThatThrownBy(() -> config().anchor(new FileAnchor("a", directory))
                        .anchor(new FileAnchor("a", directory))
                        .build())
                .isInstanceOf(BurstException.class);
        assertThatThrownBy(() -> config().sealedWithin(Duration.ofSeconds(1)).build())
                .isInstanceOf(BurstException.class);
    }
}
