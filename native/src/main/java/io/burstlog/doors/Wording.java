// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

/**
 * The words of a door in sentences about its configuration.
 *
 * @param setting the word for a setting, such as {@code attribute}
 * @param file the name of the setting that names the log file
 * @param undefined the advice about an undefined variable in a path
 */
public record Wording(String setting, String file, String undefined) {

    /** Returns the words of a door whose setting of the log file is {@code file}. */
    public static Wording of(String setting) {
        return new Wording(setting, "file", "a variable in it is not defined; define it, or give it a default");
    }
}
