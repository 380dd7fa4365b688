// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A witness that does as C2SP tlog-witness says, and those that do not. scripts/prove/archive asks a real one. */
class WitnessAnchorTest {

    private static final long TIME = 1_700_000_000;

    private final List<Long> asked = new ArrayList<>();
    private final Cosigner cosigner = new Cosigner("witness.example.com/w1");
    private Place place;
    private MemoryDisk disk;
    private Checkpoint first;
    private Checkpoint second;
    private long known;

    /** A key pair of a witness. */
    private static final class Cosigner {

        private final String name;
        private final KeyPair pair;
        private final byte[] typed;

        Cosigner(String name) {
            this.name = name;
            try {
                pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException(impossible);
            }
            byte[] der = pair.getPublic().getEncoded();
            typed = new byte[1 + NoteKeys.KEY_BYTES];
            typed[0] = 4;
            System.arraycopy(der, der.length - NoteKeys.KEY_BYTES, typed, 1, NoteKeys.KEY_BYTES);
        }

        int id() {
            var digest = Sha256.digest();
            digest.update((name + "\n").getBytes(UTF_8));
            return ByteBuffer.wrap(digest.digest(typed)).getInt();
        }

        String key() {
            return name + "+" + HexFormat.of().toHexDigits(id()) + "+"
                    + Base64.getEncoder().encodeToString(typed);
        }

        byte[] cosign(Checkpoint head) {
            try {
                Signature signature = Signature.getInstance("Ed25519");
                signature.initSign(pair.getPrivate());
                signature.update(("cosignature/v1\ntime " + TIME + "\n" + head.body()).getBytes(UTF_8));
                byte[] blob = ByteBuffer.allocate(4 + 8 + 64)
                        .putInt(id())
                        .putLong(TIME)
                        .put(signature.sign())
                        .array();
                return ("\u2014 " + name + " " + Base64.getEncoder().encodeToString(blob) + "\n").getBytes(UTF_8);
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    @BeforeEach
    void begin() throws IOException {
        place = new Place();
        place.behaviour = this::beWitness;
        disk = Written.archive(500, 500);
        first = ArchiveReader.head(disk);
        try (ArchiveWriter writer = Written.open(disk)) {
            Written.append(writer, 900, 400);
        }
        second = ArchiveReader.head(disk);
    }

    @AfterEach
    void end() {
        place.close();
    }

    private WitnessAnchor anchor(String key) {
        return new WitnessAnchor("w1", place.url(), key, Duration.ofSeconds(20));
    }

    private byte[] confirm(WitnessAnchor anchor, Checkpoint head) throws IOException {
        return anchor.confirm(head, new ArchiveReader(disk, head));
    }

    private void beWitness(byte[] request, Place.Reply reply) throws IOException {
        String text = new String(request, UTF_8);
        String[] parts = text.split("\n\n", 2);
        String[] lines = parts[0].split("\n");
        Checkpoint head = Checkpoint.of(parts[1]);
        long old = Long.parseLong(lines[0].substring("old ".length()));
        asked.add(old);
        List<byte[]> proof =
                Arrays.stream(lines).skip(1).map(Base64.getDecoder()::decode).toList();
        if (old != known) {
            reply.send(409, (known + "\n").getBytes(UTF_8));
        } else if (old > 0
                && old < head.size()
                && !MerkleTree.isConsistent(old, root(old), head.size(), head.root(), proof)) {
            reply.send(422, new byte[0]);
        } else {
            known = head.size();
            reply.send(200, cosigner.cosign(head));
        }
    }

    private byte[] root(long size) throws IOException {
        return new ArchiveReader(disk, second).root(size);
    }

    @Test
    void aHeadIsCosignedFromWhereTheWitnessIs() throws Exception {
        WitnessAnchor anchor = anchor(cosigner.key());
        byte[] answer = confirm(anchor, first);
        assertThat(new String(answer, UTF_8)).startsWith(first.toString()).contains("\u2014 witness.example.com/w1 ");
        confirm(anchor, second);
        assertThat(asked).containsExactly(0L, 501L);

        asked.clear();
        byte[] again = confirm(anchor(cosigner.key()), second);
        assertThat(asked).containsExactly(0L, 901L);
        AnswerCheck check = WitnessAnchor.check(cosigner.key());
        assertThat(check.check(second, again)).isEqualTo(AnswerCheck.Result.confirmed(Instant.ofEpochSecond(TIME)));
        assertThat(check.check(first, again).wrong()).contains("no cosignature");
        assertThat(Checkpoint.of(new String(again, UTF_8))
                        .isSignedBy(Written.key(1).verifier()))
                .isTrue();
    }

    @Test
    void aWitnessThatKnowsMoreThanTheArchiveHasIsHeard() {
        known = 5_000;
        assertThatThrownBy(() -> confirm(anchor(cosigner.key()), second))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has signed a head of 5000 leaves, and this one has only 901");
    }

    @Test
    void anAnswerThatIsNotAsItShouldBeIsNotKept() {
        Cosigner foreign = new Cosigner("witness.example.com/w1");
        Map<String, Place.Behaviour> liars = Map.of(
                "without a cosignature", (request, reply) -> reply.send(200, foreign.cosign(second)),
                "by the key of", (request, reply) -> reply.send(200, cosigner.cosign(first)),
                "answers without", (request, reply) -> reply.send(200, new byte[0]),
                "more than 65536 bytes", (request, reply) -> reply.send(200, new byte[10 << 20]),
                "HTTP status 500", (request, reply) -> reply.send(500, cosigner.cosign(second)),
                "HTTP status 403, \"no\"", (request, reply) -> reply.send(403, "no\n".getBytes(UTF_8)),
                "does not say which", (request, reply) -> reply.send(409, "-1\n".getBytes(UTF_8)),
                "there is a second history", (request, reply) -> reply.send(409, "0\n".getBytes(UTF_8)));
        liars.forEach((sentence, behaviour) -> {
            place.behaviour = behaviour;
            assertThatThrownBy(() -> confirm(anchor(cosigner.key()), second))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(sentence);
        });
    }

    @Test
    void aKeyOfAnotherTypeIsRefused() {
        for (String key : List.of(
                Written.key(1).verifier().toString(), "none", cosigner.key().replace("w1+", "w2+"))) {
            assertThatThrownBy(() -> anchor(key)).hasMessageContaining("is no public key of a witness");
        }
    }
}
