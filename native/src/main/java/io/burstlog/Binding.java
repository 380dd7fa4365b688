// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * How the calls made for each record reach the native library. The library is loaded, and everything else is called,
 * through JNA in any case.
 */
public enum Binding {
    /** The faster one, {@link #JNI}. */
    AUTO,
    /** JNI methods, registered by the library itself. */
    JNI,
    /** JNA direct mapping: roughly ten times the cost of a call, and no native method of this module. */
    JNA
}
