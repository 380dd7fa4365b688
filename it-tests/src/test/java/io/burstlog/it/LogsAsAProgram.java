// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import io.burstlog.log4j.BurstAppender;
import io.burstlog.migrate.Migrate;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationFactory;
import org.apache.logging.log4j.core.config.plugins.util.PluginManager;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;

/**
 * Migrates a configuration, loads it, and lets each Burst appender log, roll and log again. Prints the name and the
 * layout of each, and the class of each other appender. Exits with the migration program's code.
 */
final class LogsAsAProgram {
    private LogsAsAProgram() {}

    /** @param arguments the configuration; then, where there are plugins that no jar lists, their package */
    @SuppressWarnings("deprecation") // Elasticsearch makes its plugins known in this way.
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        int code = Migrate.run(
                System.err, "--write", "--set", "ringSize=4 MB", "--set", "compressDelay=0", file.toString());
        if (arguments.length > 1) {
            PluginManager.addPackage(arguments[1]);
            nameNode(arguments[1]);
        }
        LoggerContext context = new LoggerContext("program");
        context.start(ConfigurationFactory.getInstance().getConfiguration(context, "program", file.toUri()));
        Map<String, Appender> appenders =
                new TreeMap<>(context.getConfiguration().getAppenders());
        for (Appender appender : appenders.values()) {
            if (appender instanceof BurstAppender burst) {
                log(burst, "before");
                burst.getManager().rollover();
                log(burst, "after");
                System.out.println("Burst " + burst.getName() + " "
                        + burst.getLayout().getClass().getName());
            } else {
                System.out.println("other " + appender.getName() + " "
                        + appender.getClass().getName());
            }
        }
        context.stop();
        System.exit(code);
    }

    /** A node of a search engine does this before it logs; a converter of its layouts needs it. */
    private static void nameNode(String folder) throws ReflectiveOperationException {
        Method setter = Arrays.stream(
                        Class.forName(folder + ".NodeNamePatternConverter").getDeclaredMethods())
                .filter(method -> method.getName().equals("setNodeName"))
                .findFirst()
                .orElseThrow();
        setter.setAccessible(true);
        setter.invoke(null, "node-1");
    }

    private static void log(BurstAppender burst, String when) {
        burst.append(Log4jLogEvent.newBuilder()
                .setLoggerName("any")
                .setLevel(Level.WARN)
                .setMessage(new SimpleMessage("of " + burst.getName() + " " + when))
                .setTimeMillis(System.currentTimeMillis())
                .build());
    }
}
