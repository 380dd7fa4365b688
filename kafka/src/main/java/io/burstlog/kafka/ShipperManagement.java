// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** Shows a shipper to management clients until it is closed. A shipper that cannot be shown ships all the same. */
final class ShipperManagement implements ShipperMXBean, AutoCloseable {

    private final KafkaShipper shipper;
    private ObjectName name;

    ShipperManagement(KafkaShipper shipper, String folder, String topic) {
        this.shipper = shipper;
        try {
            ObjectName wanted = new ObjectName("io.burstlog:type=Shipper,folder=" + ObjectName.quote(folder) + ",topic="
                    + ObjectName.quote(topic));
            ManagementFactory.getPlatformMBeanServer().registerMBean(this, wanted);
            name = wanted;
        } catch (JMException nameIsTaken) {
            name = null;
        }
    }

    @Override
    public ShipperStats.State getState() {
        return shipper.stats().state();
    }

    @Override
    public long getShippedNumber() {
        return shipper.stats().shippedNumber();
    }

    @Override
    public long getRecords() {
        return shipper.stats().records();
    }

    @Override
    public long getBytes() {
        return shipper.stats().bytes();
    }

    @Override
    public long getTransactions() {
        return shipper.stats().transactions();
    }

    @Override
    public long getFailures() {
        return shipper.stats().failures();
    }

    @Override
    public long getLagRecords() {
        return shipper.stats().lagRecords();
    }

    @Override
    public long getLagBytes() {
        return shipper.stats().lagBytes();
    }

    @Override
    public double getLagSeconds() {
        return shipper.stats().lagSeconds();
    }

    @Override
    public String getFailure() {
        return shipper.failure();
    }

    @Override
    public void close() {
        if (name != null) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            } catch (JMException alreadyOutOfSight) {
                // It is gone already.
            }
        }
    }
}
