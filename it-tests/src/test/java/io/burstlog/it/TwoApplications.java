// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * A child process that is a server with two applications, each of which has a class loader with its own copy of all
 * jars. It prints its process id, and then the answers of each application. The arguments are the folders of the two
 * applications; each has its ring in its folder.
 */
final class TwoApplications {
    private TwoApplications() {}

    public static void main(String[] folders) throws Exception {
        URL[] classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(TwoApplications::url)
                .toArray(URL[]::new);
        System.out.println(ProcessHandle.current().pid());
        UnaryOperator<String> first = deploy(classPath);
        UnaryOperator<String> second = deploy(classPath);
        UnaryOperator<String> third = deploy(classPath);
        first.apply("start " + folders[0] + " " + folders[0] + "/it.ring");
        second.apply("start " + folders[1] + " " + folders[1] + "/it.ring");
        System.out.println(first.apply("log first"));
        System.out.println(second.apply("log second"));
        second.apply("stop");
        third.apply("start " + folders[1] + " " + folders[0] + "/it.ring");
        System.out.println(third.apply("log refused"));
        first.apply("stop");
    }

    @SuppressWarnings("unchecked")
    private static UnaryOperator<String> deploy(URL[] classPath) throws ReflectiveOperationException {
        ClassLoader loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        return (UnaryOperator<String>) loader.loadClass(DoorsApplication.class.getName())
                .getConstructor()
                .newInstance();
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(path, e);
        }
    }
}
