// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;

/** One way to compress, by the library that Log4j itself uses for it. */
interface Compressor {

    /** @param entry the name of the file that is compressed, where the format keeps it */
    OutputStream compress(OutputStream out, String entry) throws IOException;

    InputStream decompress(InputStream in) throws IOException;

    /** Null if the name has no suffix of a compression. */
    static Compressor ofSuffix(final String suffix, final int level) {
        return switch (suffix) {
            case ".gz" -> gz(level);
            case ".zip" -> zip(level);
            case ".bz2" -> ofCommons("bzip2");
            case ".xz" -> ofCommons("xz");
            case ".zst" -> new SeekableZstd(ofCommons("zstd"));
            case ".deflate" -> ofCommons("deflate");
            case ".pack200" -> ofCommons("pack200");
            default -> null;
        };
    }

    /**
     * Returns why the compressor cannot be used; null if it gives back what it was given. (pack200 keeps only classes.)
     */
    default String reasonItIsMissing() {
        final byte[] line = "a line\n".getBytes(StandardCharsets.US_ASCII);
        final ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try {
            try (OutputStream out = compress(compressed, "line")) {
                out.write(line);
            }
            try (InputStream in = decompress(new ByteArrayInputStream(compressed.toByteArray()))) {
                return Arrays.equals(in.readAllBytes(), line) ? null : "a line of text is not kept by it";
            }
        } catch (final IOException | RuntimeException | Error missing) {
            return missing.toString();
        }
    }

    static Compressor gz(final int level) {
        return new Compressor() {
            @Override
            public OutputStream compress(final OutputStream out, final String entry) throws IOException {
                return new GZIPOutputStream(out, 8192) {
                    {
                        def.setLevel(level);
                    }
                };
            }

            @Override
            public InputStream decompress(final InputStream in) throws IOException {
                return new GZIPInputStream(in, 8192);
            }
        };
    }

    static Compressor zip(final int level) {
        return new Compressor() {
            @Override
            public OutputStream compress(final OutputStream out, final String entry) throws IOException {
                final ZipOutputStream zip = new ZipOutputStream(out);
                zip.setLevel(level);
                zip.putNextEntry(new ZipEntry(entry));
                return zip;
            }

            @Override
            public InputStream decompress(final InputStream in) throws IOException {
                final ZipInputStream zip = new ZipInputStream(in);
                if (zip.getNextEntry() == null) {
                    throw new IOException("it has no entry");
                }
                return zip;
            }
        };
    }

    /** A compressor of Apache Commons Compress, which must be on the class path. */
    static Compressor ofCommons(final String name) {
        return new Compressor() {
            @Override
            public OutputStream compress(final OutputStream out, final String entry) throws IOException {
                return (OutputStream) call("createCompressorOutputStream", OutputStream.class, out);
            }

            @Override
            public InputStream decompress(final InputStream in) throws IOException {
                return (InputStream)
                        call("createCompressorInputStream", InputStream.class, new BufferedInputStream(in));
            }

            private Object call(final String method, final Class<?> type, final Object stream) throws IOException {
                try {
                    final Class<?> factory = Class.forName(
                            "org.apache.commons.compress.compressors.CompressorStreamFactory",
                            true,
                            RollingFileManager.class.getClassLoader());
                    return factory.getMethod(method, String.class, type)
                            .invoke(factory.getConstructor().newInstance(), name, stream);
                } catch (final ReflectiveOperationException failure) {
                    final Throwable cause = failure.getCause() != null ? failure.getCause() : failure;
                    throw new IOException(cause.toString(), cause);
                }
            }
        };
    }
}
