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
 * A child process that is a server. It deploys an application three times, each time with a new class loader, and the
 * second time before the first has stopped. It prints its process id, and what each is told.
 */
final class Redeployment {
    private Redeployment() {}

    public static void main(String[] arguments) throws Exception {
        URL[] classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Redeployment::url)
                .toArray(URL[]::new);
        System.out.println(ProcessHandle.current().pid());
        UnaryOperator<String> first = deploy(classPath);
        tell(first, "first 1");
        UnaryOperator<String> second = deploy(classPath);
        tell(second, "too early");
        tell(first, "first 2");
        tell(first, "stop");
        tell(second, "configure anew");
        tell(second, "second 1");
        tell(second, "stop");
        UnaryOperator<String> third = deploy(classPath);
        tell(third, "third 1");
        tell(third, "stop");
    }

    private static void tell(UnaryOperator<String> application, String what) {
        System.out.println(what + ": " + application.apply(what));
    }

    @SuppressWarnings("unchecked")
    private static UnaryOperator<String> deploy(URL[] classPath) throws ReflectiveOperationException {
        ClassLoader loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        return (UnaryOperator<String>) loader.loadClass(RedeployedApplication.class.getName())
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
