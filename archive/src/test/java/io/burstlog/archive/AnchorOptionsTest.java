// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
