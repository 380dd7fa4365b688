// SPDX-License-Identifier: Apache-2.0
package examples.quarkus;

import io.burstlog.jul.BurstHandler;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Map;
import java.util.logging.Logger;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Opens the durable log when the application starts, and closes it when it ends. */
@ApplicationScoped
class DurableLog {

    private final Logger logger = Logger.getLogger("orders");

    @ConfigProperty(name = "orders.ring")
    String ring;

    @ConfigProperty(name = "orders.file")
    String file;

    private BurstHandler handler;

    // doc: open
    void open(@Observes StartupEvent event) {
        handler = new BurstHandler(Map.of("ring", ring, "file", file));
        handler.setFormatter(new OrderLine());
        logger.addHandler(handler);
    }

    void close(@Observes ShutdownEvent event) {
        logger.removeHandler(handler);
        handler.close();
    }
    // end
}
