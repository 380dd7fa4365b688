// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A service that moves money, and does nothing of which it has no record. */
@SpringBootApplication(proxyBeanMethods = false)
public class Transfers {

    /**
     * Runs the service.
     *
     * @param arguments Spring's: {@code --audit.folder=data}
     */
    public static void main(String[] arguments) {
        SpringApplication.run(Transfers.class, arguments);
    }
}
