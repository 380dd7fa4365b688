// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.logging.log4j.core.config.plugins.processor.PluginCache;

/** Makes one executable jar of several jars, as plugins of Maven do. */
final class OneJar {

    private static final String PLUGINS = "META-INF/org/apache/logging/log4j/core/config/plugins/Log4j2Plugins.dat";

    private OneJar() {}

    /**
     * Makes a shaded jar: it has all classes, and merges the services and the plugins of Log4j.
     *
     * @param rename renames classes, and texts that name them; the new name must have the same length
     */
    static Path shaded(Path jar, List<Path> parts, Class<?> main, UnaryOperator<String> rename) throws IOException {
        Map<String, byte[]> entries = new TreeMap<>();
        List<byte[]> plugins = new ArrayList<>();
        for (Path part : parts) {
            contents(part).forEach((name, bytes) -> {
                if (name.equals(PLUGINS)) {
                    plugins.add(bytes);
                } else if (!name.endsWith("module-info.class")
                        && !name.matches("META-INF/(MANIFEST.MF|.*\\.SF|.*\\.RSA)")) {
                    entries.merge(
                            rename.apply(name),
                            isText(name) ? renamed(bytes, rename) : bytes,
                            (one, other) -> name.startsWith("META-INF/services/") ? joined(one, other) : one);
                }
            });
        }
        entries.put(PLUGINS, renamed(merged(plugins), rename));
        return write(jar, entries, manifest(rename.apply(main.getName()), null));
    }

    /** Makes a jar like that of Spring Boot: the jars lie in the jar, and the launcher reads them there. */
    static Path executable(Path jar, List<Path> parts, Path launcher, Class<?> main) throws IOException {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        contents(launcher).forEach((name, bytes) -> {
            if (name.endsWith(".class") && !name.contains("module-info")) {
                entries.put(name, bytes);
            }
        });
        // The launcher looks for an entry of the folder itself.
        entries.put("BOOT-INF/classes/", new byte[0]);
        for (Path part : parts) {
            if (Files.isDirectory(part)) {
                contents(part).forEach((name, bytes) -> entries.put("BOOT-INF/classes/" + name, bytes));
            } else {
                entries.put("BOOT-INF/lib/" + part.getFileName(), Files.readAllBytes(part));
            }
        }
        return write(jar, entries, manifest("org.springframework.boot.loader.launch.JarLauncher", main.getName()));
    }

    private static Manifest manifest(String main, String start) {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, main);
        attributes.put(Attributes.Name.MULTI_RELEASE, "true");
        attributes.putValue("Enable-Native-Access", "ALL-UNNAMED");
        if (start != null) {
            attributes.putValue("Start-Class", start);
            attributes.putValue("Spring-Boot-Classes", "BOOT-INF/classes/");
            attributes.putValue("Spring-Boot-Lib", "BOOT-INF/lib/");
        }
        return manifest;
    }

    private static Map<String, byte[]> contents(Path part) throws IOException {
        Map<String, byte[]> entries = new TreeMap<>();
        if (Files.isDirectory(part)) {
            try (Stream<Path> files = Files.walk(part)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    entries.put(part.relativize(file).toString(), Files.readAllBytes(file));
                }
            }
            return entries;
        }
        try (JarFile jar = new JarFile(part.toFile())) {
            for (ZipEntry entry : Collections.list(jar.entries())) {
                if (!entry.isDirectory()) {
                    entries.put(entry.getName(), jar.getInputStream(entry).readAllBytes());
                }
            }
        }
        return entries;
    }

    private static byte[] joined(byte[] one, byte[] other) {
        return (new String(one, StandardCharsets.UTF_8) + "\n" + new String(other, StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Tells whether a file names classes in its text. */
    private static boolean isText(String name) {
        return name.endsWith(".class") || name.startsWith("META-INF/services/");
    }

    /** Renames within bytes. Each byte is one char here, so that a class file's lengths of names stay true. */
    private static byte[] renamed(byte[] bytes, UnaryOperator<String> rename) {
        return rename.apply(new String(bytes, StandardCharsets.ISO_8859_1)).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Merges plugin lists by Log4j's own reader, which takes them from URLs. */
    private static byte[] merged(List<byte[]> plugins) throws IOException {
        List<URL> places = new ArrayList<>();
        for (byte[] each : plugins) {
            places.add(Files.write(Files.createTempFile("plugins", ".dat"), each)
                    .toUri()
                    .toURL());
        }
        Enumeration<URL> all = Collections.enumeration(places);
        PluginCache cache = new PluginCache();
        cache.loadCacheFiles(all);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        cache.writeCache(out);
        return out.toByteArray();
    }

    private static Path write(Path jar, Map<String, byte[]> entries, Manifest manifest) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        manifest.write(text);
        Map<String, byte[]> all = new LinkedHashMap<>();
        all.put(JarFile.MANIFEST_NAME, text.toByteArray());
        all.putAll(entries);
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            all.forEach((name, bytes) -> put(zip, name, bytes));
        }
        return jar;
    }

    /** Adds an entry without compression, because the launcher cannot read a compressed jar in a jar. */
    private static void put(ZipOutputStream zip, String name, byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        ZipEntry entry = new ZipEntry(name);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(bytes.length);
        entry.setCrc(crc.getValue());
        try {
            zip.putNextEntry(entry);
            new ByteArrayInputStream(bytes).transferTo(zip);
            zip.closeEntry();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
