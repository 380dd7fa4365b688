// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.cms.ContentInfo;
import org.bouncycastle.asn1.tsp.TimeStampResp;
import org.bouncycastle.tsp.TSPAlgorithms;
import org.bouncycastle.tsp.TSPException;
import org.bouncycastle.tsp.TimeStampRequest;
import org.bouncycastle.tsp.TimeStampRequestGenerator;
import org.bouncycastle.tsp.TimeStampToken;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An authority that is right, and those that are not. */
class TimeStampAnchorTest {

    private static final Duration PATIENCE = Duration.ofMillis(700);

    @TempDir
    private static Path directory;

    private static Authority authority;
    private static Checkpoint head;
    private static Place place;

    @BeforeAll
    static void begin() throws IOException {
        authority = new Authority(directory.resolve("authority"), 30);
        head = ArchiveReader.head(Written.archive(20, 20));
        place = new Place();
    }

    @AfterAll
    static void end() {
        place.close();
    }

    private static byte[] confirm(Duration patience, Place.Behaviour behaviour) throws IOException {
        place.behaviour = behaviour;
        return new TimeStampAnchor("stamps", place.url(), authority.certificates(), patience).confirm(head, null);
    }

    private static byte[] request(byte[] digest, BigInteger nonce, boolean isCertificateWanted) throws IOException {
        TimeStampRequestGenerator generator = new TimeStampRequestGenerator();
        generator.setCertReq(isCertificateWanted);
        return generator.generate(TSPAlgorithms.SHA256, digest, nonce).getEncoded();
    }

    @Test
    void aStampIsKeptAsOpensslVerifiesIt() throws Exception {
        Instant before = Instant.now().minusSeconds(2);
        byte[] answer = confirm(AnchorHttp.PATIENCE, (request, reply) -> reply.send(200, authority.reply(request)));
        Path kept = Files.write(directory.resolve("21"), answer);
        Path note = Files.writeString(directory.resolve("21.head"), head.toString());
        authority.requireVerified(note, kept);
        AnswerCheck check = TimeStampAnchor.check(authority.certificates());
        assertThat(check.check(head, answer).wrong()).isNull();
        assertThat(check.check(head, answer).time())
                .isBetween(before, Instant.now().plusSeconds(2));
        Checkpoint other = ArchiveReader.head(Written.archive(10, 10));
        assertThat(check.check(other, answer).wrong()).contains("is of something else");
        for (int at : List.of(answer.length / 2, answer.length - 1)) {
            byte[] changed = answer.clone();
            changed[at] ^= 1;
            assertThat(check.check(head, changed).wrong()).isNotNull();
        }
    }

