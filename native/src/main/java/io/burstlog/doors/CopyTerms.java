// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.copy.BurstCopier;
import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopyProvider;
import io.burstlog.copy.CopySettings;
import io.burstlog.copy.CopyStore;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The settings of the copy of a ring.
 *
 * @param element the name of the element that keeps the copy, which names its provider
 * @param settings the values by the names in the provider's request
 * @param properties those of the engine's client; since passwords are among them, no sentence shows their values
 * @param atLeast a weaker copy is refused
 * @param blockBytes the most bytes of one block
 * @param away how calls end while the copy is away
 */
public record CopyTerms(
        String element,
        Map<String, String> settings,
        Map<String, String> properties,
        CopyPlace atLeast,
        int blockBytes,
        BurstCopier.Away away) {

    /**
     * Finds the provider of the copy's engine.
     *
     * @return null if it is not on the class path
     */
    public CopyProvider provider() {
        for (CopyProvider each : ServiceLoader.load(CopyProvider.class, CopyTerms.class.getClassLoader())) {
            if (each.element().equals(element)) {
                return each;
            }
        }
        return null;
    }

    /**
     * Returns the request to the provider.
     *
     * @param ringId the id of the ring, 32 hexadecimal digits; empty as long as no ring is open
     * @param ring the ring; empty as long as none is open
     */
    public CopyProvider.Request request(String ringId, String ring) {
        return new CopyProvider.Request(ringId, ring, settings, properties);
    }

    /**
     * Returns the settings of the copier.
     *
     * @param store makes the store
     * @param listener hears the copier's events
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: a sentence about a value
     */
    public CopySettings settings(Supplier<CopyStore> store, Consumer<BurstEvent> listener) {
        return CopySettings.builder()
                .store(store)
                .away(away)
                .atLeast(atLeast)
                .blockBytes(blockBytes)
                .listener(listener)
                .build();
    }

    /** Adds the values in which this copy of an open ring differs from that of a configuration, of the same element. */
    void differencesTo(CopyTerms wanted, Differences differences) {
        differences
                .add("copyAway", away, wanted.away)
                .add("atLeast of <" + element + ">", atLeast, wanted.atLeast)
                .add("blockSize of <" + element + ">", (long) blockBytes, (long) wanted.blockBytes);
        for (String name : names(settings, wanted.settings)) {
            differences.add(name + " of <" + element + ">", settings.get(name), wanted.settings.get(name));
        }
        for (String name : names(properties, wanted.properties)) {
            String open = properties.get(name);
            String other = wanted.properties.get(name);
            if (!Objects.equals(open, other)) {
                differences.add(
                        "the property " + name + " of <" + element + ">",
                        open == null ? null : "one value",
                        other == null ? null : "another");
            }
        }
    }

    private static TreeSet<String> names(Map<String, String> some, Map<String, String> others) {
        TreeSet<String> names = new TreeSet<>(some.keySet());
        names.addAll(others.keySet());
        return names;
    }
}
