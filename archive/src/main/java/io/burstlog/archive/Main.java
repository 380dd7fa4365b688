// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The command of archives: the archiver as a process of its own, and what an auditor does. */
final class Main {

    static final int FOUND = 1;
    static final int USAGE = 2;
    static final int REFUSED = 3;
    static final int FAILED = 4;

    private static final long MOST_DAYS = 100_000;

    private static final String HELP = """
            Archives the records of a folder of segments, and checks archives.

                java -jar burstlog-archive.jar COMMAND ARGUMENT.. [OPTION..]

              key NAME FILE              makes a private key for the archive of that name, and prints its public key
              create ARCHIVE --key FILE  makes a new archive, and prints its first head
              archive FOLDER ARCHIVE     archives until it is told to end (SIGTERM)
                  --key FILE             the private key; required
                  --consumer NAME        in FOLDER; default: to-archive
                  --interval-ms N        how long records may wait for a signed head; default: 1000
                  --keep-for-days N      so long payloads are kept at least; default: for ever
                  --keep-bytes N         so many bytes payload files have at most; default: any number
                anchors, which confirm heads outside the host; each may be repeated:
                  --authority NAME=URL,CA-FILE  an authority for time stamps (RFC 3161), and the certificates for it
                  --witness NAME=URL,KEY a witness (C2SP tlog-witness), and its public key
                  --kafka NAME=TOPIC,FILE  a topic that keeps its records, and a file with Kafka's properties
                  --file NAME=FILE       a file elsewhere: each head is written to its end
                  --sealed-every N       so many leaves lie behind a confirmed head at most; default: 1000000
                  --sealed-within-s N    for so many seconds at most; default: 600
                  --head FILE            where the newest head is kept that the key has signed, outside of the archive, for
                                         create and rotate, too; default: FILE of the key with .head behind
              rotate ARCHIVE             lets another key sign from here on; no archiver may run
                  --key FILE --next FILE the key until now, and the next one
              erase ARCHIVE INDEX..      erases the payloads of these leaves, whose hashes stay; prints which; no archiver may run
                  --key FILE             the private key; required; --head FILE as for rotate
                  --reason TEXT          why; it stays in the archive; required
              verify ARCHIVE             checks everything
                  --key KEY              the newest public key that you have from elsewhere; required, may be repeated
                  --head FILE            a head that you kept: the archive must go on from it; may be repeated
                  --threads N            default: as many as there are processors
                  --state FILE           notes what is checked, so that the next call goes on there
                  --json yes             prints JSON
                checks of what anchors answered; each may be repeated:
                  --authority-ca NAME=FILE  the certificates for the time stamps of this anchor
                  --witness-key NAME=KEY the public key of the witness
                  --kafka-topic NAME=TOPIC,FILE  the topic, and a file with Kafka's properties
                  --anchor-file NAME=FILE  the file elsewhere, or a copy of it
              prove ARCHIVE INDEX        prints the proof that this leaf is in the archive
                  --payload FILE         writes its payload there
              find ARCHIVE SEQUENCE      prints the index of the record with this sequence of the newest ring
              check-proof PROOF          checks a proof; needs no archive
                  --key KEY              the public key in force; required
                  --payload FILE         the record that it is to be of
              consistency ARCHIVE SIZE   prints the proof that the head goes on from the tree of SIZE leaves
              check-consistency PROOF    checks such a proof
                  --key KEY              the public key; required. After rotations all, the one in force last
                  --head FILE            the head that you kept; required

            Exit codes: 0 done and nothing found, 1 findings, or a proof that does not hold, 2 usage, 3 refused: another
            archiver has it, or archive, head and key do not fit together, 4 something cannot be read or written
            """;

    private final PrintStream out;
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, List<String>> options = new TreeMap<>();

    private Main(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) {
        System.exit(run(System.out, System.err, arguments));
    }

    /** Runs a command. {@return its exit code} */
    static int run(PrintStream out, PrintStream err, String... arguments) {
        if (arguments.length == 0 || List.of(arguments).contains("--help")) {
            out.print(HELP);
            return arguments.length == 0 ? USAGE : 0;
        }
        try {
            Main main = new Main(out);
            main.read(Arrays.copyOfRange(arguments, 1, arguments.length));
            return main.run(arguments[0], err);
        } catch (IllegalArgumentException | BurstException wrong) {
            err.println(wrong.getMessage() + "\nUsage: --help");
            return USAGE;
        } catch (RefusedException refused) {
            err.println(refused.getMessage());
            return REFUSED;
        } catch (IOException failed) {
            err.println(failed.getMessage() == null ? failed.toString() : failed.getMessage());
            return FAILED;
        }
    }

