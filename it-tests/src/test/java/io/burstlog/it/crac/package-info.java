// SPDX-License-Identifier: Apache-2.0

/**
 * A stand-in for the part of a JVM that makes checkpoints. {@code org.crac} takes it instead of {@code jdk.crac} if
 * {@code -Dorg.crac.Core.Compat=io.burstlog.it.crac} names it. It tells its resources as CRaC does, and runs on instead
 * of writing an image.
 */
package io.burstlog.it.crac;
