// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/**
 * The JVM flags that Chronicle Queue and native code need. {@code java -jar} finds them in the manifest; a child
 * process does not.
 */
final class JvmFlags {

    private static final int WARNS_OF_NATIVE_CODE = 24;

    private JvmFlags() {}

    /** The flags in the manifest of this jar; none if these classes are in no jar. */
    static List<String> ofThisJar() throws IOException {
        Path place = Path.of(URI.create(JvmFlags.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()));
        List<String> flags = new ArrayList<>();
        if (place.toString().endsWith(".jar")) {
            try (JarFile jar = new JarFile(place.toFile())) {
                Attributes manifest = jar.getManifest().getMainAttributes();
                add("--add-opens=", manifest.getValue("Add-Opens"), flags);
                add("--add-exports=", manifest.getValue("Add-Exports"), flags);
            }
        }
        if (Runtime.version().feature() >= WARNS_OF_NATIVE_CODE) {
            flags.add("--enable-native-access=ALL-UNNAMED");
            flags.add("--sun-misc-unsafe-memory-access=allow");
        }
        return flags;
    }

    private static void add(String flag, String packages, List<String> flags) {
        for (String each : packages == null ? new String[0] : packages.split(" ")) {
            flags.add(flag + each + "=ALL-UNNAMED");
        }
    }
}
