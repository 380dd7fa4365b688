// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;

/**
 * An unreliable action after rolls: it comes late, throws, refuses, and deletes all archives but the newest two, some
 * of which wait for their compression. Deleted files go to {@link #FOLDER}, so that their lines can be counted.
 */
@Plugin(name = "Whim", category = Core.CATEGORY_NAME, printObject = true)
public final class WhimAction extends AbstractAction {

    static final String FOLDER = "deleted";

    private static final int KEPT = 2;

    private final Path folder;
    private final Pattern archive;
    private final AtomicInteger turns = new AtomicInteger();

    private WhimAction(Path folder, String names) {
        this.folder = folder;
        this.archive = Pattern.compile(names + "-(\\d+)\\.log(\\.gz)?");
    }

    @PluginFactory
    public static WhimAction create(@PluginAttribute("folder") String folder, @PluginAttribute("names") String names) {
        return new WhimAction(Path.of(folder), names);
    }

    @Override
    public boolean execute() throws IOException {
        switch (turns.getAndIncrement() % 4) {
            case 0 -> late();
            case 1 -> throw new IOException("a whim");
            case 2 -> {
                return false;
            }
            default -> deleteAllButTheNewest();
        }
        return true;
    }

    private static void late() {
        try {
            TimeUnit.MILLISECONDS.sleep(30);
        } catch (InterruptedException stillToBeSeen) {
            Thread.currentThread().interrupt();
        }
    }

    private void deleteAllButTheNewest() throws IOException {
        TreeMap<Integer, Path> archives = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Matcher name = archive.matcher(file.getFileName().toString());
                if (name.matches()) {
                    archives.put(Integer.valueOf(name.group(1)), file);
                }
            }
        }
        Files.createDirectories(folder.resolve(FOLDER));
        for (Path old : List.copyOf(archives.values()).subList(0, Math.max(0, archives.size() - KEPT))) {
            Files.move(old, folder.resolve(FOLDER).resolve(old.getFileName()), StandardCopyOption.ATOMIC_MOVE);
        }
    }
}
