// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import io.burstlog.BurstStats;
import io.burstlog.jmx.RingMXBean;
import java.lang.management.ManagementFactory;
import java.util.Set;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.stereotype.Component;

/** DOWN when the ring of the audit trail has failed or is not open. */
@Component
class AuditHealthIndicator implements HealthIndicator {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final ObjectName rings;

    AuditHealthIndicator() throws MalformedObjectNameException {
        rings = new ObjectName("io.burstlog:type=Ring,*");
    }

    // doc: health
    @Override
    public Health health() {
        Set<ObjectName> open = server.queryNames(rings, null);
        Health.Builder health = open.isEmpty() ? Health.down() : Health.up();
        for (ObjectName name : open) {
            RingMXBean ring = JMX.newMXBeanProxy(server, name, RingMXBean.class);
            // STALLED: records are durable in the ring, and wait there for the log file.
            BurstStats.State state = ring.getState();
            health.withDetail(ring.getRing(), state);
            if (state == BurstStats.State.FAILED || state == BurstStats.State.CLOSED) {
                health.down();
            }
        }
        return health.build();
    }
    // end
}
