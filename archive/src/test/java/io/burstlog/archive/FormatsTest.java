// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names, keys, heads, leaves and proofs as others write them. */
class FormatsTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"0, 000", "999, 999", "1000, x001/000", "1234067, x001/x234/067", "1000000, x001/x000/000"})
    void aNumberHasThreeDigitsAFolder(long number, String name) {
        assertThat(Tiles.number(number)).isEqualTo(name);
    }

    @Test
    void aTreeOf70000HasTheTilesOfTheSpecification() {
        assertThat(Tiles.width(0, 272, 70_000)).isEqualTo(256);
        assertThat(Tiles.width(0, 273, 70_000)).isEqualTo(112);
        assertThat(Tiles.width(1, 0, 70_000)).isEqualTo(256);
        assertThat(Tiles.width(1, 1, 70_000)).isEqualTo(17);
        assertThat(Tiles.width(2, 0, 70_000)).isEqualTo(1);
        assertThat(Tiles.tile(0, 273, 112)).isEqualTo("tile/0/273.p/112");
        assertThat(Tiles.entries(1234067, 256)).isEqualTo("tile/entries/x001/x234/067");
    }

    @Test
    void theKeyOfTheSpecificationHasSignedItsExample() {
        VerifierKey key = VerifierKey.of("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k");
        byte[] signature = Base64.getDecoder()
                .decode("Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=");
        byte[] text = "This is an example message.\n".getBytes(UTF_8);
        assertThat(key.hasSigned(text, Arrays.copyOfRange(signature, 4, signature.length)))
                .isTrue();
        text[0]++;
        assertThat(key.hasSigned(text, Arrays.copyOfRange(signature, 4, signature.length)))
                .isFalse();
    }

    @Test
    void aKeyIsReadAsItWasMadeAndOnlyItsOwnerMayReadIt() throws IOException {
        Path file = folder.resolve("key");
        SigningKey made = SigningKey.make("example.com/orders", file);
        assertThat(SigningKey.read(file).verifier()).isEqualTo(made.verifier());
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
        assertThatThrownBy(() -> SigningKey.make("example.com/orders", file)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> SigningKey.make("two words", folder.resolve("other")))
                .hasMessageContaining("neither spaces nor a plus");
    }

    @ParameterizedTest
    @CsvSource({"rw-r-----, GROUP_READ", "rw----r--, OTHERS_READ", "rw--w----, GROUP_WRITE"})
    void aKeyThatIsOpenToOthersSignsNothing(String permissions, String named) throws IOException {
        Path file = folder.resolve("key");
        SigningKey.make("example.com/orders", file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        assertThatThrownBy(() -> SigningKey.read(file))
                .hasMessageContaining(named)
                .hasMessageContaining("chmod 600");
    }

    @Test
    void aFileThatIsNoKeyIsRefusedWithoutItsText() throws IOException {
        Path file = folder.resolve("key");
        assertThatThrownBy(() -> SigningKey.read(file)).hasMessageContaining(file.toString());
        Files.writeString(file, "PRIVATE+KEY+example.com/orders+00000000+c2VjcmV0");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> SigningKey.read(file))
                .hasMessageContaining("is no key")
                .hasMessageNotContaining("c2VjcmV0");
    }

    @ParameterizedTest
    @CsvSource({
        "''",
        "one+two",
        "example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
        "a+530d903a+AQ=="
    })
    void whatIsNoPublicKeyIsRefused(String text) {
        assertThatThrownBy(() -> VerifierKey.of(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aHeadIsSignedByItsKeyAloneAndInEachByte() {
        SigningKey key = Written.key(1);
        Checkpoint head = Checkpoint.sign("example.com/orders", 7, new byte[32], List.of(key));
        assertThat(Checkpoint.of(head.toString()).isSignedBy(key.verifier())).isTrue();
        assertThat(head.isSignedBy(Written.key(2).verifier())).isFalse();
        for (int place = 0; place < head.toString().length(); place++) {
            StringBuilder changed = new StringBuilder(head.toString());
            changed.setCharAt(place, changed.charAt(place) == 'b' ? 'c' : 'b');
            assertThat(isSigned(changed.toString(), key.verifier()))
                    .as(changed.toString())
                    .isFalse();
        }
    }

    private static boolean isSigned(String note, VerifierKey key) {
        try {
            return Checkpoint.of(note).isSignedBy(key);
        } catch (IllegalArgumentException refused) {
            return false;
        }
    }

    @Test
    void aProofHoldsForItsRecordAlone() throws IOException {
        MemoryDisk disk = Written.archive(700, 100);
        ArchiveReader archive = new ArchiveReader(disk, ArchiveReader.head(disk));
        VerifierKey key = Written.key(1).verifier();
        for (long index : new long[] {0, 1, 255, 256, 511, 600, 700}) {
            Proof proof = Proof.of(archive.prove(index).toString());
            byte[] payload = archive.payload(index);
            assertThat(proof.check(key, payload)).isNull();
            assertThat(proof.toString().length()).isLessThan(1500);
            assertThat(proof.check(Written.key(2).verifier(), payload)).contains("not signed by");
            assertThat(proof.check(key, Arrays.copyOf(payload, payload.length + 1)))
                    .contains("SHA-256");
            Proof other = new Proof(archive.leaf((index + 1) % 701), index, proof.hashes(), proof.head());
            assertThat(other.check(key, null)).contains("another root");
        }
    }

    @Test
    void aPayloadIsFoundWithTheNumberOfItsLeaf() throws IOException {
        MemoryDisk disk = Written.archive(700, 90);
        ArchiveReader archive = new ArchiveReader(disk, ArchiveReader.head(disk));
        for (long index = 1; index <= 700; index++) {
            assertThat(archive.leaf(index).number()).isEqualTo(index);
            assertThat(archive.payload(index)).isEqualTo(Written.payload(index));
        }
    }
}
