/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host of a reader: the production sources of read/, with the calls of the C library that
 * they make led to the world's files and medium by the linker (--wrap), and with the world's windows in the place of
 * window/attach.c. So the readers need no table of functions that only tests would fill. One thread, and one world at a
 * time.
 */
#ifndef BURST_TEST_SIMULATOR_SIM_READING_H
#define BURST_TEST_SIMULATOR_SIM_READING_H

#include "harness/simulator/world.h"

/* The reader that takes the next steps is on this world's host. */
void sim_reading_on(struct world *world);

/* Gives each engine of the world a window with the ring's image. */
void sim_reading_make_windows(struct world *world);

/* The processes of a copied world have no window yet. */
void sim_reading_forget(const struct world *world);

/* A file of the host that is unpacked: a gzip of these bytes. Returns its length. */
size_t sim_gzip(const uint8_t *bytes, size_t count, uint8_t *out);

#endif
