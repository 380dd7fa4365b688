// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What {@link Installation#withStreams} is for Log4j: several log files on one ring, which end after a few lines. */
final class OtherConfigurations {
    private OtherConfigurations() {}

    static Installation rolled(Logging.Framework framework, String name, int streams) throws IOException {
        Path directory = Installation.emptyDirectory(name);
        StringBuilder text = new StringBuilder();
        for (int stream = 1; stream <= streams; stream++) {
            text.append(framework == Logging.Framework.LOGBACK ? logback(directory, stream) : jul(directory, stream));
        }
        boolean isXml = framework == Logging.Framework.LOGBACK;
        Path configuration = Files.writeString(
                directory.resolve(isXml ? "logback.xml" : "logging.properties"),
                isXml ? "<configuration>" + text + "</configuration>" : text);
        return new Installation(directory, ring(directory), Installation.fileOf(directory, 1), configuration);
    }

    private static Path ring(Path directory) {
        return directory.resolve("it.ring");
    }

    private static String logback(Path directory, int stream) {
        Path file = Installation.fileOf(directory, stream);
        return """
            <appender name="LOG%1$d" class="io.burstlog.logback.BurstAppender">
              <ring>%2$s</ring><ringSize>4 MB</ringSize><file>%3$s</file><shutdownTimeout>5 min</shutdownTimeout>
              <rollingPolicy class="ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy">
                <fileNamePattern>%4$s-%%d{yyyy-MM-dd}_%%i.log.gz</fileNamePattern><maxFileSize>40KB</maxFileSize>
              </rollingPolicy>
              <encoder><pattern>%%msg%%n</pattern></encoder>
            </appender>
            <logger name="stream.%1$d" additivity="false"><appender-ref ref="LOG%1$d"/></logger>
            """.formatted(stream, ring(directory), file, withoutEnding(file));
    }

    private static String jul(Path directory, int stream) {
        Path file = Installation.fileOf(directory, stream);
        return """
            stream.%1$d.handlers = %2$s
            stream.%1$d.useParentHandlers = false
            %2$s.ring = %3$s
            %2$s.ringSize = 4 MB
            %2$s.file = %4$s
            %2$s.shutdownTimeout = 5 min
            %2$s.formatter = io.burstlog.it.SecondHandler$MessageLine
            %2$s.rollPattern = %5$s-%%i.log
            %2$s.rollSize = 40 KB
            %2$s.compress = true
            """.formatted(
                        stream,
                        stream == 1 ? "io.burstlog.jul.BurstHandler" : "io.burstlog.it.SecondHandler",
                        ring(directory),
                        file,
                        withoutEnding(file));
    }

    private static String withoutEnding(Path file) {
        return file.toString().replaceAll("\\.log$", "");
    }
}
