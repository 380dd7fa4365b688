// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Hashes and proofs of RFC 6962. */
class MerkleTreeTest {

    private static final int MOST = 70;

    /** The leaves and roots that Certificate Transparency's own tests use. */
    private static final String[] LEAVES = {
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"
    };

    private static final String[] ROOTS = {
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
    };

    private static MerkleTree.Hashes of(List<byte[]> hashes) {
        return (level, index) -> MerkleTree.fold(hashes.toArray(byte[][]::new), (int) (index << level), 1 << level);
    }

    private static List<byte[]> leafHashes(int count) {
        List<byte[]> hashes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            hashes.add(MerkleTree.leafHash(new byte[] {(byte) i}));
        }
        return hashes;
    }

    @Test
    void theRootsAreThoseOfCertificateTransparency() throws IOException {
        List<byte[]> hashes = new ArrayList<>();
        for (int i = 0; i < LEAVES.length; i++) {
            hashes.add(MerkleTree.leafHash(HexFormat.of().parseHex(LEAVES[i])));
            assertThat(HexFormat.of().formatHex(MerkleTree.root(i + 1, of(hashes))))
                    .isEqualTo(ROOTS[i]);
        }
    }

    @Test
    void eachLeafOfEachTreeIsProvenAndNoOtherLeafIs() throws IOException {
        List<byte[]> hashes = leafHashes(MOST);
        for (int size = 1; size <= MOST; size++) {
            byte[] root = MerkleTree.root(size, of(hashes));
            for (int index = 0; index < size; index++) {
                List<byte[]> proof = MerkleTree.inclusion(index, size, of(hashes));
                assertThat(MerkleTree.rootOf(index, size, hashes.get(index), proof))
                        .isEqualTo(root);
                assertThat(MerkleTree.rootOf(index, size, hashes.get((index + 1) % MOST), proof))
                        .isNotEqualTo(root);
                proof.add(root);
                assertThat(MerkleTree.rootOf(index, size, hashes.get(index), proof))
                        .isNull();
            }
        }
    }

    @Test
    void eachTreeGoesOnFromEachSmallerOneAndFromNoOther() throws IOException {
        List<byte[]> hashes = leafHashes(MOST);
        for (int size = 1; size <= MOST; size++) {
            byte[] root = MerkleTree.root(size, of(hashes));
            for (int first = 1; first <= size; first++) {
                byte[] firstRoot = MerkleTree.root(first, of(hashes));
                List<byte[]> proof = MerkleTree.consistency(first, size, of(hashes));
                assertThat(MerkleTree.isConsistent(first, firstRoot, size, root, proof))
                        .isTrue();
                assertThat(MerkleTree.isConsistent(first, hashes.get(0), size, root, proof))
                        .isEqualTo(first == 1);
                assertThat(MerkleTree.isConsistent(first, firstRoot, size, hashes.get(0), proof))
                        .isEqualTo(size == 1);
                proof.add(root);
                assertThat(MerkleTree.isConsistent(first, firstRoot, size, root, proof))
                        .isFalse();
            }
        }
    }
}
