/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BURST_TEST_FUZZ_VIOLATION_H
#define BURST_TEST_FUZZ_VIOLATION_H

#include <stddef.h>
#include <stdint.h>

/* A condition for every input. The fuzzer keeps an input that violates it. */
#define MUST(condition) ((condition) ? (void)0 : must_fail(#condition, __FILE__, __LINE__))

_Noreturn void must_fail(const char *condition, const char *file, int line);

/* libFuzzer's entry points. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

#endif
