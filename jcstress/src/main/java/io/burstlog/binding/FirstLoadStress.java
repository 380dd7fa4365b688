// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.burstlog.stress.FreshRing;
import io.burstlog.stress.OwnClasses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.BiFunction;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Two threads are the first in a class loader to need the native library. */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "Loaded once, and both can log.")
@Outcome(expect = FORBIDDEN, desc = "Loaded twice, or a call that is not bound yet.")
@State
public class FirstLoadStress {

    private final OwnClasses classes = new OwnClasses();
    private Object first;
    private Object second;

    private Object use(String name, String binding) {
        try {
            Class<?> type = classes.loadClass(FirstUse.class.getName());
            @SuppressWarnings("unchecked")
            BiFunction<String, String, Object> use =
                    (BiFunction<String, String, Object>) type.getConstructor().newInstance();
            return use.apply(FreshRing.path(name).toString(), binding);
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Actor
    public void one() {
        first = use("first", "JNI");
    }

    @Actor
    public void two() {
        second = use("second", "JNI");
    }

    @Arbiter
    public void judge(Z_Result r) {
        r.r1 = first != null && first == second;
        try {
            classes.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
