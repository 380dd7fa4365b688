// SPDX-License-Identifier: Apache-2.0
package examples.quarkus;

import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.logging.Logger;

/** Takes orders, logs each, and confirms it on its standard output. Argument: the number of orders. */
@QuarkusMain
public class Desk implements QuarkusApplication {

    private static final Logger LOGGER = Logger.getLogger("orders");

    @Override
    public int run(String... arguments) {
        int orders = Integer.parseInt(arguments[0]);
        for (int number = 1; number <= orders; number++) {
            LOGGER.info("order " + number); // durable when it returns
            System.out.println(number);
        }
        return 0;
    }
}
