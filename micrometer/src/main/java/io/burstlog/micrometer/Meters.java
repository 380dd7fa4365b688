// SPDX-License-Identifier: Apache-2.0
package io.burstlog.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The meters of one ring, or of one log file. */
final class Meters {

    private final MeterRegistry registry;
    private final Tags tags;
    private final List<Meter> registered = new ArrayList<>();

    Meters(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
    }

    MeterRegistry registry() {
        return registry;
    }

    Tags tags() {
        return tags;
    }

    /** A meter refers weakly to the object that it asks. So it asks an object that lives until the meter is removed. */
    void add(Meter meter) {
        registered.add(meter);
    }

    void counter(String name, String unit, String description, LongSupplier value) {
        counter(name, tags, unit, description, value);
    }

    void counter(String name, Tags tagsOfThis, String unit, String description, LongSupplier value) {
        add(FunctionCounter.builder(name, this, ignored -> orNothing(value::getAsLong))
                .tags(tagsOfThis)
                .baseUnit(unit)
                .description(description)
                .register(registry));
    }

    void gauge(String name, Tags tagsOfThis, String unit, String description, DoubleSupplier value) {
        add(Gauge.builder(name, this, ignored -> orNothing(value))
                .tags(tagsOfThis)
                .baseUnit(unit)
                .description(description)
                .register(registry));
    }

    void gauge(String name, String unit, String description, LongSupplier value) {
        gauge(name, tags, unit, description, value::getAsLong);
    }

    /** Adds one gauge for each state; one of them is 1, the others are 0. */
    <S extends Enum<S>> void state(String name, Class<S> states, String description, Supplier<S> now) {
        for (S state : states.getEnumConstants()) {
            Tags ofState = tags.and("state", state.name().toLowerCase(Locale.ROOT));
            gauge(name, ofState, null, description, () -> now.get() == state ? 1 : 0);
        }
    }

    /** Returns the value, or NaN if another thread has just closed the log. */
    static double orNothing(DoubleSupplier value) {
        try {
            return value.getAsDouble();
        } catch (RuntimeException notShownAnyMore) {
            return Double.NaN;
        }
    }

    void remove() {
        registered.forEach(registry::remove);
    }
}
