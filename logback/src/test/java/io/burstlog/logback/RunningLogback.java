// SPDX-License-Identifier: Apache-2.0
package io.burstlog.logback;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Logback with a configuration, until it is closed. */
record RunningLogback(LoggerContext context) implements AutoCloseable {

    static final String MESSAGE = "<encoder><pattern>%level %msg%n</pattern></encoder>";

    /** @param appenders elements; the root logger refers to each that is named in {@code names} */
    static RunningLogback with(String appenders, String... names) {
        StringBuilder references = new StringBuilder();
        for (String name : names) {
            references.append("<appender-ref ref=\"").append(name).append("\"/>");
        }
        return of("<configuration>" + appenders + "<root level=\"info\">" + references + "</root></configuration>");
    }

    static RunningLogback of(String configuration) {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        try {
            configurator.doConfigure(new ByteArrayInputStream(configuration.getBytes(StandardCharsets.UTF_8)));
        } catch (JoranException broken) {
            throw new AssertionError(broken);
        }
        return new RunningLogback(context);
    }

    /** An appender in that folder, with the ring and the file of that name. */
    static String burst(Path folder, String name, String content) {
        return """
            <appender name="%s" class="io.burstlog.logback.BurstAppender">
              <ring>%s</ring><ringSize>4 MB</ringSize><file>%s</file><shutdownTimeout>5 min</shutdownTimeout>%s
            </appender>
            """.formatted(name, folder.resolve("app.ring"), folder.resolve(name + ".log"), content);
    }

    Logger logger() {
        return context.getLogger("orders");
    }

    BurstAppender<?> appender(String name) {
        return (BurstAppender<?>) context.getLogger("ROOT").getAppender(name);
    }

    List<String> errors() {
        return context.getStatusManager().getCopyOfStatusList().stream()
                .filter(status -> status.getLevel() == Status.ERROR)
                .map(Status::getMessage)
                .toList();
    }

    List<String> warnings() {
        return context.getStatusManager().getCopyOfStatusList().stream()
                .filter(status -> status.getLevel() == Status.WARN)
                .map(Status::getMessage)
                .toList();
    }

    @Override
    public void close() {
        context.stop();
    }
}
