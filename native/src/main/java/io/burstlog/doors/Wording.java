// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

/**
 * How a door calls things in sentences about its configuration.
 *
 * @param setting what a setting is called: {@code attribute}
 * @param file the name of the setting that names the log file
 * @param undefined what to do about a variable in a path that nothing has replaced
 */
public record Wording(String setting, String file, String undefined) {

    /** For doors whose log file is {@code file}. */
    public static Wording of(String setting) {
        return new Wording(setting, "file", "a variable in it is not defined; define it, or give it a default");
    }
}
