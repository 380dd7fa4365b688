// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.fix;

import io.burstlog.bench.harness.TargetResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * The counterparty of a gateway, as a measuring instrument: one client, or several that take turns with the orders. All
 * orders are made beforehand, and neither sending nor receiving allocates: so each pause that is seen is the gateway's.
 * Orders go out at their own times, whatever the gateway does. Response time counts from there to the moment when the
 * confirmation has been read.
 */
final class FixClient implements AutoCloseable {

    /** {@code taskset} and {@code chrt} are given these names. */
    static final String SENDER = "fix-send";

    static final String RECEIVER = "fix-receive";

    private static final byte SOH = 1;
    private static final int CLORDID = 11;
    private static final int TYPE = 35;
    private static final int TEXT = 58;
    private static final long SPIN_NANOS = 30_000;
    private static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HH:mm:ss.SSS");

    private final List<Socket> sockets = new ArrayList<>();
    private final OutputStream[] out;
    private final byte[][] orders;
    private final AtomicLongArray confirmed;
    private final long[] intended;
    private final AtomicInteger loggedOn = new AtomicInteger();
    private final AtomicInteger confirmations = new AtomicInteger();
    private final Histogram late = TargetResult.emptyHistogram();
    private volatile String ended;

    FixClient(int port, int sessions, int orders) throws IOException {
        out = new OutputStream[sessions];
        confirmed = new AtomicLongArray(orders);
        intended = new long[orders];
        String time = TIME.format(LocalDateTime.now(ZoneOffset.UTC));
        this.orders = new byte[orders][];
        for (int i = 0; i < orders; i++) {
            this.orders[i] = message(
                    nameOf(i % sessions),
                    "D",
                    i / sessions + 2,
                    time,
                    "11=%06d|38=%d|40=2|44=%d.5|54=%d|55=BURST|60=%s|"
                            .formatted(i, 100 + i % 900, 10 + i % 100, 1 + i % 2, time));
        }
        for (int i = 0; i < sessions; i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            sockets.add(socket);
            socket.setTcpNoDelay(true);
            out[i] = socket.getOutputStream();
            Thread receiver = new Thread(() -> receive(socket), RECEIVER);
            receiver.setDaemon(true);
            receiver.start();
            out[i].write(message(nameOf(i), "A", 1, time, "98=0|108=600|"));
        }
        await(() -> loggedOn.get() == sessions, "logon");
    }

    /** The name of a client; the first one's is that of the demo's counterparty. */
    static String nameOf(int session) {
        return session == 0 ? "CLIENT" : "CLIENT" + session;
    }

    private static byte[] message(String sender, String type, int number, String time, String fields) {
        String body = ("35=%s|34=%d|49=%s|52=%s|56=GATEWAY|%s".formatted(type, number, sender, time, fields))
                .replace('|', (char) SOH);
        String text = "8=FIX.4.4" + (char) SOH + "9=" + body.length() + (char) SOH + body;
        int sum = 0;
        for (byte each : text.getBytes(StandardCharsets.US_ASCII)) {
            sum += each;
        }
        return (text + "10=%03d".formatted(sum & 0xFF) + (char) SOH).getBytes(StandardCharsets.US_ASCII);
    }

    private void send(int order) throws IOException {
        out[order % out.length].write(orders[order]);
    }

    /** Sends orders as fast as they are confirmed, with so many under way. */
    void warmUp(int count, int underWay) throws IOException {
        for (int i = 0; i < count; i++) {
            int least = i - underWay;
            await(() -> confirmations.get() > least, "confirmations while it warms up");
            intended[i] = System.nanoTime();
            send(i);
        }
        await(() -> confirmations.get() >= count, "the last confirmations of the warm-up");
    }

    /**
     * Sends the orders from {@code first} on at their own times. The caller is the thread {@link #SENDER}, so that it
     * can be placed.
     */
    Histogram replay(MarketOpen load, int first) throws IOException {
        long begin = System.nanoTime() + 1_000_000;
        for (int i = 0; i < load.orders(); i++) {
            long due = begin + load.nanosOf(i);
            intended[first + i] = due;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                if (left > SPIN_NANOS) {
                    LockSupport.parkNanos(left - SPIN_NANOS);
                }
            }
            late.recordValue(Math.max(0, System.nanoTime() - due));
            send(first + i);
        }
        await(() -> confirmations.get() >= first + load.orders(), "the last confirmations");
        Histogram response = TargetResult.emptyHistogram();
        for (int i = first; i < first + load.orders(); i++) {
            response.recordValue(confirmed.get(i) - intended[i]);
        }
        return response;
    }

    /** How long after its own time each order was sent: the instrument adds so much. */
    Histogram late() {
        return late;
    }

    private interface Condition {
        boolean holds();
    }

    private void await(Condition condition, String what) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.holds()) {
            if (ended != null || System.nanoTime() > deadline) {
                throw new IOException(
                        "the gateway sent no " + what + ": " + (ended == null ? "nothing for 30 s" : ended));
            }
            LockSupport.parkNanos(20_000);
        }
    }

    /** Reads field by field, in whatever pieces they come. */
    private void receive(Socket socket) {
        byte[] bytes = new byte[1 << 16];
        byte[] value = new byte[1 << 12];
        int tag = 0;
        int length = -1; // of the value; -1: still reading a tag
        byte type = 0;
        boolean isLoggedOn = false;
        try (InputStream in = socket.getInputStream()) {
            for (int read = in.read(bytes); read > 0; read = in.read(bytes)) {
                long now = System.nanoTime();
                int count = 0;
                for (int i = 0; i < read; i++) {
                    byte each = bytes[i];
                    if (each == SOH) {
                        if (tag == TYPE) {
                            type = value[0];
                        } else if (tag == CLORDID && type == '8') {
                            confirmed.set(number(value, length), now);
                            count++;
                        } else if (tag == TEXT) {
                            ended = new String(value, 0, length, StandardCharsets.US_ASCII);
                        }
                        tag = 0;
                        length = -1;
                    } else if (length >= 0) {
                        value[length] = each;
                        length = Math.min(length + 1, value.length - 1);
                    } else if (each == '=') {
                        length = 0;
                    } else {
                        tag = 10 * tag + each - '0';
                    }
                }
                confirmations.addAndGet(count);
                if (type == 'A' && !isLoggedOn) {
                    isLoggedOn = true;
                    loggedOn.incrementAndGet();
                }
            }
            ended = "it closed the connection";
        } catch (IOException closed) {
            ended = closed.getMessage();
        }
    }

    private static int number(byte[] digits, int length) {
        int number = 0;
        for (int i = 0; i < length; i++) {
            number = 10 * number + digits[i] - '0';
        }
        return number;
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
