// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An authority for time stamps: {@code openssl ts} with a certificate of its own. */
final class Authority {

    private final Path folder;

    /** @param folder where another one was made before */
    Authority(Path folder) {
        this.folder = folder;
    }

    /** @param days how long its certificate is valid; below 0 it has expired */
    Authority(Path folder, int days) throws IOException {
        this.folder = Files.createDirectories(folder);
        openssl(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=authority -keyout ca.key -out ca.pem"
                        + " -days 30");
        openssl("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=stamps -keyout tsa.key -out tsa.csr");
        Files.writeString(folder.resolve("ext"), "extendedKeyUsage=critical,timeStamping\n");
        openssl("x509 -req -in tsa.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile ext -out tsa.pem -days "
                + days);
        Files.writeString(folder.resolve("serial"), "01\n");
        for (String digest : List.of("sha256", "sha512")) {
            Files.writeString(folder.resolve(digest + ".cnf"), """
                    [ authority ]
                    serial = serial
                    signer_cert = tsa.pem
                    signer_key = tsa.key
                    signer_digest = sha256
                    default_policy = 1.2.3.4.1
                    digests = %s
                    ess_cert_id_alg = sha256
                    """.formatted(digest));
        }
    }

    Path certificates() {
        return folder.resolve("ca.pem");
    }

    synchronized byte[] reply(byte[] query) throws IOException {
        return reply(query, "sha256");
    }

    /** @param digest the one algorithm that it takes */
    synchronized byte[] reply(byte[] query, String digest) throws IOException {
        Files.write(folder.resolve("query"), query);
        openssl("ts -reply -config " + digest + ".cnf -section authority -queryfile query -out reply");
        return Files.readAllBytes(folder.resolve("reply"));
    }

    /** Lets openssl verify an answer that an archive kept. */
    void requireVerified(Path head, Path answer) throws IOException {
        assertThat(openssl(
                        "ts -verify -CAfile ca.pem -in " + answer.toAbsolutePath() + " -data " + head.toAbsolutePath()))
                .contains("Verification: OK");
    }

    private String openssl(String arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(Arrays.asList(arguments.split(" ")));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        try {
            assertThat(process.waitFor()).as(output).isZero();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        return output;
    }
}
