// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

/**
 * The files of an archive by their names within its folder. Nothing is durable before {@link #sync} of its name has
 * returned, also not that there is such a file. Writers are one; readers may be many.
 */
interface Disk {

    /** {@return the whole file} @throws java.nio.file.NoSuchFileException if there is none */
    byte[] read(String name) throws IOException;

    /** {@return the bytes from the offset on, fewer if the file ends there} */
    byte[] read(String name, long offset, int length) throws IOException;

    /** {@return its length in bytes; -1 if there is no such file} */
    long length(String name) throws IOException;

    /** {@return the names in a folder, those of folders with a slash behind; none if there is no such folder} */
    List<String> list(String folder) throws IOException;

    /** Makes the file anew, with its folders. */
    void write(String name, byte[] bytes) throws IOException;

    /** Writes at the end, which must be at this offset: what lies behind it is cut. The file may be new. */
    void append(String name, long offset, byte[] bytes, int length) throws IOException;

    /** Makes contents and names durable, in no order. */
    void sync(Collection<String> names) throws IOException;

    /** Gives the file a new name at once; {@link #sync} makes that durable. */
    void rename(String from, String to) throws IOException;

    void delete(String name) throws IOException;

    /** Deletes a folder and the files in it, which has no folders in it; does nothing if there is none. */
    default void deleteFolder(String folder) throws IOException {
        for (String name : list(folder)) {
            delete(folder + "/" + name);
        }
        delete(folder);
    }
}
