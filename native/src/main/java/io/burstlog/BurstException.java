// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * A call that failed. The message is one sentence: what failed, where, the value seen, and what to do. The engine has
 * not acknowledged the record of such a call; {@link #code()} tells whether the record may become durable all the same.
 */
public class BurstException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The kinds of failures. */
    public enum Code {
        /** An argument or a configuration value cannot be used. */
        INVALID_ARGUMENT(22),
        /** The record is longer than the largest allowed; nothing was written. */
        RECORD_TOO_LARGE(90),
        /** The ring is full; nothing was written. */
        RING_FULL(11),
        /** The block timeout passed while the call waited for space; nothing was written. */
        TIMED_OUT(110),
        /** The block timeout passed while the call waited for the medium: the record may still become durable. */
        UNDECIDED(115),
        /** The medium failed. If an open log throws this, it acknowledges nothing more until it is opened again. */
        IO_ERROR(5),
        /** The log is closed. */
        CLOSED(108),
        /** Another writer holds the ring or the log file; the message names its process. */
        BUSY(16),
        /** There is no ring on the medium. */
        NO_RING(61),
        /** There is a ring, but it is damaged so that it cannot be written. */
        RING_DAMAGED(117),
        /** The ring has a format that this version does not know. */
        UNKNOWN_FORMAT(71),
        /** The medium survives less than the durability asked for. */
        MEDIUM_TOO_WEAK(124),
        /** The log was opened by the parent of this forked process. */
        FORKED(130),
        /**
         * The second copy is away, or lacks the record since it was away: the record has one copy. {@link #errno} is
         * 107 or 61.
         */
        COPY_AWAY(107),
        /** The record is durable, and the second copy did not confirm it within the block timeout. */
        NOT_COPIED(0),
        /** The native library is missing, or is not the one that belongs to this version. */
        LIBRARY(0),
        /** Anything else that the operating system answered; see {@link BurstException#errno()}. */
        OTHER(0);

        private final int errno;

        Code(int errno) {
            this.errno = errno;
        }

        static Code ofErrno(int errno) {
            for (Code code : values()) {
                if (code.errno == errno && errno != 0) {
                    return code;
                }
            }
            return OTHER;
        }
    }

    private final Code code;
    private final int errno;

    /**
     * An exception without an errno of its own.
     *
     * @param code the kind of the failure
     * @param sentence the message
     */
    public BurstException(Code code, String sentence) {
        this(code, code.errno, sentence);
    }

    BurstException(Code code, int errno, String sentence) {
        super(sentence);
        this.code = code;
        this.errno = errno;
    }

    /** Makes the exception of a failed open, when no ring is open yet. */
    static BurstException ofOpen(int errno, String sentence) {
        return new BurstException(Code.ofErrno(errno), errno, sentence);
    }

    /** Makes the exception of a failed call on an open log. */
    static BurstException ofCall(int errno, String sentence) {
        Code code = Code.ofErrno(errno);
        return switch (code) {
            case RING_FULL -> new RingFullException(errno, sentence);
            case IO_ERROR -> new RingFailedException(errno, sentence);
            default -> new BurstException(code, errno, sentence);
        };
    }

    /**
     * Returns the kind of the failure.
     *
     * @return never null
     */
    public Code code() {
        return code;
    }

    /**
     * The errno of the failure, for instance 28 for ENOSPC.
     *
     * @return a positive errno, or 0 if the failure is not one of the operating system or the engine
     */
    public int errno() {
        return errno;
    }
}
