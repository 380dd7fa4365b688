// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.apache.bookkeeper.client.BookKeeperAdmin;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.net.BookieId;

/** A ZooKeeper and three bookies, each a process of its own. A bookie can be killed, and started again. */
final class Bookies implements AutoCloseable {

    static final int COUNT = 3;
    private static final int PATIENCE_MILLIS = 60_000;

    // Longer than a session, and than disks take to be seen free.
    private static final int READ_ONLY_MILLIS = 10_000;

    // The temporary directory may be memory.
    static final Path WORK = Path.of("target", "bookkeeper-it").toAbsolutePath();

    /** They wait for no company before they sync. */
    static final String AT_ONCE = "journalMaxGroupWaitMSec=0\njournalFlushWhenQueueEmpty=true";

    private static Bookies shared;

    private final Path work;
    private final Nodes nodes;
    private final String uri;
    private final int[] ports = new int[COUNT];
    private final Process keeper;
    private final Process[] bookies = new Process[COUNT];

    /** @param journal lines of the bookies' configuration, about their journals */
    Bookies(Path work, String journal) throws Exception {
        this(work, journal, Nodes.LOOPBACK);
    }

    /** @param more lines of the bookies' configuration */
    Bookies(Path work, String more, Nodes nodes) throws Exception {
        this.work = work;
        this.nodes = nodes;
        deleteTree(work);
        Files.createDirectories(work);
        // The kernel does not hand these out by itself: a bookie comes back to its own.
        int[] free = ThreadLocalRandom.current()
                .ints(15_000, 25_000)
                .distinct()
                .filter(Bookies::isFree)
                .limit(1 + COUNT)
                .toArray();
        int port = free[0];
        uri = "zk+hierarchical://" + nodes.address() + ":" + port + "/ledgers";
        Path settings = Files.writeString(
                work.resolve("zoo.cfg"), """
                dataDir=%s
                clientPort=%d
                clientPortAddress=%s
                tickTime=500
                admin.enableServer=false
                """.formatted(work.resolve("zookeeper"), port, nodes.address()));
        keeper = java(
                List.of(),
                work.resolve("zookeeper.out"),
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                settings.toString());
        Runtime.getRuntime().addShutdownHook(new Thread(this::killAll));
        awaitPort(keeper, nodes.address(), port);
        for (int i = 0; i < COUNT; i++) {
            ports[i] = free[1 + i];
            nodes.disk(folder(i));
            Files.writeString(settings(i), """
                    metadataServiceUri=%s
                    bookiePort=%d
                    allowLoopback=true
                    advertisedAddress=%s
                    journalDirectories=%s
                    ledgerDirectories=%s
                    indexDirectories=%s
                    httpServerEnabled=false
                    numAddWorkerThreads=1
                    numReadWorkerThreads=1
                    numHighPriorityWorkerThreads=1
                    journalPreAllocSizeMB=1
                    logSizeLimit=16777216
                    skipListSizeLimit=8388608
                    dbStorage_writeCacheMaxSizeMb=8
                    diskUsageThreshold=0.99
                    diskUsageWarnThreshold=0.99
                    zkTimeout=4000
                    %s
                    """.formatted(
                            uri, ports[i], nodes.address(node(i)), folder(i), folder(i), folder(i), more));
        }
        ServerConfiguration configuration = new ServerConfiguration();
        configuration.loadConf(settings(0).toUri().toURL());
        BookKeeperAdmin.initNewCluster(configuration);
        for (int i = 0; i < COUNT; i++) {
            start(i);
        }
        for (int i = 0; i < COUNT; i++) {
            awaitPort(bookies[i], nodes.address(node(i)), ports[i]);
        }
    }

    /** {@return bookies for all tests of this JVM; they end with it} */
    static synchronized Bookies shared() throws Exception {
        if (shared == null) {
            deleteTree(WORK);
            shared = new Bookies(WORK.resolve("bookies"), AT_ONCE);
        }
        return shared;
    }

    private Path settings(int bookie) {
        return work.resolve("bookie-" + bookie + ".conf");
    }

    static String node(int bookie) {
        return "bookie-" + bookie;
    }

    Path folder(int bookie) {
        return work.resolve("bookie-" + bookie);
    }

    String uri() {
        return uri;
    }

