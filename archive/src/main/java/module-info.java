// SPDX-License-Identifier: Apache-2.0

/** The records of a stream in a Merkle tree with signed heads, kept for years. */
module io.burstlog.archive {
    requires transitive io.burstlog;
    requires com.github.luben.zstd_jni;
    requires com.sun.jna;
    requires java.management;
    requires java.net.http;
    requires static kafka.clients;
    requires static org.bouncycastle.pkix;
    requires static org.bouncycastle.provider;

    exports io.burstlog.archive;

    provides io.burstlog.ShipperProvider with
            io.burstlog.archive.ArchiveProvider;
}
