/* SPDX-License-Identifier: Apache-2.0 */
#include "window/protocol.h"

#include <stdio.h>
#include <string.h>

void window_socket_name(const uint8_t uuid[16], char name[WINDOW_SOCKET_NAME_BYTES]) {
    for (int i = 0; i < 16; i++) {
        snprintf(name + 2 * i, 3, "%02x", uuid[i]);
    }
    memcpy(name + 32, WINDOW_SOCKET_SUFFIX, sizeof WINDOW_SOCKET_SUFFIX);
}
