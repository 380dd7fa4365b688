// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import com.github.luben.zstd.ZstdCompressCtx;
import io.burstlog.BurstException;
import io.burstlog.ShipperProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Makes an archiver from the element {@code <Archive>} of a configuration. {@link java.util.ServiceLoader} finds it.
 */
public final class ArchiveProvider implements ShipperProvider {

    /** Called by {@link java.util.ServiceLoader}. */
    public ArchiveProvider() {}

    @Override
    public String element() {
        return "Archive";
    }

    @Override
    public void check(Request request) {
        new ZstdCompressCtx().close(); // else its absence would be met by the archiver
        try {
            config(request);
        } catch (IOException unreadable) {
            // A file that is not there yet is told by the start, which is tried again.
        }
    }

    @Override
    public Shipper start(Request request) {
        Archiver archiver;
        try {
            archiver = Archiver.start(config(request), request.isManaged());
        } catch (IOException unreadable) {
            throw new BurstException(BurstException.Code.OTHER, unreadable.getMessage());
        }
        return new Shipper() {
            @Override
            public boolean hasEnded() {
                return archiver.failure() != null;
            }

            @Override
            public void close(Duration limit) {
                if (limit.isZero()) {
                    archiver.close();
                } else {
                    archiver.close(limit);
                }
            }
        };
    }

    static ArchiverConfig config(Request request) throws IOException {
        ArchiverConfig.Builder config =
                ArchiverConfig.builder().folder(request.folder()).listener(request.listener());
        request.settings().forEach((name, value) -> set(config, name, value));
        for (Map.Entry<String, Map<String, String>> each : new TreeMap<>(request.inner()).entrySet()) {
            config.anchor(anchor(each.getKey(), each.getValue()));
        }
        return config.build();
    }

    private static void set(ArchiverConfig.Builder config, String name, String value) {
        switch (name) {
            case "archive" -> config.archive(value);
            case "key" -> config.key(value);
            case "head" -> config.head(value);
            case "consumer" -> config.consumer(value);
            case "interval" -> config.interval(Duration.parse(value));
            case "sealedEvery" -> config.sealedEvery(Long.parseLong(value));
            case "sealedWithin" -> config.sealedWithin(Duration.parse(value));
            case "keepFor" -> config.keepFor(Duration.parse(value));
            case "keepBytes" -> config.keepBytes(Long.parseLong(value));
            default -> throw new IllegalArgumentException(name);
        }
    }

    private static Anchor anchor(String name, Map<String, String> attributes) throws IOException {
        List<AnchorKind> kinds = Arrays.stream(AnchorKind.values())
                .filter(each -> attributes.containsKey(each.toString()))
                .toList();
        if (kinds.size() != 1) {
            throw refused(name, "give it one of the attributes authority, witness, kafka and file");
        }
        AnchorKind kind = kinds.get(0);
        TreeSet<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        known.add(kind.toString());
        if (kind.second != null) {
            known.add(kind.second);
        }
        List<String> wrong = new ArrayList<>();
        known.stream()
                .filter(each -> attributes.getOrDefault(each, "").isBlank())
                .forEach(each -> wrong.add("set the attribute " + each));
        attributes.keySet().stream()
                .filter(each -> !known.contains(each))
                .forEach(each -> wrong.add("the attribute " + each + " is unknown here: correct or remove it"));
        if (!wrong.isEmpty()) {
            throw refused(name, String.join("; ", wrong));
        }
        try {
            return kind.make(
                    name,
                    attributes.get(kind.toString()).strip(),
                    kind.second == null ? null : attributes.get(kind.second).strip());
        } catch (IllegalArgumentException wrongValue) {
            throw refused(name, wrongValue.getMessage());
        }
    }

    private static BurstException refused(String anchor, String what) {
        return new BurstException(
                BurstException.Code.INVALID_ARGUMENT,
                "the anchor " + anchor + " cannot be used: " + what + (what.endsWith(".") ? "" : "."));
    }
}
