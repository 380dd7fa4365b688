// SPDX-License-Identifier: Apache-2.0
package bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * A Spring Boot service that logs one audit record a request, and the load on it. Needs JDK 21 or later.
 *
 * <p>Arguments: {@code serve}; or {@code load}, port, connections, seconds. The load prints requests a second, and p50, p99
 * and the maximum in us; it ends with 1 if a request was not answered with 200.
 */
public final class SpringBootBench {

    /** Buckets of 1/16 of a power of two, from 1 us on. */
    private static final int PER_DOUBLING = 16;

    private static final AtomicLongArray BUCKETS = new AtomicLongArray(PER_DOUBLING * 40);
    private static final LongAdder REQUESTS = new LongAdder();
    private static volatile boolean isMeasuring;
    private static volatile boolean isOver;

    private SpringBootBench() {}

    /** The service. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    public static class Service {}

    /** Logs the order before it is confirmed. */
    @RestController
    public static class Orders {
        private static final Logger AUDIT = LoggerFactory.getLogger("audit");

        @GetMapping("/orders/{id}")
        public String order(@PathVariable("id") String id) {
            AUDIT.info("order={} client=alice side=buy symbol=ABCD quantity=100 price=101.25 venue=XPAR account=4711", id);
            return "confirmed";
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("serve")) {
            SpringApplication.run(Service.class);
            return;
        }
        int port = Integer.parseInt(arguments[1]);
        int connections = Integer.parseInt(arguments[2]);
        double seconds = Double.parseDouble(arguments[3]);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            int number = i;
            all.add(Thread.ofVirtual().start(() -> ask(port, number)));
        }
        Thread.sleep(2000);
        isMeasuring = true;
        long begin = System.nanoTime();
        Thread.sleep((long) (seconds * 1000));
        long requests = REQUESTS.sum();
        double took = (System.nanoTime() - begin) / 1e9;
        isOver = true;
        for (Thread thread : all) {
            thread.join();
        }
        System.out.printf(
                "%.0f %d %d %d%n", requests / took, percentile(0.5), percentile(0.99), percentile(1));
    }

    private static void ask(int port, int number) {
        byte[] request = ("GET /orders/" + number + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            while (!isOver) {
                long begin = System.nanoTime();
                out.write(request);
                readAnswer(in);
                if (isMeasuring && !isOver) {
                    REQUESTS.increment();
                    BUCKETS.incrementAndGet(bucketOf((System.nanoTime() - begin) / 1000));
                }
            }
        } catch (IOException | IllegalStateException failure) {
            System.err.println("connection " + number + ": " + failure);
            Runtime.getRuntime().halt(1);
        }
    }

    private static void readAnswer(InputStream in) throws IOException {
        String status = line(in);
        if (!status.startsWith("HTTP/1.1 200")) {
            throw new IllegalStateException("answered " + status);
        }
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.regionMatches(true, 0, "Content-Length: ", 0, 16)) {
                length = Integer.parseInt(header.substring(16).strip());
            }
        }
        in.skipNBytes(length);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the connection was closed");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    private static int bucketOf(long micros) {
        double doublings = Math.log(Math.max(1, micros)) / Math.log(2);
        return Math.min(BUCKETS.length() - 1, (int) (doublings * PER_DOUBLING));
    }

    private static long percentile(double share) {
        long all = 0;
        for (int i = 0; i < BUCKETS.length(); i++) {
            all += BUCKETS.get(i);
        }
        long seen = 0;
        for (int i = 0; i < BUCKETS.length(); i++) {
            seen += BUCKETS.get(i);
            if (seen >= share * all && seen > 0) {
                return (long) Math.pow(2, (i + 1.0) / PER_DOUBLING);
            }
        }
        return 0;
    }
}
