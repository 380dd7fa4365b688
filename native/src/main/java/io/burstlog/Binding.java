// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * The way in which the calls for each record reach the native library. JNA always loads the library and makes all other
 * calls.
 */
public enum Binding {
    /** The faster one, {@link #JNI}. */
    AUTO,
    /** JNI methods, registered by the library itself. */
    JNI,
    /** JNA direct mapping: a call costs roughly ten times as much, and this module then has no native method. */
    JNA
}
