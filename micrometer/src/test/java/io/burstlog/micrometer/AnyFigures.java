// SPDX-License-Identifier: Apache-2.0
package io.burstlog.micrometer;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.DynamicMBean;
import javax.management.MBeanInfo;

/** Stands for a bean of another jar: each figure that it is asked for is 42. */
final class AnyFigures implements DynamicMBean {

    /** The names of the figures that it was asked for. */
    final Set<String> asked = new ConcurrentSkipListSet<>();

    @Override
    public Object getAttribute(String name) {
        asked.add(name);
        return 42L;
    }

    @Override
    public AttributeList getAttributes(String[] names) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setAttribute(Attribute attribute) {
        throw new UnsupportedOperationException();
    }

    @Override
    public AttributeList setAttributes(AttributeList attributes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Object invoke(String action, Object[] arguments, String[] signature) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        return new MBeanInfo(AnyFigures.class.getName(), null, null, null, null, null);
    }
}
