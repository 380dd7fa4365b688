/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages between a log and the readers of its window, over a socket of type SOCK_SEQPACKET. Both run on one host,
 * perhaps with versions one apart.
 *
 *     reader connects
 *     log     -> struct window_greeting, and with it a descriptor of the window
 *     reader  -> struct window_wish, each time before it sleeps on window_lines.wakes, or when it wants figures
 */
#ifndef BURST_WINDOW_PROTOCOL_H
#define BURST_WINDOW_PROTOCOL_H

#include <stdint.h>

#define WINDOW_GREETING_MAGIC 0x494847524e495755ull /* "UWINRGHI" */
#define WINDOW_SOCKET_SUFFIX ".window" /* the socket's name: the ring's uuid as 32 hexadecimal digits, and this */
#define WINDOW_SOCKET_NAME_BYTES 40    /* length of that name, with its terminator */
#define WINDOW_DEFAULT_FOLDER "/run/burstlog" /* for readers of a device */

struct window_greeting {
    uint64_t magic;
    uint32_t version; /* WINDOW_VERSION */
    uint32_t epoch;   /* as in the head of the window */
    uint64_t window_bytes;
};

/* The log wakes the sleepers when the watermark is above this position; at once if it is already. WINDOW_WISH_FIGURES: it
 * fills the figures of the window anew, if they are older than 50 ms, and then wakes the sleepers. */
#define WINDOW_WISH_FIGURES UINT64_MAX
struct window_wish {
    uint64_t above_position;
};

/* The name of the socket of a ring, in its folder. */
void window_socket_name(const uint8_t uuid[16], char name[WINDOW_SOCKET_NAME_BYTES]);

#endif
