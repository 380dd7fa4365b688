// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.plugins.PluginBuilderAttribute;

/**
 * The attributes of the log file of {@code <Burst>}, which are those of Log4j's own file appenders, as text;
 * {@code null} where one is not set. Not thread-safe.
 *
 * @param <B> the builder itself
 */
public abstract class LogFileAttributes<B extends LogFileAttributes<B>> extends AbstractAppender.Builder<B> {

    @PluginBuilderAttribute
    String fileName;

    @PluginBuilderAttribute
    String filePattern;

    @PluginBuilderAttribute
    String filePermissions;

    @PluginBuilderAttribute
    String fileOwner;

    @PluginBuilderAttribute
    String fileGroup;

    @PluginBuilderAttribute
    String append;

    @PluginBuilderAttribute
    String immediateFlush;

    @PluginBuilderAttribute
    String bufferedIO;

    @PluginBuilderAttribute
    String bufferSize;

    @PluginBuilderAttribute
    String createOnDemand;

    @PluginBuilderAttribute
    String locking;

    @PluginBuilderAttribute
    String advertise;

    @PluginBuilderAttribute
    String advertiseUri;

    LogFileAttributes() {}

    /**
     * Sets the attribute {@code fileName}.
     *
     * @param fileName required: the log file
     * @return this
     */
    public B setFileName(final String fileName) {
        this.fileName = fileName;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code filePattern}.
     *
     * @param filePattern refused: there is no rolling yet
     * @return this
     */
    public B setFilePattern(final String filePattern) {
        this.filePattern = filePattern;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code filePermissions}.
     *
     * @param filePermissions permissions of a newly created log file, for instance {@code rw-r-----}
     * @return this
     */
    public B setFilePermissions(final String filePermissions) {
        this.filePermissions = filePermissions;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code fileOwner}.
     *
     * @param fileOwner owner of a newly created log file
     * @return this
     */
    public B setFileOwner(final String fileOwner) {
        this.fileOwner = fileOwner;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code fileGroup}.
     *
     * @param fileGroup group of a newly created log file
     * @return this
     */
    public B setFileGroup(final String fileGroup) {
        this.fileGroup = fileGroup;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code append}.
     *
     * @param append {@code true} (default); {@code false} is refused
     * @return this
     */
    public B setAppend(final String append) {
        this.append = append;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code immediateFlush}.
     *
     * @param immediateFlush accepted and without effect
     * @return this
     */
    public B setImmediateFlush(final String immediateFlush) {
        this.immediateFlush = immediateFlush;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code bufferedIO}.
     *
     * @param bufferedIO accepted and without effect
     * @return this
     */
    public B setBufferedIO(final String bufferedIO) {
        this.bufferedIO = bufferedIO;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code bufferSize}.
     *
     * @param bufferSize accepted and without effect
     * @return this
     */
    public B setBufferSize(final String bufferSize) {
        this.bufferSize = bufferSize;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code createOnDemand}.
     *
     * @param createOnDemand accepted and without effect: the log file is created when the appender starts
     * @return this
     */
    public B setCreateOnDemand(final String createOnDemand) {
        this.createOnDemand = createOnDemand;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code locking}.
     *
     * @param locking accepted and without effect: the log file is always locked against other writers
     * @return this
     */
    public B setLocking(final String locking) {
        this.locking = locking;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code advertise}.
     *
     * @param advertise {@code true}: the log file is announced through the advertiser of the configuration;
     *     {@code false} (default)
     * @return this
     */
    public B setAdvertise(final String advertise) {
        this.advertise = advertise;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code advertiseUri}.
     *
     * @param advertiseUri where others can read the log file, for the announcement
     * @return this
     */
    public B setAdvertiseUri(final String advertiseUri) {
        this.advertiseUri = advertiseUri;
        return asBuilder();
    }
}
