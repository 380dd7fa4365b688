// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstException;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;

/**
 * An authority for time stamps (RFC 3161 over HTTP). It stamps the SHA-256 of the signed head; the answer is kept as it
 * came, so that {@code openssl ts -verify -in N -data N.head -CAfile CA} checks it, too.
 *
 * <p>It needs {@code bcpkix-jdk18on} on the class path. An answer is kept only if status, nonce, hash, signature and
 * purpose of the certificate are right, and a certificate of the given file vouches for it at the time of the stamp.
 * Revocation is not asked about.
 */
public final class TimeStampAnchor implements Anchor {

    private final String name;
    private final String url;
    private final AnchorHttp http;
    private final TimeStamps stamps;

    /**
     * Names an authority.
     *
     * @param name of the anchor
     * @param url where it answers, {@code http://..} or {@code https://..}
     * @param authorities the file of certificates that vouch for it, PEM or DER
     * @throws BurstException if the library is missing, or one that breaks it stands before it
     * @throws IllegalArgumentException if the address is none
     * @throws IOException if the file has no certificates
     */
    public TimeStampAnchor(String name, String url, Path authorities) throws IOException {
        this(name, url, authorities, AnchorHttp.PATIENCE);
    }

    TimeStampAnchor(String name, String url, Path authorities, Duration patience) throws IOException {
        BouncyCastle.require(TimeStampAnchor.class.getClassLoader());
        this.name = name;
        this.url = url;
        http = new AnchorHttp(AnchorHttp.uri(url), patience);
        stamps = new TimeStamps(authorities);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public byte[] confirm(Checkpoint head, ArchiveReader archive) throws IOException {
        var request = stamps.request(head);
        HttpResponse<byte[]> response = http.post("application/timestamp-query", request.getEncoded());
        if (response.statusCode() != 200) {
            throw new IOException(url + " answers with HTTP status " + response.statusCode());
        }
        try {
            stamps.check(head, response.body(), request);
        } catch (IOException wrong) {
            throw new IOException(url + " answers wrongly: " + wrong.getMessage(), wrong);
        }
        return response.body();
    }

    /**
     * Checks time stamps that were kept.
     *
     * @param authorities the file of certificates that vouch for the authority, PEM or DER
     * @return the check
     * @throws BurstException if the library is missing, or one that breaks it stands before it
     * @throws IOException if the file has no certificates
     */
    public static AnswerCheck check(Path authorities) throws IOException {
        BouncyCastle.require(TimeStampAnchor.class.getClassLoader());
        TimeStamps stamps = new TimeStamps(authorities);
        return (head, answer) -> {
            try {
                return AnswerCheck.Result.confirmed(stamps.check(head, answer, null));
            } catch (IOException wrong) {
                return AnswerCheck.Result.wrong(wrong.getMessage());
            }
        };
    }

    @Override
    public String toString() {
        return "TimeStampAnchor[" + name + " at " + url + "]";
    }
}
