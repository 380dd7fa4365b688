/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of the target `signed` that fuzz-make-seeds makes. */
#include "harness/fuzz/seeds.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* An archive of so many leaves, of every kind, in which nothing is changed; and one with a byte of each file changed. */
void signed_seeds(void) {
    struct {
        uint16_t leaves;
        uint8_t pokes, seeks;
        int64_t values[3];
        uint8_t pattern[16][4];
        uint8_t poke[8][8];
        uint8_t raw[256];
    } input = {.leaves = 600, .seeks = 0x24, .values = {3, 300, 7}};
    for (uint8_t i = 0; i < 16; i++) {
        memcpy(input.pattern[i], (uint8_t[]){i, (uint8_t)(i * 12), i / 2, i % 5}, 4);
    }
    write_seed("signed", "whole", &input, sizeof input);
    input.leaves = 40;
    write_seed("signed", "partial", &input, sizeof input);
    input.leaves = 600;
    input.pokes = 1;
    for (uint8_t target = 0; target < 5; target++) {
        char name[16];
        snprintf(name, sizeof name, "changed-%u", target);
        memcpy(input.poke[0], (uint8_t[]){target, 0, 1, 0, 40, 0, 0, 0}, 8);
        write_seed("signed", name, &input, sizeof input);
    }
}
