// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Holds this project's classes once more, as another web application of the same server would. */
final class IsolatedLoader extends URLClassLoader {

    private static final String OWN_PACKAGE = "io.burstlog.";

    IsolatedLoader() {
        super(classPath(), IsolatedLoader.class.getClassLoader());
    }

    private static URL[] classPath() {
        List<URL> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(":")) {
            try {
                entries.add(Path.of(entry).toUri().toURL());
            } catch (MalformedURLException impossible) {
                throw new AssertionError(impossible);
            }
        }
        return entries.toArray(URL[]::new);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OWN_PACKAGE)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> found = findLoadedClass(name);
            return found == null ? findClass(name) : found;
        }
    }

    /** The answer of a public class, as this loader sees it. Its public constructor takes these strings. */
    static String ask(Class<? extends Callable<String>> type, String... arguments) throws Exception {
        try (IsolatedLoader loader = new IsolatedLoader()) {
            Class<?> isolated = loader.loadClass(type.getName());
            return (String)
                    ((Callable<?>) isolated.getConstructor(String[].class).newInstance((Object) arguments)).call();
        }
    }
}
