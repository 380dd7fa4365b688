// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the library comes from: a path that somebody named, else the jar, else the library path. */
abstract class LibraryLocation {

    private static final String PATH_PROPERTY = "burstlog.library";

    private static final Pattern GLIBC_MISSING = Pattern.compile("version .GLIBC_([0-9.]+). not found");

    /** Loads the library, or says in one sentence why it cannot be loaded. */
    abstract NativeLibrary load(Map<String, ?> options);

    /** Returns the name by which messages call the loaded library. */
    String nameOf(NativeLibrary library) {
        return toString();
    }

    /** Tells whether somebody named the file, so that no other may be loaded in its place. */
    boolean isExplicit() {
        return false;
    }

    /** Returns the place to load from; an explicit path has no fallback. */
    static LibraryLocation of(String explicitPath) {
        String path = explicitPath == null ? System.getProperty(PATH_PROPERTY) : explicitPath;
        if (path != null && !path.isBlank()) {
            return new Explicit(Path.of(path).toAbsolutePath().normalize());
        }
        String name = JvmPlatform.CURRENT.library() + "/libburstlog.so";
        URL resource = LibraryLocation.class.getResource("/" + name);
        return resource == null ? new Searched() : new Bundled(name, resource);
    }

    /** @param name the name for messages: the file itself may be a temporary copy */
    static NativeLibrary loadFile(String name, Path path, Map<String, ?> options) {
        ElfHeader.check(name, path);
        try {
            return NativeLibrary.getInstance(path.toString(), options);
        } catch (UnsatisfiedLinkError failure) {
            throw new LibraryException(
                    "The Burstlog library " + name + ' ' + refusal(linkersAnswer(failure), path), failure);
        }
    }

    private static String refusal(String answer, Path path) {
        Matcher glibc = GLIBC_MISSING.matcher(answer);
        if (glibc.find()) {
            return "needs glibc " + glibc.group(1)
                    + " or later, and this system's is older; build Burstlog on this system or"
                    + " an older one, or name a library that was built so with -D" + PATH_PROPERTY + ".";
        }
        String words = answer.replace(path + ": ", "");
        return words.contains("failed to map segment")
                ? "cannot be loaded (" + words
                        + "); name a directory that is not mounted noexec with -Djna.tmpdir, or with -D" + PATH_PROPERTY
                        + " a library that lies in one."
                : "cannot be loaded: " + words + ".";
    }

    /**
     * Returns the second line, on which JNA puts the dynamic linker's answer: below its own words, and above other
     * places that it tried.
     */
    private static String linkersAnswer(UnsatisfiedLinkError failure) {
        return failure.getMessage().lines().skip(1).findFirst().orElseGet(failure::getMessage);
    }

    private static final class Explicit extends LibraryLocation {

        private final Path path;

        Explicit(Path path) {
            this.path = path;
        }

        @Override
        NativeLibrary load(Map<String, ?> options) {
            if (!Files.exists(path)) {
                throw new LibraryException("The Burstlog library " + path
                        + " does not exist; correct the path, or leave it" + " out to use the library in the jar.");
            }
            return loadFile(path.toString(), path, options);
        }

        @Override
        boolean isExplicit() {
            return true;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Explicit explicit && explicit.path.equals(path);
        }

        @Override
        public int hashCode() {
            return path.hashCode();
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }

    private static final class Bundled extends LibraryLocation {

        private final String name;
        private final URL resource;

        Bundled(String name, URL resource) {
            this.name = name;
            this.resource = resource;
        }

        @Override
        NativeLibrary load(Map<String, ?> options) {
            File file;
            try {
                file = Native.extractFromResourcePath("/" + name, LibraryLocation.class.getClassLoader());
            } catch (IOException failure) {
                throw new LibraryException(
                        "The Burstlog library " + this + " cannot be unpacked ("
                                + failure.getMessage()
                                + "); name a writable directory with -Djna.tmpdir, or the library itself with -D"
                                + PATH_PROPERTY
                                + ".",
                        failure);
            }
            if (file == null) {
                throw new LibraryException("The Burstlog library " + this + " may not be unpacked, because"
                        + " jna.nounpack is set; remove that, or name the library itself with -D" + PATH_PROPERTY
                        + ".");
            }
            try {
                return loadFile(toString(), file.toPath(), options);
            } finally {
                if (!resource.getProtocol().equals("file")) {
                    // The mapping keeps the extracted copy, so nobody needs its name any more.
                    file.delete();
                }
            }
        }

        @Override
        public String toString() {
            String url = resource.toString();
            int inJar = url.lastIndexOf("!/" + name);
            return inJar < 0 ? url : "in " + url.substring(0, inJar).replaceFirst("^(jar:)?(file:)?", "");
        }
    }

    private static final class Searched extends LibraryLocation {

        @Override
        NativeLibrary load(Map<String, ?> options) {
            try {
                return NativeLibrary.getInstance("burstlog", options);
            } catch (UnsatisfiedLinkError failure) {
                throw new LibraryException(
                        "There is no Burstlog library for " + JvmPlatform.CURRENT.library()
                                + " in the jar, and none on the"
                                + " library path (" + linkersAnswer(failure) + "); name one with -D" + PATH_PROPERTY
                                + ".",
                        failure);
            }
        }

        @Override
        String nameOf(NativeLibrary library) {
            File file = library.getFile();
            return file == null ? library.getName() : file.getPath();
        }

        @Override
        public String toString() {
            return "on the library path";
        }
    }
}
