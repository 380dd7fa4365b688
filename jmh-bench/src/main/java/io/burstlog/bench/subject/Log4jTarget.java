// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.bench.harness.Target;
import io.burstlog.log4j.BurstAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.async.AsyncLoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.builder.api.AppenderComponentBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;
import org.apache.logging.log4j.core.jmx.RingBufferAdmin;
import org.apache.logging.log4j.status.StatusData;
import org.apache.logging.log4j.status.StatusListener;
import org.apache.logging.log4j.status.StatusLogger;

/** A log call to one appender, in a Log4j of its own. */
final class Log4jTarget implements Target {

    private static final String APPENDER = "Bench";
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long LOOK_MILLIS = 1;

    /** Waits until another thread has done its part. */
    private interface Rest {
        boolean isDone() throws IOException;
    }

    private final String name;
    private final LoggerContext context;
    private final Logger logger;
    private final String message;
    private final Path file;
    private final Rest rest;
    private final long bytesBefore;
    private final List<Producer> others = new ArrayList<>();
    private long written;

    private Log4jTarget(String name, LoggerContext context, Path file, int bytes, boolean drains) throws IOException {
        this.name = name;
        this.context = context;
        this.file = file;
        logger = context.getLogger("bench");
        message = Message.text(bytes);
        bytesBefore = Files.size(file);
        BurstAppender burst =
                context.getConfiguration().getAppender(APPENDER) instanceof BurstAppender ours ? ours : null;
        if (burst != null && burst.getManager() != null) {
            RollingFileManager manager = burst.getManager();
            rest = () -> LogFiles.length(file) == manager.getFileSize() && LogFiles.areCompressed(file);
        } else if (context instanceof AsyncLoggerContext async) {
            RingBufferAdmin queue = async.createRingBufferAdmin();
            rest = () -> queue.getRemainingCapacity() == queue.getBufferSize();
        } else if (drains) {
            rest = () -> Files.size(file) >= bytesBefore + writtenByAll() * bytes;
        } else {
            rest = () -> true;
        }
    }

    /** An appender of Log4j, or of these benchmarks. */
    static Target peer(String name, String plugin, Map<String, String> attributes, boolean async, Path file, int bytes)
            throws IOException, Media.NotPossible {
        LoggerContext context = async ? new AsyncLoggerContext(name) : new LoggerContext(name);
        start(context, name, plugin, attributes, 0, file);
        return new Log4jTarget(name, context, file, bytes, false);
    }

    /**
     * The Burst appender.
     *
     * @param more its attributes beside the usual ones
     */
    static Target burst(String name, Media.Ring ring, Map<String, String> more, Path file, int bytes)
            throws IOException, Media.NotPossible {
        LoggerContext context = new LoggerContext(name);
        start(context, name, "Burst", burstOn(ring, more), 0, file);
        return new Log4jTarget(name, context, file, bytes, true);
    }

    /**
     * The Burst appender, which rolls by date and size, and compresses at once. The file is in a folder of its own.
     *
     * @param rollBytes the size of a file
     */
    static Target rolled(String name, Media.Ring ring, long rollBytes, Path file, int bytes)
            throws IOException, Media.NotPossible {
        LoggerContext context = new LoggerContext(name);
        start(context, name, "Burst", burstOn(ring, Map.of()), rollBytes, file);
        return new Log4jTarget(name, context, file, bytes, true);
    }

    private static Map<String, String> burstOn(Media.Ring ring, Map<String, String> more) {
        Map<String, String> attributes = new TreeMap<>(more);
        attributes.put("ring", ring.path().toString());
        attributes.put("io", ring.io());
        attributes.put("durability", "process");
        return attributes;
    }

    private static void start(
            LoggerContext context,
            String name,
            String plugin,
            Map<String, String> attributes,
            long rollBytes,
            Path file)
            throws Media.NotPossible {
        FirstError said = new FirstError();
        StatusLogger.getLogger().registerListener(said);
        try {
            context.start(configuration(context, plugin, attributes, rollBytes, file));
        } finally {
            StatusLogger.getLogger().removeListener(said);
        }
        Appender appender = context.getConfiguration().getAppender(APPENDER);
        if (appender == null || !appender.isStarted() || said.isRefusal()) {
            context.stop();
            throw new Media.NotPossible(
                    said.text == null
                            ? "Log4j could not start the appender " + plugin + " of " + name
                            : said.text.replace('\n', ' '));
        }
    }

    /** The first error that Log4j reports about itself. */
    private static final class FirstError implements StatusListener {

        private volatile String text;

        /** Log4j starts even a refused Burst appender, which then throws at each event. */
        boolean isRefusal() {
            return text != null && text.startsWith("Burst '" + APPENDER + "' is not started: ");
        }

        @Override
        public void log(StatusData data) {
            if (text == null) {
                text = data.getMessage().getFormattedMessage();
            }
        }

        @Override
        public Level getStatusLevel() {
            return Level.ERROR;
        }

        @Override
        public void close() {}
    }

    private static Configuration configuration(
            LoggerContext context, String plugin, Map<String, String> attributes, long rollBytes, Path file) {
        ConfigurationBuilder<BuiltConfiguration> builder = ConfigurationBuilderFactory.newConfigurationBuilder();
        builder.setLoggerContext(context);
        AppenderComponentBuilder appender = builder.newAppender(APPENDER, plugin)
                .addAttribute("fileName", file.toString())
                .addAttribute("ignoreExceptions", false)
                .add(builder.newLayout("PatternLayout").addAttribute("pattern", "%m%n"));
        attributes.forEach(appender::addAttribute);
        if (rollBytes > 0) {
            appender.addAttribute("filePattern", file + ".%d{yyyy}-%i.gz")
                    .addAttribute("compressDelay", "0")
                    .addComponent(builder.newComponent("Policies")
                            .addComponent(builder.newComponent("TimeBasedTriggeringPolicy"))
                            .addComponent(builder.newComponent("SizeBasedTriggeringPolicy")
                                    .addAttribute("size", rollBytes)));
        }
        return builder.setStatusLevel(Level.WARN)
                .setShutdownHook("disable")
                .add(appender)
                .add(builder.newRootLogger(Level.INFO).add(builder.newAppenderRef(APPENDER)))
                .build(false);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void write(int number) {
        logger.info(message);
        written++;
    }

    private synchronized long writtenByAll() {
        return written + others.stream().mapToLong(other -> other.written).sum();
    }

    @Override
    public synchronized Target forAnotherThread() {
        Producer producer = new Producer();
        others.add(producer);
        return producer;
    }

    /** A thread that counts its own messages. */
    private final class Producer implements Target {
        private long written;

        @Override
        public String name() {
            return name;
        }

        @Override
        public void write(int number) {
            logger.info(message);
            written++;
        }

        @Override
        public void settle() throws IOException, InterruptedException {
            Log4jTarget.this.settle();
        }
    }

    /**
     * Events that an appender keeps in its own buffer stay there: that is how it always runs. Archives are compressed.
     */
    @Override
    public void settle() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (!rest.isDone()) {
            if (System.nanoTime() - begin > LONG_NANOS) {
                throw new IllegalStateException(name + " has not come to its end after 5 minutes.");
            }
            Thread.sleep(LOOK_MILLIS);
        }
        LogFiles.sync(file);
    }

    @Override
    public void close() {
        context.stop(1, TimeUnit.MINUTES);
    }
}
