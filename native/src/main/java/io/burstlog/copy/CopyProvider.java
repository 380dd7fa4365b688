// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import io.burstlog.BurstException;
import java.util.Map;

/**
 * Makes the stores of second copies for the readers of configurations. {@link java.util.ServiceLoader} finds it.
 *
 * <p>Thread-safe.
 */
public interface CopyProvider {

    /**
     * The values of one element.
     *
     * @param ringId the id of the ring, 32 hexadecimal digits; empty for {@link CopyProvider#check}
     * @param ring the path of the ring; empty for {@link CopyProvider#check}
     * @param settings values by the names of their attributes, sizes in bytes; an absent one has its default
     * @param properties the values of the properties inside, by their names
     */
    record Request(String ringId, String ring, Map<String, String> settings, Map<String, String> properties) {}

    /** {@return the name of the element} */
    String element();

    /**
     * Checks all that can be checked without the store's servers.
     *
     * @param request the values of the element
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: a sentence about what is wrong
     */
    void check(Request request);

    /**
     * Makes a store. It reaches its servers at its first {@link CopyStore#fence}.
     *
     * @param request the values of the element
     * @return the store
     */
    CopyStore open(Request request);
}
