// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The gateway's log file, read back: accepted orders in the order of the file, and the FIX messages around them. */
final class GatewayLog {
    private static final Pattern MESSAGE =
            Pattern.compile("\\S+ (incoming|outgoing) \\[[^]]*] [^|]*?(8=FIX\\.4\\.4\\|.*)");
    private static final Pattern ORDER = Pattern.compile(".*\\|35=D\\|.*\\|11=([^|]+)\\|.*");

    private final List<AcceptedOrder> accepted = new ArrayList<>();
    private final List<AcceptedOrder> acceptedWithoutMessage = new ArrayList<>();
    private final Map<String, Integer> confirmations = new HashMap<>();
    private final Set<String> received = new HashSet<>();
    private int orderMessages;

    private GatewayLog() {}

    static GatewayLog read(Path file) throws IOException {
        GatewayLog log = new GatewayLog();
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                log.add(line);
            }
        }
        return log;
    }

    private void add(String line) {
        AcceptedOrder.parse(line).ifPresent(order -> {
            accepted.add(order);
            if (!received.contains(order.clOrdId())) {
                acceptedWithoutMessage.add(order);
            }
        });
        Matcher message = MESSAGE.matcher(line);
        if (message.matches()) {
            String text = message.group(2);
            Matcher order = ORDER.matcher(text);
            if (message.group(1).equals("incoming") && order.matches()) {
                received.add(order.group(1));
                orderMessages++;
            } else if (message.group(1).equals("outgoing") && text.contains("|35=8|")) {
                confirmations.merge(text, 1, Integer::sum);
            }
        }
    }

    List<AcceptedOrder> accepted() {
        return accepted;
    }

    /** Accepted orders without their NewOrderSingle before them in the log. */
    List<AcceptedOrder> acceptedWithoutMessage() {
        return acceptedWithoutMessage;
    }

    /** Each ExecutionReport that was sent, and how often the log has that very text. */
    Map<String, Integer> confirmations() {
        return confirmations;
    }

    int orderMessages() {
        return orderMessages;
    }
}
