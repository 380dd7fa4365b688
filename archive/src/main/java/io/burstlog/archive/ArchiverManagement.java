// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstEvent;
import io.burstlog.archive.ArchiverStats.AnchorStats;
import io.burstlog.jmx.Registration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.management.ObjectName;

/** Shows an archiver and its anchors to management clients. */
final class ArchiverManagement implements ArchiverMXBean {

    private final Archiver archiver;

    private ArchiverManagement(Archiver archiver) {
        this.archiver = archiver;
    }

    /** {@return the registrations, each of which is to be closed} */
    static List<Registration> show(Archiver archiver, ArchiverConfig config) {
        String key = ",folder=" + ObjectName.quote(config.folder()) + ",archive="
                + ObjectName.quote(config.archive().toString());
        Consumer<String> notShown =
                sentence -> config.listener().accept(new BurstEvent(BurstEvent.Severity.WARN, Instant.now(), sentence));
        List<Registration> shown = new ArrayList<>();
        shown.add(Registration.ofBean(new ArchiverManagement(archiver), "type=Archiver" + key, notShown));
        List<Anchor> anchors = config.anchors();
        for (int i = 0; i < anchors.size(); i++) {
            int place = i;
            shown.add(Registration.ofBean(
                    new OfAnchor(() -> archiver.stats().anchors().get(place)),
                    "type=Anchor" + key + ",name="
                            + ObjectName.quote(anchors.get(i).name()),
                    notShown));
        }
        return shown;
    }

    private record OfAnchor(Supplier<AnchorStats> stats) implements AnchorMXBean {

        @Override
        public long getLeaves() {
            return stats.get().leaves();
        }

        @Override
        public long getFailures() {
            return stats.get().failures();
        }

        @Override
        public boolean isFailing() {
            return getFailure() != null;
        }

        @Override
        public String getFailure() {
            return stats.get().failure();
        }
    }

    @Override
    public long getLeaves() {
        return archiver.stats().leaves();
    }

    @Override
    public long getSequence() {
        return archiver.stats().sequence();
    }

    @Override
    public double getHeadSeconds() {
        return archiver.stats().headMillis() / 1e3;
    }

    @Override
    public long getRecords() {
        return archiver.stats().records();
    }

    @Override
    public long getBytes() {
        return archiver.stats().bytes();
    }

    @Override
    public long getFailures() {
        return archiver.stats().failures();
    }

    @Override
    public long getLagRecords() {
        return archiver.stats().lagRecords();
    }

    @Override
    public long getLagBytes() {
        return archiver.stats().lagBytes();
    }

    @Override
    public double getLagSeconds() {
        return archiver.stats().lagSeconds();
    }

    @Override
    public String getFailure() {
        return archiver.failure();
    }
}
