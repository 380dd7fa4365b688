// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.jmx.Registration;
import java.util.function.Consumer;
import javax.management.ObjectName;

/** Shows a shipper to management clients. */
final class ShipperManagement implements ShipperMXBean {

    private final KafkaShipper shipper;

    private ShipperManagement(KafkaShipper shipper) {
        this.shipper = shipper;
    }

    /** {@return the registration, which is to be closed} */
    static Registration show(KafkaShipper shipper, ShipperConfig config, Consumer<String> notShown) {
        return Registration.ofBean(
                new ShipperManagement(shipper),
                "type=Shipper,folder=" + ObjectName.quote(config.folder()) + ",topic="
                        + ObjectName.quote(config.topic()) + ",consumer=" + ObjectName.quote(config.consumer()),
                notShown);
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
    public boolean isEnded() {
        return shipper.failure() != null;
    }

    @Override
    public String getFailure() {
        return shipper.failure();
    }
}
