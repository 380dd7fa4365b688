// SPDX-License-Identifier: Apache-2.0
package examples.quarkus;

import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/** One line an order. */
final class OrderLine extends Formatter {

    @Override
    public String format(LogRecord record) {
        return formatMessage(record) + "\n";
    }
}
