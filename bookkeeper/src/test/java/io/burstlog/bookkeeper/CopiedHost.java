// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import java.nio.file.Path;

/** A host until it burns down: it writes records, copies them, and prints up to which number they are copied. */
final class CopiedHost {

    private static final int AT_ONCE = 50;

    private CopiedHost() {}

    public static void main(String[] arguments) throws Exception {
        try (WrittenStream stream = new WrittenStream(Path.of(arguments[0]));
                Copier copier = Copier.start(CopierConfig.builder()
                        .folder(stream.folder().toString())
                        .property("metadataServiceUri", arguments[1])
                        .blockBytes(4096)
                        .build())) {
            System.out.println("folder " + stream.folderId());
            for (long told = 0; ; ) {
                stream.write(AT_ONCE);
                long copied = copier.stats().copiedNumber();
                if (copied > told) {
                    System.out.println("copied " + copied);
                    told = copied;
                }
            }
        }
    }
}
