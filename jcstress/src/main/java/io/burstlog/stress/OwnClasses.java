// SPDX-License-Identifier: Apache-2.0
package io.burstlog.stress;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Burstlog's classes once more, none of them loaded yet: another web application of the same server has such a copy.
 */
public final class OwnClasses extends URLClassLoader {

    private static final URL[] CLASS_PATH = Arrays.stream(
                    System.getProperty("java.class.path").split(":"))
            .map(OwnClasses::url)
            .toArray(URL[]::new);

    public OwnClasses() {
        super(CLASS_PATH, OwnClasses.class.getClassLoader());
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("io.burstlog.")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> found = findLoadedClass(name);
            return found == null ? findClass(name) : found;
        }
    }
}
