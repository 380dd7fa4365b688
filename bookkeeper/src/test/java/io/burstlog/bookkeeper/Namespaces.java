// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Nodes that are network namespaces. A veth pair joins each to a bridge in the namespace of this process, and can be
 * cut: packets vanish, and nobody is told. Disks are small, and can be filled. scripts/prove/kill-copy makes the
 * bridge, and starts this process in network, mount and process namespaces of its own: all of this goes with them.
 */
final class Namespaces implements Nodes {

    /** Bookies need little space, and soon see how much there is. */
    static final String SMALL_DISKS =
            "journalMaxSizeMB=16\njournalMaxBackups=0\ngcWaitTime=5000\ndiskCheckInterval=500";

    /** Less is free than a bookie wants. */
    static final long NEARLY_FULL_BYTES = 2 << 20;

    private static final String BRIDGE = "burst";
    private static final int FIRST_NODE = 11;
    private static final int DISK_BYTES = 256 << 20;
    private static final int BLOCK_BYTES = 64 << 10;

    private final Map<String, String> addresses = new LinkedHashMap<>();

    @Override
    public String address() {
        return "10.77.0.1";
    }

    @Override
    public synchronized String address(String node) throws IOException {
        String address = addresses.get(node);
        if (address == null) {
            address = "10.77.0." + (FIRST_NODE + addresses.size());
            addresses.put(node, address);
            run("ip", "netns", "add", node);
            run("ip", "link", "add", node, "type", "veth", "peer", "name", "eth0", "netns", node);
            run("ip", "link", "set", node, "master", BRIDGE, "up");
            run("ip", "-n", node, "addr", "add", address + "/24", "dev", "eth0");
            run("ip", "-n", node, "link", "set", "eth0", "up");
            run("ip", "-n", node, "link", "set", "lo", "up");
        }
        return address;
    }

    @Override
    public List<String> on(String node) {
        return List.of("ip", "netns", "exec", node);
    }

    void cut(String node) throws IOException {
        run("ip", "link", "set", node, "down");
    }

    void mend(String node) throws IOException {
        run("ip", "link", "set", node, "up");
    }

    @Override
    public void disk(Path folder) throws IOException {
        Files.createDirectories(folder);
        run("mount", "-t", "tmpfs", "-o", "size=" + DISK_BYTES, "tmpfs", folder.toString());
    }

    /** Writes until so many bytes of the folder's disk are free, or none. */
    static void fill(Path folder, long free) throws IOException {
        byte[] zeros = new byte[BLOCK_BYTES];
        try (OutputStream out = Files.newOutputStream(filler(folder))) {
            while (folder.toFile().getUsableSpace() > free) {
                out.write(zeros);
            }
        } catch (IOException full) {
            if (free > 0) {
                throw full;
            }
        }
    }

    static void free(Path folder) throws IOException {
        Files.delete(filler(folder));
    }

    private static Path filler(Path folder) {
        return folder.resolve("filler");
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + said);
            }
        } catch (InterruptedException ending) {
            throw new IOException(ending);
        }
    }
}
