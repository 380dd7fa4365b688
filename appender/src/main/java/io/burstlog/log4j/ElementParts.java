// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Node;
import org.apache.logging.log4j.core.config.plugins.PluginBuilderAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.config.plugins.PluginVisitorStrategy;
import org.apache.logging.log4j.core.config.plugins.visitors.AbstractPluginVisitor;

/**
 * The attributes and elements inside the element of a builder that belong to none of the builder's other fields. This
 * class takes them out of the element, because Log4j would report them in lines of its own, beside the one line that
 * names everything that is wrong.
 *
 * <p>Only Log4j uses this class: it makes an object for each element, and calls it. Not thread-safe.
 */
public final class ElementParts extends AbstractPluginVisitor<ElementParts.Taken> {

    /** Marks the field that gets the parts. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.FIELD)
    @PluginVisitorStrategy(ElementParts.class)
    @interface Taken {}

    private final Map<String, String> attributes = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final List<String> elements = new ArrayList<>();
    private final List<String> unbuilt = new ArrayList<>();
    private final List<InnerElement<ShipperElement>> shippers = new ArrayList<>();
    private final List<InnerElement<CopyElement>> copies = new ArrayList<>();

    /** Only Log4j calls this. */
    public ElementParts() {
        super(Taken.class);
    }

    /** Returns the attributes that no field takes, in the order of the alphabet, with their lookups resolved. */
    Map<String, String> attributes() {
        return attributes;
    }

    /** Returns the names of the elements that no field takes. */
    List<String> elements() {
        return elements;
    }

    /** Returns the names of the elements that Log4j knows and could not build. */
    List<String> unbuilt() {
        return unbuilt;
    }

    /** Returns the elements that ask for a shipper. */
    List<InnerElement<ShipperElement>> shippers() {
        return shippers;
    }

    /** Returns the elements that keep a copy of the ring. */
    List<InnerElement<CopyElement>> copies() {
        return copies;
    }

    /**
     * Takes the parts out of the element. Log4j has built no inner element yet ({@code deferChildren}), so it never
     * builds one that has no place there.
     */
    @Override
    public Object visit(
            final Configuration configuration, final Node node, final LogEvent event, final StringBuilder log) {
        final List<Field> fields = fieldsOf(((Field) member).getDeclaringClass());
        node.getAttributes()
                .entrySet()
                .removeIf(attribute -> !isTaken(fields, attribute.getKey()) && take(attribute, event));
        node.getChildren()
                .removeIf(child -> take(child, event, InnerElement.Kind.of(ShipperElement.values(), child), shippers));
        node.getChildren()
                .removeIf(child -> take(child, event, InnerElement.Kind.of(CopyElement.values(), child), copies));
        node.getChildren().removeIf(child -> !isTaken(fields, child) && elements.add(child.getName()));
        node.getChildren().forEach(child -> {
            configuration.createConfiguration(child, event);
            if (child.getObject() == null) {
                unbuilt.add(child.getName());
            }
        });
        node.getChildren()
                .removeIf(child -> child.getObject() != null && !fits(fields, child) && elements.add(child.getName()));
        return this;
    }

    /** @param kind null: the element is of another kind, and stays */
    private <K extends InnerElement.Kind> boolean take(
            final Node element, final LogEvent event, final K kind, final List<InnerElement<K>> taken) {
        if (kind == null) {
            return false;
        }
        final InnerElement<K> read = new InnerElement<>(kind);
        resolve(element, event, read.attributes());
        for (final Node child : element.getChildren()) {
            final SortedMap<String, String> attributes = InnerElement.insensitive();
            resolve(child, event, attributes);
            final String name = attributes.remove("name");
            if (name == null || !InnerElement.isNamed(child, kind.form().inner())) {
                read.unknown().add(child.getName());
            } else if (read.inner().put(name, attributes) != null) {
                read.twice().add(name);
            }
        }
        return taken.add(read);
    }

    private void resolve(final Node element, final LogEvent event, final SortedMap<String, String> attributes) {
        element.getAttributes().forEach((name, value) -> attributes.put(name, substitutor.replace(event, value)));
        if (element.getValue() != null && !element.getValue().isEmpty()) {
            attributes.put("value", substitutor.replace(event, element.getValue()));
        }
    }

    private boolean take(final Map.Entry<String, String> attribute, final LogEvent event) {
        return attributes.putIfAbsent(attribute.getKey(), substitutor.replace(event, attribute.getValue())) == null;
    }

    private static List<Field> fieldsOf(final Class<?> builder) {
        final List<Field> fields = new ArrayList<>();
        for (Class<?> type = builder; type != null; type = type.getSuperclass()) {
            fields.addAll(List.of(type.getDeclaredFields()));
        }
        return fields;
    }

    private static boolean isTaken(final List<Field> fields, final String attribute) {
        return fields.stream().anyMatch(field -> {
            final PluginBuilderAttribute mark = field.getAnnotation(PluginBuilderAttribute.class);
            return mark != null && attribute.equalsIgnoreCase(mark.value().isEmpty() ? field.getName() : mark.value());
        });
    }

    /**
     * Tells whether a field takes the element. Like Log4j this goes by the kind that a plugin has declared, or by its
     * class, which may be the class of a mere factory.
     */
    private static boolean isTaken(final List<Field> fields, final Node element) {
        return fields.stream().anyMatch(field -> isTaken(field, element));
    }

    private static boolean isTaken(final Field field, final Node element) {
        final PluginElement mark = field.getAnnotation(PluginElement.class);
        return mark != null
                && (mark.value().equalsIgnoreCase(element.getType().getElementName())
                        || typeOf(field).isAssignableFrom(element.getType().getPluginClass()));
    }

    /**
     * Tells whether the built object fits into the field that takes it. Log4j does not check that before it sets the
     * field.
     */
    private static boolean fits(final List<Field> fields, final Node element) {
        final Class<?> built = element.getObject().getClass();
        return fields.stream()
                .filter(field -> isTaken(field, element))
                .allMatch(field -> typeOf(field).isAssignableFrom(built.isArray() ? built.getComponentType() : built));
    }

    private static Class<?> typeOf(final Field field) {
        return field.getType().isArray() ? field.getType().getComponentType() : field.getType();
    }
}
