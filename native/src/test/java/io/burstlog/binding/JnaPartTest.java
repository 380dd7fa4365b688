// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** JNA's failures as they come: the first, and each later one. HardenedJvmIT has JVMs with real ones. */
class JnaPartTest {

    @AfterEach
    void unpacksAgain() {
        System.clearProperty("jna.nounpack");
    }

    private static String sentence(Throwable cause) {
        return JnaPart.refusal(new ExceptionInInitializerError(cause)).getMessage();
    }

    /** The JVM throws this for a class whose initialization has failed before. */
    private static String laterSentence(Throwable cause) {
        NoClassDefFoundError later = new NoClassDefFoundError("Could not initialize class com.sun.jna.Native");
        later.initCause(new ExceptionInInitializerError("Exception " + cause + " [in thread \"main\"]"));
        return JnaPart.refusal(later).getMessage();
    }

    @Test
    void aJvmThatAllowsNoNativeCodeIsToldToAllowIt() {
        IllegalCallerException denied =
                new IllegalCallerException("Illegal native access from an unnamed module (x.jar)");
        assertThat(sentence(denied))
                .isEqualTo(laterSentence(denied))
                .isEqualTo("This JVM allows JNA, and so Burstlog,"
                        + " no native code; start it with --enable-native-access=ALL-UNNAMED.");
    }

    @Test
    void aDirectoryThatIsNoPlaceForLibrariesIsSaidWithoutTheNameOfTheCopy() {
        UnsatisfiedLinkError noexec = new UnsatisfiedLinkError(
                "/noexec/jna35.tmp: /noexec/jna35.tmp: failed to map segment" + " from shared object");
        assertThat(sentence(noexec))
                .isEqualTo(laterSentence(noexec))
                .isEqualTo("JNA cannot load its own native part,"
                        + " libjnidispatch.so (failed to map segment from shared object); name a directory that is writable and not"
                        + " mounted noexec with -Djna.tmpdir.");
        UnsatisfiedLinkError readOnly = new UnsatisfiedLinkError(
                "Failed to create temporary file for"
                        + " /com/sun/jna/linux-x86-64/libjnidispatch.so library: JNA temporary directory '/ro' is not writable");
        assertThat(sentence(readOnly))
                .isEqualTo(laterSentence(readOnly))
                .contains("JNA temporary directory '/ro' is not" + " writable); name a directory")
                .doesNotContain("Error")
                .doesNotContain("main");
    }

    @Test
    void whoForbadeUnpackingIsToldWhereJnaLooks() {
        System.setProperty("jna.nounpack", "true");
        UnsatisfiedLinkError none = new UnsatisfiedLinkError("Could not find JNA native support");
        assertThat(sentence(none))
                .isEqualTo(laterSentence(none))
                .contains("jna.nounpack is set")
                .contains("-Djna.boot.library.path");
    }

    @Test
    void aNativePartOfAnotherJnaIsNamed() {
        Error other =
                new Error("\n\nThere is an incompatible JNA native library installed on this system\nExpected: 7.0.4\n"
                        + "Found:    6.1.0\n(at /opt/jna/libjnidispatch.so).\nTo resolve this issue you may do one of the following:\n"
                        + " - remove or uninstall the offending library\n");
        assertThat(JnaPart.refusal(other))
                .hasMessage("The JNA on the class path needs its own native part, and"
                        + " /opt/jna/libjnidispatch.so belongs to another version; name the directory that holds the one of that jar"
                        + " with -Djna.boot.library.path, or leave jna.boot.library.path out.");
    }

    @Test
    void aMissingJnaIsNamed() {
        NoClassDefFoundError missing = new NoClassDefFoundError("com/sun/jna/Native");
        missing.initCause(new ClassNotFoundException("com.sun.jna.Native"));
        assertThat(JnaPart.refusal(missing))
                .hasMessageStartingWith("JNA is missing (")
                .hasMessageContaining("class path");
    }
}
