// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Native;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** JNA's own native part, which JNA loads when its class {@code Native} is first used. */
final class JnaPart {

    private static final Pattern OTHER_VERSION =
            Pattern.compile("incompatible JNA native library.*\\(at ([^\\n]*)\\)", Pattern.DOTALL);

    private JnaPart() {}

    /** Throws one sentence if this JVM has no JNA that works. */
    static void require() {
        boolean is64Bit;
        try {
            is64Bit = Native.POINTER_SIZE == Long.BYTES;
        } catch (VirtualMachineError failure) {
            throw failure;
        } catch (Error | IllegalCallerException failure) {
            throw refusal(failure);
        }
        if (!is64Bit) {
            throw new LibraryException("Burstlog needs a 64-bit JVM; this one is a 32-bit JVM.");
        }
    }

    /**
     * Makes the exception for a failure to load JNA's class. The first failure is the cause itself; each later one
     * wraps an exception that has only the text of the cause.
     */
    static LibraryException refusal(Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        String text = cause.toString();
        if (cause instanceof ClassNotFoundException) {
            return new LibraryException(
                    "JNA is missing (" + text + "); put net.java.dev.jna:jna on the class path.", failure);
        }
        if (text.contains(IllegalCallerException.class.getName())) {
            Module module = Native.class.getModule();
            return new LibraryException(
                    "This JVM allows JNA, and so Burstlog, no native code; start it with" + " --enable-native-access="
                            + (module.isNamed() ? module.getName() : "ALL-UNNAMED") + ".",
                    failure);
        }
        Matcher other = OTHER_VERSION.matcher(text);
        if (other.find()) {
            return new LibraryException(
                    "The JNA on the class path needs its own native part, and " + other.group(1)
                            + " belongs to another version; name the directory that holds the one of that jar with"
                            + " -Djna.boot.library.path, or leave jna.boot.library.path out.",
                    failure);
        }
        if (Boolean.getBoolean("jna.nounpack")) {
            return new LibraryException(
                    "JNA has not found its own native part, libjnidispatch.so, and may not unpack it,"
                            + " because jna.nounpack is set; name the directory that holds it with -Djna.boot.library.path, or leave"
                            + " jna.nounpack out.",
                    failure);
        }
        return new LibraryException(
                "JNA cannot load its own native part, libjnidispatch.so (" + reason(text) + "); name a"
                        + " directory that is writable and not mounted noexec with -Djna.tmpdir.",
                failure);
    }

    /** Removes the exception's class, the name of the unpacked copy, and the name of the first thread. */
    private static String reason(String text) {
        String line = text.lines()
                .filter(Predicate.not(String::isBlank))
                .collect(Collectors.joining(" "))
                .replaceFirst(" \\[in thread \"[^\"]*\"]$", "")
                .replaceFirst("^([\\w.]+: |Exception )+", "");
        int copy = line.lastIndexOf(".tmp: ");
        return copy < 0 ? line : line.substring(copy + ".tmp: ".length());
    }
}
