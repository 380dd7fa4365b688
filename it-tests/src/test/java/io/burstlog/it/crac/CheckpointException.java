// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it.crac;

/** Resources have thrown the exceptions that it suppresses. */
public class CheckpointException extends Exception {

    private static final long serialVersionUID = 1L;
}
