// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kafka's own clients take what is not refused: no broker is there, and they look for one in the background. */
class ClientSettingsTest {

    private static ShipperConfig.Builder config(String settings) {
        ShipperConfig.Builder config =
                ShipperConfig.builder().folder("segments").topic("t").property("bootstrap.servers", "127.0.0.1:1");
        Arrays.stream(settings.split(" "))
                .map(each -> each.split("="))
                .forEach(each -> config.property(each[0], each[1]));
        return config;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acks=all",
                "request.timeout.ms=60000",
                "request.timeout.ms=2147483647",
                "delivery.timeout.ms=10000",
                "default.api.timeout.ms=10000",
                "linger.ms=20000",
                "linger.ms=40000",
                "linger.ms=3000 delivery.timeout.ms=4000",
                "request.timeout.ms=20000 delivery.timeout.ms=20005",
                "request.timeout.ms=40000 default.api.timeout.ms=40000",
                "delivery.timeout.ms=8000 default.api.timeout.ms=9000",
                "transaction.timeout.ms=10000 delivery.timeout.ms=6000 max.block.ms=4000",
                "transaction.timeout.ms=900000 delivery.timeout.ms=2147483647 max.block.ms=9223372036854775807"
            })
    void theClientsTakeATimeThatTheUserNamesAlone(String settings) {
        Map<String, Object> properties = config(settings).build().clientProperties();
        for (String each : settings.split(" ")) {
            String[] set = each.split("=");
            assertThat(properties).containsEntry(set[0], set[1]);
        }
        Admin.create(properties).close(Duration.ZERO);
        Brokers.producer(properties, "test").close(Duration.ZERO);
    }

    @ParameterizedTest
    @CsvSource({
        "delivery.timeout.ms=1000 request.timeout.ms=2000, delivery.timeout.ms=1000 is less than",
        "delivery.timeout.ms=2000 request.timeout.ms=2000, request.timeout.ms=2000 and linger.ms=5 together",
        "delivery.timeout.ms=1000 linger.ms=2000, delivery.timeout.ms=1000 is less than",
        "default.api.timeout.ms=1000 request.timeout.ms=2000, default.api.timeout.ms=1000 is less than",
        "transaction.timeout.ms=10000, transaction.timeout.ms=10000 is less than delivery.timeout.ms=30000",
        "transaction.timeout.ms=10000 delivery.timeout.ms=6000 max.block.ms=5000, and max.block.ms=5000 together",
        "default.api.timeout.ms=soon, default.api.timeout.ms",
        "acks=many, acks",
        "retries=0, cannot be used: Must set retries to non-zero when using the idempotent producer.",
        "max.in.flight.requests.per.connection=6, max.in.flight.requests.per.connection must be set to at most 5",
        "max.poll.records=0, max.poll.records",
        "group.protocol=none, group.protocol"
    })
    void twoTimesThatContradictEachOtherAreRefused(String settings, String sentence) {
        assertThatThrownBy(() -> config(settings).build())
                .isInstanceOf(BurstException.class)
                .hasMessageContaining(sentence)
                .hasMessageNotContaining("..");
    }

    /**
     * Else the brokers would end it while the producer still tries, and the shipper would take that for another one's.
     */
    @ParameterizedTest
    @CsvSource({
        "acks=all, 60000",
        "delivery.timeout.ms=10000, 60000",
        "delivery.timeout.ms=120000, 150000",
        "max.block.ms=60000, 90000",
        "request.timeout.ms=60000, 90005",
        "delivery.timeout.ms=2147483647, 900000"
    })
    void aTransactionLastsForAsLongAsTheProducerTries(String settings, String millis) {
        assertThat(config(settings).build().clientProperties()).containsEntry("transaction.timeout.ms", millis);
    }

    /** It commits by itself, and goes on behind a transaction that the brokers have ended. */
    @Test
    void theTransactionOfACopyMayBeShorter() {
        assertThat(KafkaCopyStore.settings(
                        "t", Map.of("bootstrap.servers", "127.0.0.1:1", "transaction.timeout.ms", "1000")))
                .containsEntry("transaction.timeout.ms", "1000");
    }

    @Test
    void aCopyHasTheSameRules() {
        Map<String, Object> properties =
                KafkaCopyStore.settings("t", Map.of("bootstrap.servers", "127.0.0.1:1", "request.timeout.ms", "20000"));
        assertThat(properties)
                .containsEntry("delivery.timeout.ms", "20000")
                .containsEntry("default.api.timeout.ms", "20000");
        assertThatThrownBy(
                        () -> KafkaCopyStore.settings("t", Map.of("bootstrap.servers", "127.0.0.1:1", "retries", "0")))
                .isInstanceOf(BurstException.class)
                .hasMessageContaining("retries");
    }
}
