// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstException;
import java.net.URL;

/** Tells whether the class path has the library of time stamps, before any of its classes is loaded. */
final class BouncyCastle {

    private static final String PKIX = "org/bouncycastle/tsp/TimeStampToken.class";
    private static final String PROVIDER = "org/bouncycastle/jce/provider/BouncyCastleProvider.class";
    private static final String FIPS = "org/bouncycastle/jcajce/provider/BouncyCastleFipsProvider.class";

    /** The FIPS provider has classes of the same names, and an older state of them. */
    private static final String SHARED = "org/bouncycastle/asn1/ASN1ObjectIdentifier.class";

    private BouncyCastle() {}

    /** @throws BurstException if time stamps cannot be had with these classes */
    static void require(ClassLoader loader) {
        String wrong = wrongOf(loader);
        if (wrong != null) {
            throw new BurstException(BurstException.Code.INVALID_ARGUMENT, wrong);
        }
    }

    /** {@return what is wrong with the class path, in a sentence; null if nothing is} */
    static String wrongOf(ClassLoader loader) {
        if (loader.getResource(PKIX) == null || loader.getResource(PROVIDER) == null) {
            return "Time stamps need the library BouncyCastle: put bcpkix-jdk18on, bcprov-jdk18on and bcutil-jdk18on on the"
                    + " class path.";
        }
        String fips = jarOf(loader.getResource(FIPS));
        if (fips != null && fips.equals(jarOf(loader.getResource(SHARED)))) {
            return "The class path has " + fips + " before " + jarOf(loader.getResource(PROVIDER))
                    + ", and its older classes of the same names break time stamps: put bcprov-jdk18on before it, or leave"
                    + " bc-fips out.";
        }
        return null;
    }

    private static String jarOf(URL resource) {
        if (resource == null) {
            return null;
        }
        // A class of a multi-release jar has a folder in front of its name.
        String place = resource.toString().replaceAll("!/.*", "");
        return place.substring(place.lastIndexOf('/') + 1);
    }
}
