// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A child process in which two class loaders, as two web applications, each have a copy of Burstlog and open the same
 * ring. It prints its process id, then what the second one is told. Arguments: ring, log file.
 */
final class TwoClassLoaders {
    private TwoClassLoaders() {}

    public static void main(String[] arguments) throws Exception {
        URL[] classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(TwoClassLoaders::url)
                .toArray(URL[]::new);
        ClassLoader platform = ClassLoader.getPlatformClassLoader();
        try (URLClassLoader first = new URLClassLoader(classPath, platform);
                URLClassLoader second = new URLClassLoader(classPath, platform)) {
            System.out.println(ProcessHandle.current().pid());
            AutoCloseable log = open(first, arguments);
            try {
                open(second, arguments).close();
                System.out.println("opened twice");
            } catch (InvocationTargetException refused) {
                System.out.println(refused.getCause().getMessage());
            }
            log.close();
            open(second, arguments).close();
            System.out.println("open after the first has closed");
        }
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(path, e);
        }
    }

    private static AutoCloseable open(ClassLoader loader, String[] arguments) throws ReflectiveOperationException {
        Object builder =
                loader.loadClass("io.burstlog.BurstConfig").getMethod("builder").invoke(null);
        builder.getClass().getMethod("ring", String.class).invoke(builder, arguments[0]);
        builder.getClass().getMethod("fileName", String.class).invoke(builder, arguments[1]);
        Object config = builder.getClass().getMethod("build").invoke(builder);
        return (AutoCloseable) loader.loadClass("io.burstlog.BurstLog")
                .getMethod("open", config.getClass())
                .invoke(null, config);
    }
}
