// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * One record that a reader got, with a copy of its bytes.
 *
 * @param kind the kind of the entry
 * @param sequence as {@link ReadRecords#sequence()}
 * @param eventTimeNanos as {@link ReadRecords#eventTimeNanos()}
 * @param count as {@link ReadRecords#count()}
 * @param data the bytes that were appended; empty for lost or missed records
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are this record's own, and as large as they are
public record ReadRecord(ReadRecords.Kind kind, long sequence, long eventTimeNanos, long count, byte[] data) {}
