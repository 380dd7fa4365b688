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

    /**
     * Reads a whole file. Links, and what else is no plain file, count as missing.
     *
     * @param most the most bytes that it may have
     * @return its bytes; of a longer one one byte more than that, which whoever reads them finds to be too many
     * @throws java.nio.file.NoSuchFileException if there is none
     */
    default byte[] read(String name, int most) throws IOException {
        return read(name, 0, most + 1);
    }

    /** {@return a whole file that has no more bytes than one of its name may have; else one byte more} */
    default byte[] read(String name) throws IOException {
        return read(name, FileName.most(name));
    }

    /** {@return the bytes from the offset on, fewer if the file ends there} */
    byte[] read(String name, long offset, int length) throws IOException;

    /** {@return a text that is another one whenever the file was changed or replaced; the same if there is none} */
    String stamp(String name) throws IOException;

    /** {@return its length in bytes; -1 if there is no such file} */
    long length(String name) throws IOException;

    /**
     * Returns the names in a folder; none if there is no such folder. Those of folders have a slash behind, and those
     * of what is neither a folder nor a plain file an at sign.
     */
    List<String> list(String folder) throws IOException;

    /** Makes the file anew, with its folders. */
    void write(String name, byte[] bytes) throws IOException;

    /** Writes at the end, which must be at this offset: what lies behind it is cut. The file may be new. */
    void append(String name, long offset, byte[] bytes, int length) throws IOException;

    /**
     * Makes contents and names durable, in no order. A slash behind a name means all names in that folder, if it
     * exists.
     */
    void sync(Collection<String> names) throws IOException;

    /** Gives the file a new name at once; {@link #sync} makes that durable. */
    void rename(String from, String to) throws IOException;

    void delete(String name) throws IOException;

    /** Makes the file anew, durable on return: after a crash it is the one before or this one, and whole. */
    default void replace(String name, byte[] bytes) throws IOException {
        String draft = name + ".tmp";
        write(draft, bytes);
        sync(List.of(draft));
        rename(draft, name);
        sync(List.of(name));
    }

    /** Deletes a folder and the files in it, which has no folders in it; does nothing if there is none. */
    default void deleteFolder(String folder) throws IOException {
        for (String name : list(folder)) {
            delete(folder + "/" + name);
        }
        delete(folder);
    }
}
