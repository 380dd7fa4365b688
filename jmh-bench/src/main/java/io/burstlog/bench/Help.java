// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench;

import io.burstlog.bench.study.Studies;

/** The text of {@code help}. */
final class Help {

    private Help() {}

    static void print() {
        System.out.print("""
                Burstlog's benchmarks.

                JMH, with all its options (-h), each line in a JVM of its own:
                  java -jar benchmarks.jar AppendBench                      durable messages, by ring and way in
                      -p ring=zram,ssd-file,tmpfs,/dev/..                   zram is made, as root; a device was formatted
                      -p way=log4j,log4j-enqueued,java-jni,java-jna  -p size=256
                  java -jar benchmarks.jar PeerBench -p peer=log4j-force    what one has today
                  java -jar benchmarks.jar HandOverBench                    queues, and `offer`
                  -t 4 threads, each with its buffer; -bm sample (the default), thrpt, avgt; -prof gc; -rf json; -l
                  Fast ring against the bare disk:
                      'AppendBench|PeerBench' -p ring=zram,ssd-file -p way=log4j -p peer=log4j-force
                  Rings and logs go to a folder below the current one, or below that of java -Dbench.dir=DIR -jar ..,
                  and are removed at the end. What cannot run says why, and the others go on.

                Studies, for what JMH does not fit: targets in turns, open loop, series of every message:
                  java -jar benchmarks.jar all|STUDY.. [--full] [--dir DIR] [--out DIR]
                  quick by default; --full counts the last million messages, on a machine where nothing else runs
                  java -jar benchmarks.jar report [--out DIR]               one page of all results in that folder
                  java -jar benchmarks.jar pictures DOCS [--out DIR]        the same into DOCS/benchmarks.md
                  java -jar benchmarks.jar redraw [--docs DOCS]             its pictures anew, from its raw histograms

                """);
        printStudies();
    }

    static void printStudies() {
        System.out.println("Studies (help explains how they run):");
        for (String name : Studies.names()) {
            System.out.printf("  %-12s %s%n", name, Studies.question(name));
        }
        System.out.println("  " + Studies.groups());
    }
}