    private void read(String[] words) {
        for (int i = 0; i < words.length; i++) {
            if (!words[i].startsWith("--")) {
                arguments.add(words[i]);
            } else if (i + 1 == words.length) {
                throw new IllegalArgumentException(words[i] + " lacks its value.");
            } else {
                options.computeIfAbsent(words[i].substring(2), none -> new ArrayList<>())
                        .add(words[++i]);
            }
        }
    }

    private int run(String command, PrintStream err) throws IOException {
        switch (command) {
            case "key" ->
                out.println(
                        SigningKey.make(argument(0, "NAME"), path(1, "FILE")).verifier());
            case "archive" -> {
                return archive(err);
            }
            case "create" -> create();
            case "rotate" -> rotate();
            case "erase" -> erase();
            case "verify" -> {
                return verify(err);
            }
            case "prove" -> prove();
            case "find" -> find();
            case "check-proof" -> {
                return holds(checkProof());
            }
            case "consistency" -> consistency();
            case "check-consistency" -> {
                return holds(checkConsistency());
            }
            default -> throw new IllegalArgumentException(command + " is no command.");
        }
        return 0;
    }

    private String argument(int place, String name) {
        if (place >= arguments.size()) {
            throw new IllegalArgumentException(name + " is missing.");
        }
        return arguments.get(place);
    }

    private Path path(int place, String name) {
        return Path.of(argument(place, name));
    }

    private long number(String name, String value) {
        if (!value.matches("\\d{1,18}")) {
            throw new IllegalArgumentException(name + " " + value + " is no number: write one of at most 18 digits.");
        }
        return Long.parseLong(value);
    }

    /** At most what the nanoseconds of leaves can say. */
    private Duration days(String value) {
        return value == null ? null : Duration.ofDays(Math.min(MOST_DAYS, number("--keep-for-days", value)));
    }

    private List<String> all(String option) {
        return options.getOrDefault(option, List.of());
    }

    private String option(String name, String otherwise) {
        return all(name).isEmpty() ? otherwise : all(name).get(0);
    }

    private String required(String name) {
        if (all(name).isEmpty()) {
            throw new IllegalArgumentException("--" + name + " is missing.");
        }
        return all(name).get(0);
    }

    private int holds(String wrong) {
        out.println(wrong == null ? "The proof holds." : wrong);
        return wrong == null ? 0 : FOUND;
    }

    private int archive(PrintStream err) throws IOException {
        ArchiverConfig.Builder config = ArchiverConfig.builder();
        new AnchorOptions(this::all).addTo(config);
        Archiver archiver = Archiver.start(config.folder(argument(0, "FOLDER"))
                .archive(argument(1, "ARCHIVE"))
                .key(required("key"))
                .head(option("head", null))
                .consumer(option("consumer", "to-archive"))
                .interval(Duration.ofMillis(number("--interval-ms", option("interval-ms", "1000"))))
                .keepFor(days(option("keep-for-days", null)))
                .keepBytes(number("--keep-bytes", option("keep-bytes", "0")))
                .listener(event -> err.println(event.time() + " " + event.severity() + " " + event.text()))
                .build());
        Runtime.getRuntime().addShutdownHook(new Thread(archiver::close));
        try {
            while (!archiver.awaitEnd(Duration.ofDays(1))) {}
        } catch (InterruptedException stopped) {
            archiver.close();
        }
        return archiver.failure() == null ? 0 : REFUSED;
    }

    private Path head(String key) {
        return Archiver.head(Path.of(required(key)), all("head").isEmpty() ? null : Path.of(option("head", "")));
    }

    private void create() throws IOException {
        out.print(Archiver.create(path(0, "ARCHIVE"), Path.of(required("key")), head("key")));
    }

    private void rotate() throws IOException {
        SigningKey key = SigningKey.read(Path.of(required("key")));
        SigningKey next = SigningKey.read(Path.of(required("next")));
        Path folder = path(0, "ARCHIVE");
        Archiver.requireArchive(folder);
        try (Owner owner = Owner.take(folder);
                FolderDisk disk = new FolderDisk(folder);
                ArchiveWriter writer = ArchiveWriter.open(disk, key, KeptHead.of(head("key")), owner, Clocks::now)) {
            writer.rotate(next, KeptHead.of(head("next")));
        }
        out.println(next.verifier());
    }

