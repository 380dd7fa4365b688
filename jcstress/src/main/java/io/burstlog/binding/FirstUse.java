// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import io.burstlog.Binding;
import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import java.util.function.BiFunction;

/** An application's first steps: it opens a ring through the named binding, and appends. Returns the library. */
public final class FirstUse implements BiFunction<String, String, Object> {

    @Override
    public Object apply(String path, String binding) {
        BurstConfig config = BurstConfig.builder()
                .ring(path + ".ring")
                .fileName(path + ".log")
                .ringBytes(2 << 20)
                .durability(Durability.PROCESS)
                .binding(Binding.valueOf(binding))
                .build();
        try (BurstLog log = BurstLog.open(config)) {
            if (log.append(new byte[] {'\n'}) <= 0) {
                throw new AssertionError("no sequence");
            }
        }
        return EngineLibrary.load(null);
    }
}
