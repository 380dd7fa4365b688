// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Properties;
import java.util.function.BiConsumer;

/** A shipper as a process of its own, and what is done with the copy of a ring. */
final class Main {

    private static final String USAGE = """
            Ships the records of a folder of segments into a topic, each exactly once, until it is told to end (SIGTERM).

                java -jar burstlog-kafka.jar FOLDER --topic TOPIC --properties FILE [OPTION..]

              --topic TOPIC          which must be there
              --properties FILE      properties of Kafka: bootstrap.servers, TLS, SASL, ...
              --property NAME=VALUE  one of them
              --consumer NAME        in the folder; default: to-kafka-TOPIC
              --partition N          for all records; default: one by the folder's id
              --key-pattern REGEX    its one group finds the key in the text of a record, and Kafka chooses the partition
              --headers LIST         some of ring,stream,sequence,time, or none; default: all
              --transaction-bytes N  the most of one transaction; default: 4 MiB
              --accept-old-brokers   those below 4.0, too

            Exit codes: 0 ended, 2 usage, 3 another shipper has begun, or folder or brokers are refused

            The copy that <KafkaCopy> keeps of a ring:

                java -jar burstlog-kafka.jar recover RING-ID --topic TOPIC --to FOLDER --properties FILE
                java -jar burstlog-kafka.jar recover RING-ID --topic TOPIC --into RING --properties FILE
                java -jar burstlog-kafka.jar compare RING-ID --topic TOPIC --with LOGFILE [--stream NAME] --properties FILE

            recover keeps the ring's host from copying on, and writes what was copied: a file for each stream in a new
            folder, or through a new ring to the application's log files and segments. compare compares it with a log
            file, and changes nothing.

              --from SEQUENCE           recover: only the records from this one on; or STREAM=SEQUENCE,..
              --files STREAM=PATH,..    recover --into: the log files, as the application has them
              --segments STREAM=PATH,.. recover --into: the folders of segments, as the application has them

            Exit codes: 0 done, 1 done and something is missing or differs, 2 usage, 3 refused, 4 something failed
            """;

    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
        if (List.of(arguments).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        if (CopyMain.isCommand(arguments)) {
            System.exit(CopyMain.run(arguments, System.out, System.err));
        }
        ShipperConfig config;
        try {
            config = read(arguments);
        } catch (IllegalArgumentException | BurstException wrong) {
            System.err.println(wrong.getMessage() + "\n\n" + USAGE);
            System.exit(2);
            return;
        }
        KafkaShipper shipper;
        try {
            shipper = KafkaShipper.start(config);
        } catch (BurstException refused) {
            System.err.println(refused.getMessage());
            System.exit(3);
            return;
        }
        config.listener()
                .accept(new BurstEvent(
                        BurstEvent.Severity.INFO,
                        Instant.now(),
                        config.folder() + " is shipped to topic " + config.topic() + " of " + config.servers()
                                + ", by its consumer " + config.consumer()));
        Runtime.getRuntime().addShutdownHook(new Thread(shipper::close));
        while (!shipper.awaitEnd(Duration.ofDays(1))) {}
        if (shipper.failure() != null) {
            System.exit(3);
        }
    }

    static ShipperConfig read(String[] arguments) {
        ShipperConfig.Builder config = ShipperConfig.builder()
                .listener(event -> System.err.println(event.time() + " " + event.severity() + " " + event.text()));
        String folder = null;
        for (int i = 0; i < arguments.length; i++) {
            String option = arguments[i];
            if (option.equals("--accept-old-brokers")) {
                config.acceptOldBrokers(true);
            } else if (!option.startsWith("--") && folder == null) {
                folder = option;
            } else if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(option + " is no option, or lacks its value.");
            } else {
                set(config, option, arguments[++i]);
            }
        }
        if (folder == null) {
            throw new IllegalArgumentException("FOLDER is missing.");
        }
        return config.folder(folder).build();
    }

    private static int number(String option, String value) {
        if (!value.matches("\\d{1,9}")) {
            throw new IllegalArgumentException(option + " " + value + " is no number: write one of at most 9 digits.");
        }
        return Integer.parseInt(value);
    }

    private static void set(ShipperConfig.Builder config, String option, String value) {
        switch (option) {
            case "--topic" -> config.topic(value);
            case "--consumer" -> config.consumer(value);
            case "--partition" -> config.partition(number(option, value));
            case "--key-pattern" -> config.keyPattern(value);
            case "--headers" -> config.headers(SettingTexts.headers(value));
            case "--transaction-bytes" -> config.transactionBytes(number(option, value));
            default -> {
                if (!readProperty(option, value, config::property)) {
                    throw new IllegalArgumentException(option + " is no option.");
                }
            }
        }
    }

    /** Reads properties of Kafka. Returns whether the option is one of those that give them. */
    static boolean readProperty(String option, String value, BiConsumer<String, String> to) {
        if (option.equals("--property")) {
            String[] parts = value.split("=", 2);
            to.accept(parts[0], parts.length == 2 ? parts[1] : "");
            return true;
        }
        if (option.equals("--properties")) {
            Properties properties = new Properties();
            try (Reader file = Files.newBufferedReader(Path.of(value))) {
                properties.load(file);
            } catch (IOException failure) {
                throw new IllegalArgumentException("--properties " + value + " cannot be read: " + failure + ".");
            }
            properties.stringPropertyNames().forEach(name -> to.accept(name, properties.getProperty(name)));
            return true;
        }
        return false;
    }
}
