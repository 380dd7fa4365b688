// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Counterparts of {@link Installation#withStreams} for other frameworks: several log files on one ring, which end after
 * a few lines.
 */
final class OtherConfigurations {
    private OtherConfigurations() {}

    static Installation rolled(Logging.Framework framework, String name, int streams) throws IOException {
        Path directory = Installation.emptyDirectory(name);
        boolean isXml = framework == Logging.Framework.SPRING_BOOT;
        StringBuilder text = new StringBuilder();
        for (int stream = 1; stream <= streams; stream++) {
            text.append(isXml ? logback("${directory}", stream) : jul(directory.toString(), stream));
        }
        Path configuration = Files.writeString(
                directory.resolve(isXml ? "logback-spring.xml" : "logging.properties"),
                isXml
                        ? "<configuration><springProperty name=\"directory\" source=\"it.directory\"/>" + text
                                + "</configuration>"
                        : text);
        return new Installation(
                directory, directory.resolve("it.ring"), Installation.fileOf(directory, 1), configuration);
    }

    private static String logback(String folder, int stream) {
        return """
            <appender name="LOG%1$d" class="io.burstlog.logback.BurstAppender">
              <ring>%2$s/it.ring</ring><ringSize>4 MB</ringSize><file>%2$s/%3$s.log</file>
              <shutdownTimeout>5 min</shutdownTimeout>
              <rollingPolicy class="ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy">
                <fileNamePattern>%2$s/%3$s-%%d{yyyy-MM-dd}_%%i.log.gz</fileNamePattern><maxFileSize>16KB</maxFileSize>
              </rollingPolicy>
              <encoder><pattern>%%msg%%n</pattern></encoder>
            </appender>
            <logger name="stream.%1$d" additivity="false"><appender-ref ref="LOG%1$d"/></logger>
            """.formatted(stream, folder, nameOf(stream));
    }

    private static String jul(String folder, int stream) {
        return """
            stream.%1$d.handlers = %4$s
            stream.%1$d.useParentHandlers = false
            %4$s.ring = %2$s/it.ring
            %4$s.ringSize = 4 MB
            %4$s.file = %2$s/%3$s.log
            %4$s.shutdownTimeout = 5 min
            %4$s.formatter = io.burstlog.it.SecondHandler$MessageLine
            %4$s.rollPattern = %2$s/%3$s-%%i.log
            %4$s.rollSize = 16 KB
            %4$s.compress = true
            """.formatted(
                        stream,
                        folder,
                        nameOf(stream),
                        stream == 1 ? "io.burstlog.jul.BurstHandler" : "io.burstlog.it.SecondHandler");
    }

    private static String nameOf(int stream) {
        return Installation.nameOf(stream).replace(".log", "");
    }
}
