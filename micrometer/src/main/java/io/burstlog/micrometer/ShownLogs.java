// SPDX-License-Identifier: Apache-2.0
package io.burstlog.micrometer;

import io.burstlog.jmx.RingMXBean;
import io.burstlog.jmx.StreamMXBean;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerNotification;
import javax.management.Notification;
import javax.management.NotificationListener;
import javax.management.ObjectName;

/** Keeps the meters of one registry equal to the rings and log files that management clients see. */
final class ShownLogs implements NotificationListener {

    private final MBeanServer server;
    private final MeterRegistry registry;
    private final Tags tags;

    /** Empty after the end. */
    private final Map<ObjectName, Meters> meters = new HashMap<>();

    private boolean hasEnded;

    private ShownLogs(MBeanServer server, MeterRegistry registry, Tags tags) {
        this.server = server;
        this.registry = registry;
        this.tags = tags;
    }

    static ShownLogs listen(MBeanServer server, MeterRegistry registry, Tags tags) {
        ShownLogs logs = new ShownLogs(server, registry, tags);
        try {
            // Listen first, then look: a ring that appears in between is found twice, and not missed.
            server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, logs, null, null);
            server.queryNames(new ObjectName("io.burstlog:*"), null).forEach(logs::add);
        } catch (JMException impossible) {
            throw new AssertionError(impossible);
        }
        return logs;
    }

    @Override
    public void handleNotification(Notification notification, Object handback) {
        if (notification instanceof MBeanServerNotification change
                && change.getMBeanName().getDomain().equals("io.burstlog")) {
            if (change.getType().equals(MBeanServerNotification.REGISTRATION_NOTIFICATION)) {
                add(change.getMBeanName());
            } else {
                remove(change.getMBeanName());
            }
        }
    }

    private synchronized void add(ObjectName name) {
        if (!hasEnded) {
            meters.computeIfAbsent(name, this::metersOf);
        }
    }

    private Meters metersOf(ObjectName name) {
        String type = name.getKeyProperty("type");
        if ("Ring".equals(type)) {
            Tags ofRing = tags.and("ring", ObjectName.unquote(name.getKeyProperty("name")));
            return RingMeters.of(registry, ofRing, JMX.newMXBeanProxy(server, name, RingMXBean.class));
        }
        if ("Stream".equals(type)) {
            Tags ofFile = tags.and("ring", ObjectName.unquote(name.getKeyProperty("ring")))
                    .and("file", ObjectName.unquote(name.getKeyProperty("file")));
            return StreamMeters.of(registry, ofFile, JMX.newMXBeanProxy(server, name, StreamMXBean.class));
        }
        return ConsumerMeters.of(registry, tags, server, name);
    }

    private synchronized void remove(ObjectName name) {
        Meters gone = meters.remove(name);
        if (gone != null) {
            gone.remove();
        }
    }

    void end() {
        try {
            server.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, this);
        } catch (JMException alreadyRemoved) {
            // It is gone already.
        }
        synchronized (this) {
            hasEnded = true;
            meters.values().forEach(Meters::remove);
            meters.clear();
        }
    }
}
