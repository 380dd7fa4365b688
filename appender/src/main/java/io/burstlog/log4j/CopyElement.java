// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.log4j.InnerElement.Attribute;
import io.burstlog.log4j.InnerElement.Form;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The elements in {@code <Burst>} that keep the copy of its ring. */
enum CopyElement implements InnerElement.Kind {

    /** Copies to bookies. */
    BOOKKEEPER(Form.withProperties("BookKeeper", "burstlog-bookkeeper or bookkeeper-server", List.of())),

    /** Copies to a topic. */
    KAFKA(Form.withProperties(
            "KafkaCopy",
            "burstlog-kafka or kafka-clients",
            List.of(Attribute.required("topic", "a topic that is there, with one partition"))));

    private final Form form;

    CopyElement(final Form form) {
        this.form = form;
    }

    /** Names all of them, for a sentence. */
    static String names() {
        return Arrays.stream(values()).map(each -> "<" + each + ">").collect(Collectors.joining(" or "));
    }

    @Override
    public Form form() {
        return form;
    }

    /** Returns the name of the element. */
    @Override
    public String toString() {
        return form.name();
    }
}
