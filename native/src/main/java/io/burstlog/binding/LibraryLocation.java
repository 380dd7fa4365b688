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

/** Where the library comes from: a path that somebody named, else the jar, else the library path. */
abstract class LibraryLocation {

    private static final String PATH_PROPERTY = "burstlog.library";

    /** Loads the library, or says in one sentence why it cannot be loaded. */
    abstract NativeLibrary load(Map<String, ?> options);

    /** Whether somebody named the file, so that no other may be loaded in its place. */
    boolean isExplicit() {
        return false;
    }

    /** The place to load from; an explicit path has no fallback. */
    static LibraryLocation of(String explicitPath) {
        String path = explicitPath == null ? System.getProperty(PATH_PROPERTY) : explicitPath;
        if (path != null && !path.isBlank()) {
            return new Explicit(Path.of(path).toAbsolutePath().normalize());
        }
        String name = "linux-" + ElfHeader.architectureOfJvm() + "/libburstlog.so";
        URL resource = LibraryLocation.class.getResource("/" + name);
        return resource == null ? new Searched() : new Bundled(name, resource);
    }

    private static NativeLibrary loadFile(Path path, Map<String, ?> options) {
        ElfHeader.check(path);
        try {
            return NativeLibrary.getInstance(path.toString(), options);
        } catch (UnsatisfiedLinkError failure) {
            throw new LibraryException("The Burstlog library " + path + " cannot be loaded: " + linkersAnswer(failure) + ".",
                    failure);
        }
    }

    /** JNA puts the dynamic linker's answer on the second line, below its own words and above other places it tried. */
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
                throw new LibraryException("The Burstlog library " + path + " does not exist; correct the path, or leave it"
                        + " out to use the library in the jar.");
            }
            return loadFile(path, options);
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
                throw new LibraryException("The Burstlog library " + resource + " cannot be extracted (" + failure
                        + "); name a writable directory with -Djna.tmpdir, or the library itself with -D" + PATH_PROPERTY
                        + ".", failure);
            }
            if (file == null) {
                throw new LibraryException("The Burstlog library " + resource + " may not be extracted, because"
                        + " jna.nounpack is set; remove that, or name the library itself with -D" + PATH_PROPERTY + ".");
            }
            try {
                return loadFile(file.toPath(), options);
            } finally {
                if (!resource.getProtocol().equals("file")) {
                    // The mapping keeps the extracted copy; its name is of no further use.
                    file.delete();
                }
            }
        }

        @Override
        public String toString() {
            return resource.toString();
        }
    }

    private static final class Searched extends LibraryLocation {

        @Override
        NativeLibrary load(Map<String, ?> options) {
            try {
                return NativeLibrary.getInstance("burstlog", options);
            } catch (UnsatisfiedLinkError failure) {
                String platform = System.getProperty("os.name") + " " + ElfHeader.architectureOfJvm();
                throw new LibraryException("There is no Burstlog library for " + platform + " in the jar, and none on the"
                        + " library path (" + linkersAnswer(failure) + "); name one with -D" + PATH_PROPERTY + ".", failure);
            }
        }

        @Override
        public String toString() {
            return "on the library path";
        }
    }
}