    @Test
    void anAnswerThatIsNotAsItShouldBeIsNotKept() throws Exception {
        Authority foreign = new Authority(directory.resolve("foreign"), 30);
        Authority expired = new Authority(directory.resolve("expired"), -1);
        byte[] otherDigest = new byte[Sha256.BYTES];
        Map<String, Place.Behaviour> liars = Map.of(
                "nonce",
                        (request, reply) -> reply.send(
                                200, authority.reply(request(TimeStamps.digest(head), BigInteger.TEN, true))),
                "imprint",
                        (request, reply) -> reply.send(
                                200,
                                authority.reply(request(otherDigest, new TimeStampRequest(request).getNonce(), true))),
                "unable to find valid certification path", (request, reply) -> reply.send(200, foreign.reply(request)),
                "lacks the certificate",
                        (request, reply) -> {
                            BigInteger nonce = new TimeStampRequest(request).getNonce();
                            reply.send(200, authority.reply(request(TimeStamps.digest(head), nonce, false)));
                        },
                "the authority refuses, with status 2",
                        (request, reply) -> reply.send(200, authority.reply(request, "sha512")),
                "answers wrongly",
                        (request, reply) -> {
                            byte[] whole = authority.reply(request);
                            reply.send(200, Arrays.copyOf(whole, whole.length / 2));
                        },
                "more than 65536 bytes", (request, reply) -> reply.send(200, new byte[10 << 20]),
                "HTTP status 500", (request, reply) -> reply.send(500, authority.reply(request)),
                "malformed", (request, reply) -> reply.send(200, "<html>It works!</html>".getBytes(UTF_8)));
        liars.forEach((sentence, behaviour) -> assertThatThrownBy(() -> confirm(AnchorHttp.PATIENCE, behaviour))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(sentence));
        place.behaviour = (request, reply) -> reply.send(200, expired.reply(request));
        assertThatThrownBy(() -> new TimeStampAnchor("stamps", place.url(), expired.certificates()).confirm(head, null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("certificate not valid when time stamp created");
    }

    /** The same stamp with a signature of another key, under the certificate of the right one. */
    @Test
    void aForeignSignatureUnderTheRightCertificateIsNotKept() throws Exception {
        byte[] answer = confirm(AnchorHttp.PATIENCE, (request, reply) -> reply.send(200, authority.reply(request)));
        byte[] changed = answer.clone();
        TimeStampResp response = TimeStampResp.getInstance(answer);
        ContentInfo content = response.getTimeStampToken();
        byte[] signature = signatureOf(new TimeStampToken(content));
        int at = indexOf(answer, signature);
        changed[at + signature.length - 1] ^= 1;
        assertThat(TimeStampAnchor.check(authority.certificates())
                        .check(head, changed)
                        .wrong())
                .contains("does not hold");
    }

    private static byte[] signatureOf(TimeStampToken token) throws TSPException {
        return token.toCMSSignedData().getSignerInfos().iterator().next().getSignature();
    }

    private static int indexOf(byte[] bytes, byte[] part) {
        for (int at = 0; at + part.length <= bytes.length; at++) {
            if (Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
                return at;
            }
        }
        throw new IllegalStateException("the signature is not in the answer");
    }

    @Test
    void anAuthorityThatHangsIsLeft() {
        for (byte[] part : List.of(new byte[0], new byte[100])) {
            assertThatThrownBy(() -> confirm(PATIENCE, (request, reply) -> reply.hangBehind(part)))
                    .isInstanceOf(IOException.class)
                    .hasMessageMatching(".*(timed out|has not answered within 700 ms)");
        }
    }

    @Test
    void aFileWithoutCertificatesIsRefused() throws Exception {
        Path none = Files.writeString(directory.resolve("none.pem"), "");
        assertThatThrownBy(() -> new TimeStampAnchor("stamps", place.url(), none))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has no certificates");
    }

    @Test
    void aClassPathThatBreaksTimeStampsIsTold() throws Exception {
        URL fips = jar(System.getProperty("archive.bc-fips"), "bc-fips");
        URL[] own = {location("org.bouncycastle.tsp.TimeStampToken"), location("org.bouncycastle.util.Arrays")};
        for (boolean isFipsFirst : new boolean[] {true, false}) {
            URL[] path = isFipsFirst ? new URL[] {fips, own[0], own[1]} : new URL[] {own[0], own[1], fips};
            try (URLClassLoader loader = new URLClassLoader(path, null)) {
                if (isFipsFirst) {
                    assertThat(BouncyCastle.wrongOf(loader))
                            .contains("bc-fips-", " before bcprov-jdk18on-", "put bcprov-jdk18on before it");
                } else {
                    assertThat(BouncyCastle.wrongOf(loader)).isNull();
                }
            }
        }
        try (URLClassLoader empty = new URLClassLoader(new URL[0], null)) {
            assertThat(BouncyCastle.wrongOf(empty)).contains("put bcpkix-jdk18on");
        }
    }

    private static URL jar(String folder, String name) throws IOException {
        try (var files = Files.list(Path.of(folder))) {
            return files.filter(each -> each.getFileName().toString().startsWith(name))
                    .findFirst()
                    .orElseThrow()
                    .toUri()
                    .toURL();
        }
    }

    private static URL location(String name) throws ClassNotFoundException {
        return Class.forName(name).getProtectionDomain().getCodeSource().getLocation();
    }
}
