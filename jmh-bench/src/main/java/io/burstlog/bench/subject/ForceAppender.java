// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;

/** The durable appender that people write themselves: a write and a force for each event, under a lock. */
@Plugin(name = "Force", category = Core.CATEGORY_NAME, elementType = Appender.ELEMENT_TYPE)
public final class ForceAppender extends AbstractAppender {

    private final FileChannel channel;

    private ForceAppender(
            String name, Layout<? extends Serializable> layout, boolean ignoreExceptions, FileChannel channel) {
        super(name, null, layout, ignoreExceptions, Property.EMPTY_ARRAY);
        this.channel = channel;
    }

    @PluginFactory
    public static ForceAppender create(
            @PluginAttribute("name") String name,
            @PluginAttribute("fileName") String fileName,
            @PluginAttribute("ignoreExceptions") boolean ignoreExceptions,
            @PluginElement("Layout") Layout<? extends Serializable> layout)
            throws IOException {
        return new ForceAppender(
                name,
                layout,
                ignoreExceptions,
                FileChannel.open(Path.of(fileName), StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    @Override
    public synchronized void append(LogEvent event) {
        ByteBuffer line = ByteBuffer.wrap(getLayout().toByteArray(event));
        try {
            while (line.hasRemaining()) {
                channel.write(line);
            }
            channel.force(false);
        } catch (IOException failure) {
            throw new AppenderLoggingException("Force '" + getName() + "': " + failure.getMessage(), failure);
        }
    }

    @Override
    public boolean stop(long timeout, TimeUnit unit) {
        boolean stopped = super.stop(timeout, unit);
        try {
            channel.close();
        } catch (IOException failure) {
            LOGGER.error("Force '{}' is not closed: {}", getName(), failure.getMessage());
            return false;
        }
        return stopped;
    }
}
