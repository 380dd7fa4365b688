// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstException;
import io.burstlog.ConsumedRecords;
import io.burstlog.ShipperProvider;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command of a shipper says all that an element does. */
class MainTest {

    private static ShipperConfig read(String options) {
        return Main.read(("/logs/a.segments --topic t --property bootstrap.servers=b:9092 " + options)
                .strip()
                .split(" "));
    }

    @Test
    void nothingElseIsTheDefault() {
        assertThat(read("").command())
                .isEqualTo(
                        "java -jar burstlog-kafka.jar /logs/a.segments --topic t --property bootstrap.servers=b:9092");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--consumer c",
                "--partition 7",
                "--key-pattern =([a-z]+)",
                "--headers ring,time",
                "--headers none",
                "--transaction-bytes 65536",
                "--accept-old-brokers",
                "--consumer c --key-pattern ([0-9]) --headers stream --transaction-bytes 1 --accept-old-brokers"
            })
    void theCommandOfAConfigurationIsReadAsIt(String options) {
        String command = read(options).command();
        assertThat(command.replace("'", "")).endsWith("=b:9092 " + options);
    }

    @Test
    void aPatternWithSpacesAndQuotesIsOneArgumentOfAShell() {
        String[] arguments = {"/a b", "--topic", "t", "--property", "bootstrap.servers=b:1", "--key-pattern", "it's (.)"
        };
        assertThat(Main.read(arguments).command()).contains(" '/a b' ").endsWith(" --key-pattern 'it'\\''s (.)'");
    }

    @Test
    void eachSettingOfTheElementHasAnOption() {
        Map<String, String> settings = Map.of(
                "topic", "t",
                "consumer", "c",
                "keyPattern", "(.)",
                "headers", "ring, sequence",
                "transactionBytes", "100000",
                "acceptOldBrokers", "true");
        ShipperConfig element = KafkaProvider.config(new ShipperProvider.Request(
                "/logs/a.segments",
                settings,
                Map.of("bootstrap.servers", Map.of("value", "b:9092")),
                false,
                event -> {}));
        ShipperConfig command = read(
                "--consumer c --key-pattern (.) --headers ring,sequence --transaction-bytes 100000 --accept-old-brokers");
        assertThat(element.command()).isNotNull().isEqualTo(command.command());
        assertThat(command.headers()).isEqualTo(Set.of(ShipperConfig.Header.RING, ShipperConfig.Header.SEQUENCE));
        assertThat(command.transactionBytes()).isEqualTo(100_000);
        assertThat(command.acceptsOldBrokers()).isTrue();
    }

    @Test
    void keysOfAProgramAreInNoCommand() {
        ShipperConfig config = ShipperConfig.builder()
                .folder("/logs/a.segments")
                .topic("t")
                .property("bootstrap.servers", "b:9092")
                .key((ConsumedRecords record) -> null)
                .build();
        assertThat(config.command()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "--key-pattern abc, between ( and )",
        "--key-pattern (, is no regular expression",
        "--headers size, name some of ring",
        "--transaction-bytes 0, set it to 1 or more",
        "--transaction-bytes 4MB, --transaction-bytes 4MB is no number",
        "--partition x, --partition x is no number",
        "--partition 1 --key-pattern (.), take one of them",
        "--property request.timeout.ms=2000 --property delivery.timeout.ms=1000, is less than request.timeout.ms=2000",
        "--property acks=many, a property of Kafka cannot be used"
    })
    void whatCannotBeUsedIsRefusedInOneSentence(String options, String sentence) {
        assertThatThrownBy(() -> read(options))
                .isInstanceOfAny(IllegalArgumentException.class, BurstException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void anOptionWithoutItsValueIsRefused() {
        assertThat(List.of("--key-pattern", "--headers", "--transaction-bytes"))
                .allSatisfy(option -> assertThatThrownBy(() -> Main.read(new String[] {"/logs/a.segments", option}))
                        .hasMessage(option + " is no option, or lacks its value."));
    }
}
