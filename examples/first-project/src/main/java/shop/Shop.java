// SPDX-License-Identifier: Apache-2.0
package shop;

import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/** Takes so many orders, 20 a second. Each order is in the log before its customer reads that it is taken. */
final class Shop {

    private static final Logger LOG = LogManager.getLogger(Shop.class);

    private Shop() {}

    public static void main(String[] arguments) throws InterruptedException {
        for (int i = 1; i <= Integer.parseInt(arguments[0]); i++) {
            Order order = new Order(i, "tea");
            LOG.info(order);
            System.out.println(order);
            Thread.sleep(50);
        }
    }
}
