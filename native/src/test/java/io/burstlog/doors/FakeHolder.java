// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** One that says what a test wants it to. */
final class FakeHolder implements Holder {

    final List<BurstEvent> heard = new CopyOnWriteArrayList<>();
    final List<String> told = new CopyOnWriteArrayList<>();
    private final Map<Holder, Relation> relations = new ConcurrentHashMap<>();
    private final String name;

    FakeHolder(String name) {
        this.name = name;
    }

    FakeHolder thatIs(Relation relation, Holder other) {
        relations.put(other, relation);
        return this;
    }

    List<String> warnings() {
        return heard.stream()
                .filter(event -> event.severity() != BurstEvent.Severity.INFO)
                .map(BurstEvent::text)
                .toList();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String place() {
        return name + " of " + name + ".xml";
    }

    @Override
    public Relation relationTo(Holder other) {
        return relations.getOrDefault(other, Relation.BESIDE);
    }

    /** As elements of one framework do. */
    @Override
    public boolean sharesFileWith(Holder other) {
        return relationTo(other) != Relation.BESIDE;
    }

    @Override
    public void tell(BurstEvent.Severity severity, String sentence) {
        told.add(severity + " " + sentence);
    }

    @Override
    public void hear(BurstEvent event) {
        heard.add(event);
    }
}
