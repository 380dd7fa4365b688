// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A disk in memory that can halt at any operation, and lose what was not synced: contents in whole or in part, names,
 * and renames, each by itself and in no order.
 */
final class MemoryDisk implements Disk {

    private final Map<String, Content> names = new TreeMap<>();
    private final Map<String, Content> durableNames = new TreeMap<>();
    private final List<Rename> renames = new ArrayList<>();
    private final Steps steps;

    /** Another disk, that of the key. */
    private MemoryDisk beside;

    /** Each head that a reader could have seen. */
    final List<String> seenHeads = new ArrayList<>();

    private record Rename(String from, String to, Content content) {}

    private static final class Content {
        private byte[] now = {};
        private byte[] durable;

        byte[] lost(Random random) {
            byte[] safe = durable == null ? new byte[0] : durable;
            if (safe == now) {
                return now;
            }
            switch (random.nextInt(4)) {
                case 0:
                    return now;
                case 1:
                    return Arrays.copyOf(now, common(safe, now) + random.nextInt(now.length - common(safe, now) + 1));
                case 2:
                    byte[] holes = now.clone();
                    int from = common(safe, now);
                    Arrays.fill(holes, from, holes.length, (byte) 0);
                    return holes;
                default:
                    return safe;
            }
        }

        private static int common(byte[] one, byte[] other) {
            int place = Arrays.mismatch(one, other);
            return place < 0 ? one.length : place;
        }
    }

    static final class HaltedException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** The operations of a disk, and of the one beside it. */
    private static final class Steps {
        private int operations;
        private int halt = Integer.MAX_VALUE;
        private boolean isFull;
    }

    MemoryDisk() {
        this(new Steps());
    }

    private MemoryDisk(Steps steps) {
        this.steps = steps;
    }

    /** A copy in which everything is durable. */
    MemoryDisk(MemoryDisk other) {
        this();
        other.names.forEach((name, content) -> put(name, content.now));
        if (other.beside != null) {
            other.beside.names.forEach((name, content) -> beside().put(name, content.now));
        }
    }

    /** {@return the disk of the key: it is halted and cut together with this one} */
    MemoryDisk beside() {
        if (beside == null) {
            beside = new MemoryDisk(steps);
        }
        return beside;
    }

    KeptHead kept() {
        return new KeptHead(beside(), "orders.key.head");
    }

    void put(String name, byte[] bytes) {
        Content content = new Content();
        content.now = bytes;
        content.durable = bytes;
        names.put(name, content);
        durableNames.put(name, content);
    }

    /** Halts before this operation, counted from now; a write is done in half. */
    void haltAt(int operation) {
        steps.operations = 0;
        steps.halt = operation;
    }

    void fill(boolean choice) {
        steps.isFull = choice;
    }

    int operations() {
        return steps.operations;
    }

    Set<String> names() {
        return names.keySet();
    }

    /** {@return the disk after the power was cut, and all was lost that was not synced} */
    MemoryDisk cut() {
        MemoryDisk after = new MemoryDisk();
        cut(after);
        beside().cut(after.beside());
        return after;
    }

    private void cut(MemoryDisk after) {
        durableNames.forEach(
                (name, content) -> after.put(name, content.durable == null ? new byte[0] : content.durable));
    }

    /** {@return the disk after the power was cut, and some of that was lost} */
    MemoryDisk cut(Random random) {
        MemoryDisk after = new MemoryDisk();
        cut(after, random);
        beside().cut(after.beside(), random);
        return after;
    }

    private void cut(MemoryDisk after, Random random) {
        Map<String, Content> state = new TreeMap<>(durableNames);
        Set<String> renamed = new LinkedHashSet<>();
        for (Rename each : renames) {
            renamed.addAll(List.of(each.from(), each.to()));
        }
        for (String name : union()) {
            if (!renamed.contains(name) && names.get(name) != durableNames.get(name) && random.nextBoolean()) {
                set(state, name, names.get(name));
            }
        }
        // Also the name of a file that was not durable under the first one.
        for (Rename each : renames) {
            if (random.nextBoolean()) {
                state.remove(each.from());
                state.put(each.to(), each.content());
            }
        }
        state.forEach((name, content) -> after.put(name, content.lost(random)));
    }

