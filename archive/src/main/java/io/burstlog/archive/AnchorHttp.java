// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One POST to an anchor: bounded in time and in the bytes of its answer, whatever the other side does. */
final class AnchorHttp {

    static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Time stamps with their certificates have some KiB. */
    static final int MOST_BYTES = 64 << 10;

    private final URI uri;
    private final Duration patience;

    /** Made by the thread that asks, since its own threads are of that one's group; null until then. */
    private HttpClient client;

    AnchorHttp(URI uri, Duration patience) {
        this.uri = uri;
        this.patience = patience;
    }

    /**
     * Reads an address of an anchor.
     *
     * @throws IllegalArgumentException if it is none: a sentence
     */
    static URI uri(String text) {
        try {
            URI uri = URI.create(text);
            if (uri.getHost() != null && List.of("http", "https").contains(uri.getScheme())) {
                return uri;
            }
        } catch (IllegalArgumentException none) {
            // The sentence below says it.
        }
        throw new IllegalArgumentException(
                "\"" + text + "\" is no address of an anchor: write http://.. or https://..");
    }

    HttpResponse<byte[]> post(String contentType, byte[] body) throws IOException {
        if (client == null) {
            client = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(patience)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .build();
        }
        HttpRequest request = HttpRequest.newBuilder(uri)
                .timeout(patience)
                .header("Content-Type", contentType)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        // The request's own timeout ends with the headers.
        CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(request, headers -> new Bounded());
        try {
            return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException slow) {
            throw new IOException(uri + " has not answered within " + patience.toMillis() + " ms", slow);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            throw new IOException(
                    uri + " does not answer: " + (cause.getMessage() == null ? cause : cause.getMessage()), failed);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException(uri + " is not waited for any more").initCause(stopped);
        } finally {
            answer.cancel(true);
        }
    }

    /** Collects a body; one that is too long is refused as soon as that is seen. */
    private static final class Bounded implements BodySubscriber<byte[]> {

        private final CompletableFuture<byte[]> body = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private Flow.Subscription subscription;

        @Override
        public CompletionStage<byte[]> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Flow.Subscription granted) {
            subscription = granted;
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer each : buffers) {
                if (bytes.size() + each.remaining() > MOST_BYTES) {
                    subscription.cancel();
                    body.completeExceptionally(new IOException("its answer has more than " + MOST_BYTES + " bytes"));
                    return;
                }
                byte[] part = new byte[each.remaining()];
                each.get(part);
                bytes.writeBytes(part);
            }
        }

        @Override
        public void onError(Throwable failure) {
            body.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            body.complete(bytes.toByteArray());
        }
    }
}
