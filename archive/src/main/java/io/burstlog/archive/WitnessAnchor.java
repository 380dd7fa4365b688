// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;

/**
 * A witness (C2SP tlog-witness): it signs a head only if that goes on from the last one that it has signed. So the
 * archive cannot have two histories for it. The head with its cosignature is kept.
 */
public final class WitnessAnchor implements Anchor {

    private static final int OK = 200;
    private static final int CONFLICT = 409;

    private final String name;
    private final String url;
    private final AnchorHttp http;
    private final WitnessKey key;

    /** The size of the last head that the witness has signed, as far as this anchor knows. */
    private long known;

    /**
     * Names a witness. It must know the public key of the archive.
     *
     * @param name of the anchor
     * @param url its submission prefix, to which {@code /add-checkpoint} is added
     * @param key its public key {@code NAME+ID+KEY}, of type cosignature/v1
     * @throws IllegalArgumentException if the address or the key is none
     */
    public WitnessAnchor(String name, String url, String key) {
        this(name, url, key, AnchorHttp.PATIENCE);
    }

    WitnessAnchor(String name, String url, String key, Duration patience) {
        this.name = name;
        this.url = url;
        this.key = WitnessKey.of(key);
        http = new AnchorHttp(AnchorHttp.uri(url.replaceAll("/+$", "") + "/add-checkpoint"), patience);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public byte[] confirm(Checkpoint head, ArchiveReader archive) throws IOException {
        HttpResponse<byte[]> response = ask(head, archive);
        if (response.statusCode() == CONFLICT) {
            long before = known;
            known = sizeIn(response, head);
            if (known == before) {
                throw new IOException(url + " has signed another head of " + known
                        + " leaves: there is a second history of this archive");
            }
            response = ask(head, archive);
        }
        String text = new String(response.body(), UTF_8);
        if (response.statusCode() != OK) {
            throw new IOException(
                    url + " refuses it with HTTP status " + response.statusCode() + ", \"" + firstLine(text) + "\"");
        }
        for (String line : text.split("\n")) {
            if (key.timeOf(head, line) != null) {
                known = head.size();
                return (head + line + "\n").getBytes(UTF_8);
            }
        }
        throw new IOException(url + " answers without a cosignature of this head by the key of " + key.name());
    }

    private HttpResponse<byte[]> ask(Checkpoint head, ArchiveReader archive) throws IOException {
        if (known > head.size()) {
            throw new IOException(url + " has signed a head of " + known + " leaves, and this one has only "
                    + head.size() + ": this is an older state of the archive, or there is a second one");
        }
        StringBuilder request = new StringBuilder("old " + known + "\n");
        if (known > 0 && known < head.size()) {
            archive.proveConsistency(known)
                    .forEach(each -> request.append(Base64.getEncoder().encodeToString(each))
                            .append("\n"));
        }
        return http.post(
                "text/plain; charset=utf-8",
                request.append("\n").append(head).toString().getBytes(UTF_8));
    }

    private long sizeIn(HttpResponse<byte[]> conflict, Checkpoint head) throws IOException {
        String size = new String(conflict.body(), UTF_8).strip();
        if (!size.matches("0|[1-9]\\d{0,17}")) {
            throw new IOException(
                    url + " knows of another head than that of " + known + " leaves, and does not say which: \""
                            + firstLine(size) + "\", while the head has " + head.size());
        }
        return Long.parseLong(size);
    }

    private static String firstLine(String text) {
        String line = text.split("\n", 2)[0].strip();
        return line.substring(0, Math.min(200, line.length()));
    }

    /**
     * Checks cosignatures that were kept.
     *
     * @param key the witness's public key {@code NAME+ID+KEY}, of type cosignature/v1
     * @return the check
     * @throws IllegalArgumentException if the key is none
     */
    public static AnswerCheck check(String key) {
        WitnessKey witness = WitnessKey.of(key);
        return (head, answer) -> {
            for (String line : new String(answer, UTF_8).split("\n")) {
                Instant time = witness.timeOf(head, line);
                if (time != null) {
                    return AnswerCheck.Result.confirmed(time);
                }
            }
            return AnswerCheck.Result.wrong("it has no cosignature of this head by the key of " + witness.name());
        };
    }

    @Override
    public String toString() {
        return "WitnessAnchor[" + name + " at " + url + "]";
    }
}
