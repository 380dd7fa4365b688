// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.encoder.EchoEncoder;
import ch.qos.logback.core.encoder.Encoder;
import io.burstlog.bench.harness.Target;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Logback's FileAppender, whose event is the message. The logger before it is left out: it needs SLF4J 2, and
 * QuickFIX/J in the same jar SLF4J 1.7.
 */
final class LogbackTarget implements Target {

    private final String name;
    private final Path file;
    private final FileAppender<String> appender = new FileAppender<>();
    private final String message;

    LogbackTarget(String name, Path file, boolean immediateFlush, int bytes) {
        this.name = name;
        this.file = file;
        message = Message.text(bytes);
        ContextBase context = new ContextBase();
        Encoder<String> lines = new EchoEncoder<>();
        lines.setContext(context);
        lines.start();
        appender.setContext(context);
        appender.setName(name);
        appender.setFile(file.toString());
        appender.setImmediateFlush(immediateFlush);
        appender.setEncoder(lines);
        appender.start();
        if (!appender.isStarted()) {
            throw new IllegalStateException("Logback did not start its appender of " + file + ": "
                    + context.getStatusManager().getCopyOfStatusList());
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void write(int number) {
        appender.doAppend(message);
    }

    /** An appender may be used by any thread. */
    @Override
    public Target forAnotherThread() {
        return new Target() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public void write(int number) {
                appender.doAppend(message);
            }

            @Override
            public void settle() throws IOException {
                LogbackTarget.this.settle();
            }
        };
    }

    /** Events in its buffer stay there: that is how it always runs. */
    @Override
    public void settle() throws IOException {
        LogFiles.sync(file);
    }

    @Override
    public void close() {
        appender.stop();
    }
}
