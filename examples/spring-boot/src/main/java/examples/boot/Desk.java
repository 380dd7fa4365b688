// SPDX-License-Identifier: Apache-2.0
package examples.boot;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Takes orders, and confirms each on standard output when its line is logged. It knows only SLF4J. */
@SpringBootApplication(proxyBeanMethods = false)
public class Desk implements CommandLineRunner {
    private static final Logger LOG = LoggerFactory.getLogger(Desk.class);

    private final int day;
    private final int orders;

    Desk(@Value("${desk.day:1}") int day, @Value("${desk.orders:100}") int orders) {
        this.day = day;
        this.orders = orders;
    }

    /**
     * Runs the application.
     *
     * @param arguments Spring's: {@code --desk.orders=100}, {@code --desk.logs=logs}
     */
    public static void main(String[] arguments) {
        SpringApplication.run(Desk.class, arguments);
    }

    @Override
    public void run(String... arguments) {
        for (int order = 1; order <= orders; order++) {
            LOG.info("day {} order {} is accepted", day, order);
            System.out.println(order);
        }
    }
}
