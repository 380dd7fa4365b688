// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/** How the ring is written. */
public enum Io {
    /** The engine chooses. */
    AUTO,
    /** One positioned write, O_DIRECT, for each commit. */
    PWRITE,
    /** io_uring: registered file and buffers, several writes under way. */
    URING,
    /** The engine's own NVMe write commands, with FUA, through io_uring and the generic character device. */
    NVME,
    /** The ring is mapped memory, and the engine writes cache lines back: for persistent memory, DAX files, tmpfs. */
    MAPPED,
    /** One positioned write and a flush of the medium's cache for each commit: for drives that ignore FUA. */
    FLUSH
}
