// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server of a test, whose behaviour can be changed. */
final class Place implements AutoCloseable {

    /** Answers a body. */
    interface Behaviour {
        void answer(byte[] request, Reply reply) throws IOException;
    }

    /** Sends one answer. */
    static final class Reply {

        private final HttpExchange exchange;
        private final CountDownLatch end;

        private Reply(HttpExchange exchange, CountDownLatch end) {
            this.exchange = exchange;
            this.end = end;
        }

        void send(int status, byte[] body) throws IOException {
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }

        /** Sends some bytes of more, and then nothing until the server is closed. */
        void hangBehind(byte[] part) throws IOException {
            if (part.length > 0) {
                exchange.sendResponseHeaders(200, part.length + 1L);
                OutputStream body = exchange.getResponseBody();
                body.write(part);
                body.flush();
            }
            try {
                end.await();
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);
    volatile Behaviour behaviour = (request, reply) -> reply.send(500, new byte[0]);
    volatile int requests;

    Place() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        requests++;
        try (exchange) {
            behaviour.answer(exchange.getRequestBody().readAllBytes(), new Reply(exchange, end));
        } catch (IOException gone) {
            // The other side has had enough.
            return;
        }
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