    private void erase() throws IOException {
        argument(1, "INDEX");
        List<Long> leaves =
                arguments.stream().skip(1).map(each -> number("INDEX", each)).toList();
        Erasure.erase(path(0, "ARCHIVE"), Path.of(required("key")), head("key"), required("reason"), leaves)
                .forEach(out::println);
    }

    private int verify(PrintStream err) throws IOException {
        Verification verification = Verification.of(path(0, "ARCHIVE"));
        required("key");
        all("key").forEach(each -> verification.key(VerifierKey.of(each)));
        for (String each : all("head")) {
            verification.known(Checkpoint.of(Files.readString(Path.of(each))));
        }
        new AnchorOptions(this::all).addTo(verification);
        if (!all("threads").isEmpty()) {
            verification.threads((int) Math.min(1024, number("--threads", option("threads", ""))));
        }
        if (!all("state").isEmpty()) {
            verification.state(Path.of(option("state", "")));
        }
        Verification.Report report = verification
                .progress(leaves -> err.print("\r" + leaves + " leaves"))
                .run();
        err.println();
        out.print(options.containsKey("json") ? ReportText.json(report) : ReportText.plain(report));
        return report.isIntact() ? 0 : FOUND;
    }

    private void prove() throws IOException {
        ArchiveReader archive = ArchiveReader.open(path(0, "ARCHIVE"));
        long index = number("INDEX", argument(1, "INDEX"));
        if (!all("payload").isEmpty()) {
            Files.write(Path.of(option("payload", "")), archive.payload(index));
        }
        out.print(archive.prove(index));
    }

    private void find() throws IOException {
        ArchiveReader archive = ArchiveReader.open(path(0, "ARCHIVE"));
        long sequence = number("SEQUENCE", argument(1, "SEQUENCE"));
        long index = archive.find(sequence);
        if (index < 0) {
            throw new IOException(
                    "no record of the newest ring in " + path(0, "ARCHIVE") + " has sequence " + sequence);
        }
        out.println(index);
    }

    private String checkProof() throws IOException {
        Proof proof = Proof.of(Files.readString(path(0, "PROOF")));
        byte[] payload = all("payload").isEmpty() ? null : Files.readAllBytes(Path.of(option("payload", "")));
        String wrong = proof.check(VerifierKey.of(required("key")), payload);
        if (wrong == null) {
            out.println(proof.leaf() + "\nleaf " + proof.index() + " of "
                    + proof.head().origin());
        }
        return wrong;
    }

    private void consistency() throws IOException {
        ArchiveReader archive = ArchiveReader.open(path(0, "ARCHIVE"));
        long size = number("SIZE", argument(1, "SIZE"));
        out.print("old " + size + "\n");
        archive.proveConsistency(size)
                .forEach(each -> out.print(Base64.getEncoder().encodeToString(each) + "\n"));
        out.print("\n" + archive.head());
    }

    private String checkConsistency() throws IOException {
        required("key");
        List<VerifierKey> keys = all("key").stream().map(VerifierKey::of).toList();
        VerifierKey newest = keys.get(keys.size() - 1);
        Checkpoint kept = Checkpoint.of(Files.readString(Path.of(required("head"))));
        String text = Files.readString(path(0, "PROOF"));
        int end = text.indexOf("\n\n");
        if (end < 0 || !text.startsWith("old ")) {
            throw new IllegalArgumentException(path(0, "PROOF") + " is no proof of consistency.");
        }
        List<byte[]> hashes = text.substring(0, end)
                .lines()
                .skip(1)
                .map(Base64.getDecoder()::decode)
                .toList();
        Checkpoint head = Checkpoint.of(text.substring(end + 2));
        if (!head.isSignedBy(newest)) {
            return "The head in the proof is not signed by " + newest + ", the last of the given keys.";
        }
        if (!kept.isSignedByOneOf(keys)) {
            return "The head that was kept is not signed by any of the given keys.";
        }
        return MerkleTree.isConsistent(kept.size(), kept.root(), head.size(), head.root(), hashes)
                ? null
                : "The head of " + head.size() + " leaves does not go on from that of " + kept.size() + ".";
    }
}
