// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bouncycastle.asn1.cmp.PKIStatus;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.tsp.TSPAlgorithms;
import org.bouncycastle.tsp.TSPException;
import org.bouncycastle.tsp.TimeStampRequest;
import org.bouncycastle.tsp.TimeStampRequestGenerator;
import org.bouncycastle.tsp.TimeStampResponse;
import org.bouncycastle.tsp.TimeStampToken;

/** Time stamps of RFC 3161 over the SHA-256 of signed heads. Apart from the anchor, since its library is optional. */
final class TimeStamps {

    private static final int NONCE_BITS = 64;

    private final Set<TrustAnchor> trusted = new HashSet<>();
    private final SecureRandom random = new SecureRandom();

    /**
     * @param authorities a file of certificates, PEM or DER, of which each one may vouch for a time stamp
     * @throws IOException if there are none: a sentence
     */
    TimeStamps(Path authorities) throws IOException {
        try (InputStream file = Files.newInputStream(authorities)) {
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                trusted.add(new TrustAnchor((X509Certificate) each, null));
            }
        } catch (IOException | GeneralSecurityException wrong) {
            throw new IOException(
                    authorities + " has no certificates of an authority for time stamps: " + wrong
                            + "; name a file of certificates, PEM or DER",
                    wrong);
        }
        if (trusted.isEmpty()) {
            throw new IOException(authorities
                    + " has no certificates of an authority for time stamps: name a file of certificates, PEM or DER");
        }
    }

    static byte[] digest(Checkpoint head) {
        byte[] note = head.toString().getBytes(UTF_8);
        return Sha256.of(note, 0, note.length);
    }

    TimeStampRequest request(Checkpoint head) {
        TimeStampRequestGenerator generator = new TimeStampRequestGenerator();
        generator.setCertReq(true);
        return generator.generate(TSPAlgorithms.SHA256, digest(head), new BigInteger(NONCE_BITS, random));
    }

    /**
     * Checks everything about an answer.
     *
     * @param request what was asked; null if that is not known any more
     * @return the time of the stamp
     * @throws IOException with the end of a sentence, if it does not stamp this head
     */
    Instant check(Checkpoint head, byte[] answer, TimeStampRequest request) throws IOException {
        try {
            TimeStampResponse response = new TimeStampResponse(answer);
            TimeStampToken token = response.getTimeStampToken();
            int status = response.getStatus();
            if (token == null || status != PKIStatus.GRANTED && status != PKIStatus.GRANTED_WITH_MODS) {
                throw new IOException("the authority refuses, with status " + status
                        + (response.getStatusString() == null ? "" : ": " + response.getStatusString()));
            }
            if (request != null) {
                response.validate(request);
            }
            if (!token.getTimeStampInfo().getMessageImprintAlgOID().equals(TSPAlgorithms.SHA256)
                    || !Arrays.equals(token.getTimeStampInfo().getMessageImprintDigest(), digest(head))) {
                throw new IOException("the time stamp is of something else");
            }
            checkSignature(token);
            return token.getTimeStampInfo().getGenTime().toInstant();
        } catch (TSPException | GeneralSecurityException | OperatorCreationException | RuntimeException wrong) {
            throw new IOException("the time stamp does not hold: " + wrong.getMessage(), wrong);
        }
    }

    /** Checks the signature, that its certificate is for time stamps, and that a trusted authority vouches for it. */
    private void checkSignature(TimeStampToken token)
            throws TSPException, GeneralSecurityException, OperatorCreationException, IOException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<X509Certificate> certificates = new ArrayList<>();
        X509Certificate signer = null;
        for (X509CertificateHolder each : token.getCertificates().getMatches(null)) {
            X509Certificate certificate =
                    (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(each.getEncoded()));
            certificates.add(certificate);
            if (token.getSID().match(each)) {
                signer = certificate;
            }
        }
        if (signer == null) {
            throw new IOException("the time stamp lacks the certificate of its signature");
        }
        token.validate(new JcaSimpleSignerInfoVerifierBuilder().build(signer));
        X509CertSelector target = new X509CertSelector();
        target.setCertificate(signer);
        PKIXBuilderParameters parameters = new PKIXBuilderParameters(trusted, target);
        parameters.setRevocationEnabled(false);
        parameters.setDate(Date.from(token.getTimeStampInfo().getGenTime().toInstant()));
        parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(certificates)));
        CertPathBuilder.getInstance("PKIX").build(parameters);
    }
}
