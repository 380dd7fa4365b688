// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The counterparty's own record, independent of the gateway. It has one line for each order sent, each order confirmed
 * by its first report, each further report and each repeated one, in the order of events. It is synced every 100 ms and
 * at the end.
 */
final class Book implements AutoCloseable {
    static final String SENT = "sent";
    static final String CONFIRMED = "confirmed";
    static final String REPORTED = "reported";
    static final String REPEATED = "repeated";

    private final FileChannel file;
    private final ScheduledExecutorService syncer = Executors.newSingleThreadScheduledExecutor();

    Book(Path path) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        syncer.scheduleWithFixedDelay(this::sync, 100, 100, TimeUnit.MILLISECONDS);
    }

    /** {@code message} is the FIX message of the entry, or empty. */
    synchronized void enter(String what, String clOrdId, String message) {
        String line = what + ' ' + clOrdId + ' ' + message.replace('\001', '|') + '\n';
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        try {
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void sync() {
        try {
            file.force(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        syncer.shutdown();
        file.force(true);
        file.close();
    }
}