    private Set<String> union() {
        Set<String> all = new LinkedHashSet<>(names.keySet());
        all.addAll(durableNames.keySet());
        return all;
    }

    private static void set(Map<String, Content> map, String name, Content content) {
        if (content == null) {
            map.remove(name);
        } else {
            map.put(name, content);
        }
    }

    private void step() throws IOException {
        if (steps.operations++ >= steps.halt) {
            throw new HaltedException();
        }
    }

    private Content find(String name) throws IOException {
        Content content = names.get(name);
        if (content == null) {
            throw new NoSuchFileException(name);
        }
        return content;
    }

    @Override
    public byte[] read(String name) throws IOException {
        return find(name).now.clone();
    }

    @Override
    public byte[] read(String name, long offset, int length) throws IOException {
        byte[] now = find(name).now;
        return Arrays.copyOfRange(now, (int) offset, (int) Math.min(now.length, offset + length));
    }

    @Override
    public String stamp(String name) {
        return names.containsKey(name)
                ? Arrays.toString(Sha256.of(names.get(name).now, 0, names.get(name).now.length))
                : "";
    }

    @Override
    public long length(String name) {
        return names.containsKey(name) ? names.get(name).now.length : -1;
    }

    @Override
    public List<String> list(String folder) {
        String prefix = folder.isEmpty() || folder.endsWith("/") ? folder : folder + "/";
        Set<String> found = new LinkedHashSet<>();
        for (String name : names.keySet()) {
            if (name.startsWith(prefix)) {
                String rest = name.substring(prefix.length());
                int slash = rest.indexOf('/');
                found.add(slash < 0 ? rest : rest.substring(0, slash + 1));
            }
        }
        return List.copyOf(found);
    }

    @Override
    public void write(String name, byte[] bytes) throws IOException {
        append(name, 0, bytes, bytes.length);
    }

    @Override
    public void append(String name, long offset, byte[] bytes, int length) throws IOException {
        if (steps.isFull) {
            throw new IOException("No space left on device");
        }
        boolean isHalted = steps.operations++ >= steps.halt;
        Content content = names.computeIfAbsent(name, none -> new Content());
        if (content.now.length < offset) {
            throw new IOException("a hole in " + name);
        }
        int written = isHalted ? length / 2 : length;
        byte[] next = Arrays.copyOf(content.now, (int) offset + written);
        System.arraycopy(bytes, 0, next, (int) offset, written);
        content.now = next;
        if (isHalted) {
            throw new HaltedException();
        }
    }

    @Override
    public void sync(Collection<String> synced) throws IOException {
        step();
        for (String name : synced) {
            if (!name.endsWith("/")) {
                Content content = find(name);
                content.durable = content.now;
                durableNames.put(name, content);
            }
            String folder = name.substring(0, name.lastIndexOf('/') + 1);
            for (String each : union()) {
                if (each.substring(0, each.lastIndexOf('/') + 1).equals(folder)) {
                    set(durableNames, each, names.get(each));
                }
            }
            renames.removeIf(each ->
                    each.to().substring(0, each.to().lastIndexOf('/') + 1).equals(folder));
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        step();
        names.put(to, find(from));
        names.remove(from);
        renames.add(new Rename(from, to, names.get(to)));
        if (to.equals(Tiles.CHECKPOINT)) {
            seenHeads.add(new String(find(to).now));
        }
    }

    @Override
    public void delete(String name) throws IOException {
        if (names.containsKey(name)) {
            step();
            names.remove(name);
        }
    }
}
