// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FixClientTest {

    private static final long STALL_MILLIS = 100;

    @TempDir
    private Path folder;

    /** Confirms each order at once, but stalls before one of them; or refuses the logon. */
    private static void gateway(ServerSocket server, String stalls, boolean refuses) {
        gateway(server, stalls, refuses, new ArrayList<>());
    }

    /** @param messages gets what comes by one connection */
    private static void gateway(ServerSocket server, String stalls, boolean refuses, List<String> messages) {
        Thread thread = new Thread(() -> {
            try (Socket socket = server.accept()) {
                InputStream in = socket.getInputStream();
                StringBuilder message = new StringBuilder();
                for (int each = in.read(); each >= 0; each = in.read()) {
                    message.append((char) each);
                    String text = message.toString();
                    if (!text.matches("(?s).*\u000110=\\d{3}\u0001")) {
                        continue;
                    }
                    message.setLength(0);
                    messages.add(text);
                    String answer = text.contains("\u000135=A\u0001")
                            ? refuses ? "35=5\u000158=Who are you?\u0001" : "35=A\u0001108=600\u0001"
                            : "35=8\u000111=" + text.replaceAll("(?s).*\u000111=(\\d+)\u0001.*", "$1")
                                    + "\u000139=0\u0001";
                    if (answer.contains("11=" + stalls)) {
                        Thread.sleep(STALL_MILLIS);
                    }
                    socket.getOutputStream()
                            .write(("8=FIX.4.4\u00019=1\u0001" + answer + "10=000\u0001")
                                    .getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException | InterruptedException ended) {
                // The client has seen enough, and left.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private MarketOpen oneEachMillisecond(int orders) throws IOException {
        return MarketOpen.read(Files.writeString(folder.resolve("day"), "1000\n".repeat(orders)));
    }

    /** No coordinated omission: orders go on at their own times, and each order's wait counts. */
    @Test
    void aStallOfTheGatewayIsInEveryOrderThatWaitsBehindIt() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            gateway(server, "000020", false);
            MarketOpen load = oneEachMillisecond(200);
            try (FixClient client = new FixClient(server.getLocalPort(), 1, 210)) {
                client.warmUp(10, 2);

                Histogram response = client.replay(load, 10);

                assertThat(response.getTotalCount()).isEqualTo(200);
                assertThat(response.getMaxValue())
                        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(STALL_MILLIS - 1));
                // A closed loop would have only one of these.
                assertThat(response.getCountBetweenValues(
                                TimeUnit.MILLISECONDS.toNanos(STALL_MILLIS / 2), response.getMaxValue()))
                        .isGreaterThanOrEqualTo(STALL_MILLIS / 2 - 5);
            }
        }
    }

    /** Each connection has its own sequence numbers, and an order is confirmed where it was sent. */
    @Test
    void severalClientsTakeTurnsWithTheOrders() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 3, InetAddress.getLoopbackAddress())) {
            List<List<String>> sent = List.of(
                    Collections.synchronizedList(new ArrayList<>()),
                    Collections.synchronizedList(new ArrayList<>()),
                    Collections.synchronizedList(new ArrayList<>()));
            sent.forEach(messages -> gateway(server, "none", false, messages));
            try (FixClient client = new FixClient(server.getLocalPort(), 3, 30)) {
                client.warmUp(6, 3);

                Histogram response = client.replay(oneEachMillisecond(24), 6);

                assertThat(response.getTotalCount()).isEqualTo(24);
            }
            assertThat(sent).allSatisfy(messages -> {
                assertThat(messages).hasSize(11);
                String sender =
                        "\u000149=" + (messages.get(0).replaceAll("(?s).*\u000149=(\\w+)\u0001.*", "$1")) + "\u0001";
                for (int i = 0; i < messages.size(); i++) {
                    assertThat(messages.get(i)).contains(sender, "\u000134=" + (i + 1) + "\u0001");
                }
            });
            assertThat(sent.stream().map(messages -> messages.get(0).replaceAll("(?s).*\u000149=(\\w+)\u0001.*", "$1")))
                    .containsExactlyInAnyOrder("CLIENT", "CLIENT1", "CLIENT2");
        }
    }

    @Test
    void whatTheGatewayRefusesIsTold() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            gateway(server, "none", true);

            assertThatThrownBy(() -> new FixClient(server.getLocalPort(), 1, 1))
                    .isInstanceOf(IOException.class)
                    .hasMessage("the gateway sent no logon: Who are you?");
        }
    }
}