    void start(int bookie) throws IOException {
        bookies[bookie] = java(
                nodes.on(node(bookie)),
                work.resolve("bookie-" + bookie + ".out"),
                "org.apache.bookkeeper.server.Main",
                "--conf",
                settings(bookie).toString());
    }

    /** Waits until clients see so many bookies: a killed one counts until its session is over. */
    void awaitAvailable(int count) throws Exception {
        try (BookKeeperAdmin admin = admin()) {
            for (long begin = System.nanoTime(); admin.getAvailableBookies().size() != count; Thread.sleep(50)) {
                if (System.nanoTime() - begin > PATIENCE_MILLIS * 1_000_000L) {
                    throw new IOException("there are " + admin.getAvailableBookies());
                }
            }
        }
    }

    /**
     * Waits until each of them answers: one that was cut off may not be reached yet, and one that starts again listens
     * after clients see it.
     */
    void awaitAnswers() throws Exception {
        for (int i = 0; i < COUNT; i++) {
            for (long begin = System.nanoTime(); !answers(nodes.address(node(i)), ports[i]); Thread.sleep(20)) {
                if (System.nanoTime() - begin > PATIENCE_MILLIS * 1_000_000L) {
                    throw new IOException(node(i) + " does not answer, see its output");
                }
            }
        }
    }

    /**
     * Waits a while until clients may write to all, and kills those that stay read-only: a bookie that failed to flush
     * its entries does, until it is started again.
     *
     * @return how many it has killed
     */
    int killReadOnly() throws Exception {
        try (BookKeeperAdmin admin = admin()) {
            for (long begin = System.nanoTime(); admin.getAvailableBookies().size() != COUNT; Thread.sleep(50)) {
                if (System.nanoTime() - begin > READ_ONLY_MILLIS * 1_000_000L) {
                    Collection<BookieId> readOnly = admin.getReadOnlyBookies();
                    for (BookieId each : readOnly) {
                        kill(indexOf(each));
                    }
                    return readOnly.size();
                }
            }
        }
        return 0;
    }

    private int indexOf(BookieId id) throws IOException {
        for (int i = 0; i < COUNT; i++) {
            if (id.toString().equals(nodes.address(node(i)) + ":" + ports[i])) {
                return i;
            }
        }
        throw new IOException(id + " is no bookie of these");
    }

    private BookKeeperAdmin admin() throws Exception {
        return new BookKeeperAdmin(uri.replace("zk+hierarchical://", "").replace("/ledgers", ""));
    }

    /** Starts those that have ended. */
    void startDead() throws IOException {
        for (int i = 0; i < COUNT; i++) {
            if (!bookies[i].isAlive()) {
                start(i);
            }
        }
    }

    /** Starts it again, and waits until it answers. */
    void startAgain(int bookie) throws Exception {
        start(bookie);
        awaitPort(bookies[bookie], nodes.address(node(bookie)), ports[bookie]);
    }

    void kill(int bookie) throws InterruptedException {
        kill(bookies[bookie]);
    }

    static void kill(Process process) throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return probe.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    private static boolean answers(String address, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 1000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static void awaitPort(Process process, String address, int port) throws Exception {
        for (long begin = System.nanoTime(); !answers(address, port); Thread.sleep(20)) {
            if (!process.isAlive() || System.nanoTime() - begin > PATIENCE_MILLIS * 1_000_000L) {
                throw new IOException("nothing listens at port " + port + ", see its output");
            }
        }
    }

    /** A JVM with the class path of this one. */
    static Process java(Path said, String... arguments) throws IOException {
        return java(List.of(), said, arguments);
    }

    /** @param on what starts it on a node */
    static Process java(List<String> on, Path said, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(on);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx160m",
                "-XX:MaxDirectMemorySize=128m",
                "-Dio.netty.leakDetection.level=disabled",
                "--add-opens",
                "java.base/java.io=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path")));
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            command.add(on.size() + 1, nativeAccess);
        }
        command.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(said.toFile()))
                .start();
    }

    static void deleteTree(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> tree = Files.walk(directory)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    private void killAll() {
        for (Process each : bookies) {
            if (each != null) {
                each.destroyForcibly();
            }
        }
        keeper.destroyForcibly();
    }

    @Override
    public void close() throws InterruptedException {
        for (Process each : bookies) {
            if (each != null) {
                kill(each);
            }
        }
        kill(keeper);
    }
}
