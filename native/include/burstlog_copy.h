/* SPDX-License-Identifier: Apache-2.0 */
/* For a second copy of a stream, which a program keeps elsewhere: part of burstlog.h, which includes this. */
#ifndef BURSTLOG_COPY_H
#define BURSTLOG_COPY_H

#ifndef BURSTLOG_H
#error "include burstlog.h"
#endif

/*
 * The program that keeps the copy gets the records as a consumer of the stream's segments (burstlog_consumer.h). A call
 * whose record is to be in the copy when it returns appends the record, hurries the drain, and waits until the program
 * has confirmed a record of this ring with its sequence or a higher one.
 */

/* Copies the id of the ring, which burst_polled_t has beside each sequence. A folder of segments may also have records of
 * a ring that was there before: their sequences say nothing about this one. Works on a closed handle. */
void burst_ring_id(const burst_t *log, uint8_t id[16]);

/* Has the drain move the durable records at once, instead of after drain_interval_ns, and asks for no sync. Never waits.
 * Does nothing in a closed log. A drain of another process (BURST_DRAIN_EXTERNAL) is not hurried. */
void burst_hurry(burst_t *log);

#endif
