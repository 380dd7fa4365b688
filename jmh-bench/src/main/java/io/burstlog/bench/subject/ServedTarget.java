// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.bench.harness.Target;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A peer in a process of its own, which times itself. A single {@link #write} costs two transfers through a pipe more.
 */
final class ServedTarget implements Target {

    /** Acts on the peer from outside. */
    interface Action {
        void act() throws IOException;
    }

    private final String name;
    private final ServedProgram child;
    private final Action settles;
    private final Action kills;
    private final Action closes;

    /**
     * @param settles after the child has ended its work
     * @param kills before the child is killed: what it has beside itself
     * @param closes after the child has ended
     */
    ServedTarget(String name, ServedProgram child, Action settles, Action kills, Action closes) {
        this.name = name;
        this.child = child;
        this.settles = settles;
        this.kills = kills;
        this.closes = closes;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void write(int number) {
        try {
            child.ask("1", 1);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void run(int first, long[] nanos) throws IOException {
        if (nanos.length > 0) {
            System.arraycopy(child.ask(Integer.toString(nanos.length), nanos.length), 0, nanos, 0, nanos.length);
        }
    }

    @Override
    public void settle() throws IOException {
        child.drain();
        settles.act();
    }

    @Override
    public void kill() throws IOException {
        kills.act();
        child.kill();
    }

    @Override
    public void close() throws IOException {
        try {
            child.close();
        } finally {
            closes.act();
        }
    }
}
