// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.util.function.UnaryOperator;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;

/** The application that a server deploys anew: each class loader has its own, with its own Log4j and Burstlog. */
public final class RedeployedApplication implements UnaryOperator<String> {

    /** Logs a line, or does what the argument asks. Returns what it was told. */
    @Override
    public String apply(String what) {
        try {
            switch (what) {
                case "stop" -> LogManager.shutdown();
                case "configure anew" -> ((LoggerContext) LogManager.getContext(false)).reconfigure();
                default -> LogManager.getLogger("orders").info(what);
            }
            return "done";
        } catch (RuntimeException refused) {
            return refused.getMessage();
        }
    }
}
