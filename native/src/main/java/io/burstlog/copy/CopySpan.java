// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

/** The records of a stream that were recovered: how many, from which sequence to which. */
final class CopySpan {

    private final String stream;
    private long records;
    private long first;
    private long last;

    CopySpan(String stream) {
        this.stream = stream;
    }

    void add(long sequence) {
        first = records == 0 ? sequence : first;
        last = sequence;
        records++;
    }

    long records() {
        return records;
    }

    @Override
    public String toString() {
        return records + " records of stream " + stream + ", from " + first + " to " + last;
    }
}
