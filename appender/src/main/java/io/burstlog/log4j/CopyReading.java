// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import io.burstlog.copy.BurstCopier;
import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopyProvider;
import io.burstlog.doors.CopyTerms;
import io.burstlog.doors.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;

/** Reads the settings of the copy of a ring. */
final class CopyReading {

    private static final CopyPlace MEMORY_OF_TWO = CopyPlace.parse("memory of 2");
    private static final long DEFAULT_BLOCK_BYTES = 1 << 20;

    private CopyReading() {}

    /**
     * Reads the element that keeps the copy. A value that cannot be used becomes a complaint of the reader.
     *
     * @param reader the attributes of {@code <Burst>}
     * @param away how calls end while the copy is away; null if that is not said
     * @param elements those in it that keep a copy
     * @return null if there is none
     */
    static CopyTerms read(
            final Settings reader, final BurstCopier.Away away, final List<InnerElement<CopyElement>> elements) {
        if (elements.isEmpty()) {
            if (away != null) {
                reader.complain("copyAway says nothing without an element that keeps the copy: move it to the element"
                        + " <Burst> that has " + CopyElement.names() + ", or remove it");
            }
            return null;
        }
        if (elements.size() > 1) {
            reader.complain("there are " + elements.size() + " elements that keep a copy, and a ring has one: remove <"
                    + elements.get(1).kind() + ">");
        }
        return read(elements.get(0), reader, Settings.orDefault(away, BurstCopier.Away.WAIT));
    }

    private static CopyTerms read(
            final InnerElement<CopyElement> element, final Settings around, final BurstCopier.Away away) {
        final Settings reader = element.reader();
        final CopyPlace atLeast = reader.value(
                "atLeast", CopyReading::place, "use \"memory of 2\", \"disk of 2\", or another number of copies");
        final Long blockBytes = reader.size("blockSize");
        final Map<String, String> settings = element.settings(reader);
        final Map<String, String> properties = new HashMap<>();
        element.inner().forEach((name, attributes) -> properties.put(name, attributes.getOrDefault("value", "")));
        final CopyTerms terms = new CopyTerms(
                element.kind().toString(),
                Map.copyOf(settings),
                Map.copyOf(properties),
                Settings.orDefault(atLeast, MEMORY_OF_TWO),
                (int) Math.min(Settings.orDefault(blockBytes, DEFAULT_BLOCK_BYTES), Integer.MAX_VALUE),
                away);
        if (reader.complaints() == null) {
            check(element, terms, reader);
        }
        element.complain(reader, around);
        return terms;
    }

    private static CopyPlace place(final String text) {
        try {
            return CopyPlace.parse(text);
        } catch (final BurstException notOne) {
            return null;
        }
    }

    private static void check(final InnerElement<CopyElement> element, final CopyTerms terms, final Settings reader) {
        try {
            final CopyProvider provider = terms.provider();
            if (provider == null) {
                element.complainAboutClassPath(reader, "");
            } else {
                provider.check(terms.request("", ""));
                terms.settings(() -> null, event -> {});
            }
        } catch (final BurstException refusal) {
            reader.complain(refusal.getMessage());
        } catch (final ServiceConfigurationError | LinkageError missing) {
            element.complainAboutClassPath(reader, " (" + missing + ")");
        }
    }
}
