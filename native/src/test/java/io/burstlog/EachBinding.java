// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** All tests of a class run once for each binding, which its constructor takes. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass(name = "binding {0}")
@EnumSource(value = Binding.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
@interface EachBinding {}
