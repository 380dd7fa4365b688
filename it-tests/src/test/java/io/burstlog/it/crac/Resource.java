// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it.crac;

/** {@code org.crac} makes one for each of its own resources. */
public interface Resource {

    void beforeCheckpoint(Context context) throws Exception;

    void afterRestore(Context context) throws Exception;
}
