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
import java.util.TreeMap;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Node;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.plugins.PluginBuilderAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.config.plugins.PluginVisitorStrategy;
import org.apache.logging.log4j.core.config.plugins.visitors.AbstractPluginVisitor;

/**
 * What stands in the element of a builder and belongs to none of its other fields. It is taken out of the element,
 * because Log4j would report it in lines of its own beside the one that names everything that is wrong.
 *
 * <p>Log4j makes an object of this class for each element and calls it; nobody else has a use for it. Not thread-safe.
 */
public final class ElementParts extends AbstractPluginVisitor<ElementParts.Taken> {

    /** Marks the field that is given the parts. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.FIELD)
    @PluginVisitorStrategy(ElementParts.class)
    @interface Taken {}

    private final Map<String, String> attributes = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final List<String> elements = new ArrayList<>();
    private final List<String> unbuilt = new ArrayList<>();
    private final List<ShipperSettings.Element> shippers = new ArrayList<>();

    /** For Log4j. */
    public ElementParts() {
        super(Taken.class);
    }

    /** The attributes that no field takes, in the order of the alphabet, with what their lookups found. */
    Map<String, String> attributes() {
        return attributes;
    }

    /** Names of the elements that no field takes. */
    List<String> elements() {
        return elements;
    }

    /** Names of the elements that Log4j knows and could not make anything of. */
    List<String> unbuilt() {
        return unbuilt;
    }

    /** What stands in the elements that ask for a shipper. */
    List<ShipperSettings.Element> shippers() {
        return shippers;
    }

    /** Log4j has built nothing in the element yet ({@code deferChildren}): what has no place there is never built. */
    @Override
    public Object visit(
            final Configuration configuration, final Node node, final LogEvent event, final StringBuilder log) {
        final List<Field> fields = fieldsOf(((Field) member).getDeclaringClass());
        node.getAttributes()
                .entrySet()
                .removeIf(attribute -> !isTaken(fields, attribute.getKey()) && take(attribute, event));
        node.getChildren().removeIf(child -> isShipper(child) && shippers.add(shipper(child, event)));
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

    /** By its name, under which Log4j has an appender of its own. */
    private static boolean isShipper(final Node element) {
        return element.getName().equalsIgnoreCase(ShipperSettings.ELEMENT)
                || element.getType().getKey().equalsIgnoreCase(ShipperSettings.ELEMENT);
    }

    private ShipperSettings.Element shipper(final Node element, final LogEvent event) {
        final ShipperSettings.Element read = new ShipperSettings.Element();
        element.getAttributes()
                .forEach((name, value) -> read.attributes().put(name, substitutor.replace(event, value)));
        for (final Node child : element.getChildren()) {
            final Map<String, String> of = child.getAttributes();
            if (child.getType().getPluginClass() == Property.class && of.get("name") != null) {
                final String text = child.getValue();
                final String value = text != null && !text.isEmpty() ? text : of.getOrDefault("value", "");
                read.properties().put(of.get("name"), substitutor.replace(event, value));
            } else {
                read.unknown().add(child.getName());
            }
        }
        return read;
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

    /** As Log4j does: by the kind that a plugin has declared, or by its class, which may be that of a mere factory. */
    private static boolean isTaken(final List<Field> fields, final Node element) {
        return fields.stream().anyMatch(field -> isTaken(field, element));
    }

    private static boolean isTaken(final Field field, final Node element) {
        final PluginElement mark = field.getAnnotation(PluginElement.class);
        return mark != null
                && (mark.value().equalsIgnoreCase(element.getType().getElementName())
                        || typeOf(field).isAssignableFrom(element.getType().getPluginClass()));
    }

    /** Whether the object that was built can be put where Log4j would: it tries that unasked. */
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
