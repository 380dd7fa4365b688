// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
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
import java.util.zip.GZIPInputStream;

/** The gateway's log file, read back: executions in the order of the file, and the FIX messages around them. */
final class GatewayLog {
    private static final Pattern MESSAGE =
            Pattern.compile("\\S+ (incoming|outgoing) \\[[^]]*] [^|]*?(8=FIX\\.4\\.4\\|.*)");
    private static final Pattern ORDER = Pattern.compile(".*\\|35=D\\|.*\\|11=([^|]+)\\|.*");

    private final List<Execution> executions = new ArrayList<>();
    private final List<Execution> acceptedWithoutMessage = new ArrayList<>();
    private final Map<String, Integer> confirmations = new HashMap<>();
    private final Set<String> received = new HashSet<>();
    private int orderMessages;

    private GatewayLog() {}

    /** Reads the files of the log, the oldest first. */
    static GatewayLog read(Path... files) throws IOException {
        GatewayLog log = new GatewayLog();
        for (Path file : files) {
            try (BufferedReader lines = open(file)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    log.add(line);
                }
            }
        }
        return log;
    }

    private static BufferedReader open(Path file) throws IOException {
        InputStream bytes = Files.newInputStream(file);
        return new BufferedReader(new InputStreamReader(
                file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes, StandardCharsets.UTF_8));
    }

    private void add(String line) {
        Execution.parse(line).ifPresent(execution -> {
            executions.add(execution);
            if (execution.step() == 1 && !received.contains(execution.clOrdId())) {
                acceptedWithoutMessage.add(execution);
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

    List<Execution> executions() {
        return executions;
    }

    /** The first executions of orders. */
    List<Execution> accepted() {
        return executions.stream().filter(execution -> execution.step() == 1).toList();
    }

    /** Accepted orders without their NewOrderSingle before them in the log. */
    List<Execution> acceptedWithoutMessage() {
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
