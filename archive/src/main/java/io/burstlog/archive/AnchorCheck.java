// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Checks what anchors confirmed: the answers that the archive kept, and the heads that the places themselves have. */
final class AnchorCheck {

    private final Disk disk;
    private final Checkpoint head;
    private final ArchiveReader archive;
    private final Predicate<Checkpoint> isTrusted;
    private final Map<String, AnswerCheck> checks;
    private final List<Part> parts;
    private final Consumer<Finding> found;
    private final NavigableSet<Long> confirmed = new TreeSet<>();

    /**
     * @param isTrusted whether a key that follows from the auditor's has signed a head
     * @param checks for each anchor of which the auditor has what it takes
     * @param parts the leaves of the payload files
     */
    AnchorCheck(
            Disk disk,
            Checkpoint head,
            Predicate<Checkpoint> isTrusted,
            Map<String, AnswerCheck> checks,
            List<Part> parts,
            Consumer<Finding> found) {
        this.disk = disk;
        this.head = head;
        archive = new ArchiveReader(disk, head);
        this.isTrusted = isTrusted;
        this.checks = checks;
        this.parts = parts;
        this.found = found;
    }

    /** {@return the results for each anchor} */
    List<Verification.Anchored> check() throws IOException {
        NavigableSet<String> names = new TreeSet<>(checks.keySet());
        for (String each : disk.list(Tiles.ANCHORS)) {
            if (each.endsWith("/")) {
                names.add(each.substring(0, each.length() - 1));
            }
        }
        List<Verification.Anchored> all = new ArrayList<>();
        for (String each : names) {
            all.add(check(each, checks.get(each)));
        }
        return all;
    }

    /** {@return the sizes of the heads that anchors confirm, as far as no check says otherwise} */
    NavigableSet<Long> confirmed() {
        return confirmed;
    }

    private Verification.Anchored check(String name, AnswerCheck check) throws IOException {
        long size = 0;
        long answers = 0;
        Instant time = null;
        Duration longest = null;
        long timed = 0;
        List<Long> kept = Anchors.kept(disk, name);
        // Read behind the list: an archiver may be at work.
        long newest = ArchiveReader.head(disk).size();
        for (long each : kept) {
            AnswerCheck.Result result = each > newest
                    ? AnswerCheck.Result.wrong(
                            "is newer than the archive, which has " + newest + ": leaves were taken from its end")
                    : each > head.size() ? null : judge(name, each, check);
            if (result != null && result.wrong() != null) {
                tell("the answer of the anchor " + name + " to the head of " + each + " leaves " + result.wrong());
            } else if (result != null) {
                confirmed.add(each);
                answers++;
                size = each;
                time = result.time();
                if (time != null) {
                    longest = longer(longest, oldest(timed, each), time);
                    timed = each;
                }
            }
        }
        for (Checkpoint each : check == null ? List.<Checkpoint>of() : check.heads(head.origin())) {
            String wrong = isTrusted.test(each) ? wrongOf(each, newest) : null;
            if (wrong != null) {
                tell("the head of " + each.size() + " leaves that the anchor " + name + " has " + wrong);
            }
        }
        return new Verification.Anchored(name, check != null, answers, size, head.size() - size, time, longest);
    }

    /** The longer one of a time, and the time from when a leaf was taken to the head that confirms it. */
    private static Duration longer(Duration longest, long takenNanos, Instant time) {
        Duration waited = Duration.between(Instant.EPOCH.plusNanos(takenNanos), time);
        return takenNanos == Long.MAX_VALUE || (longest != null && waited.compareTo(longest) <= 0) ? longest : waited;
    }

    /** {@return when the oldest of these leaves was taken, as it says; Long.MAX_VALUE if none is proven} */
    private long oldest(long from, long end) {
        long oldest = Long.MAX_VALUE;
        for (long at = from, next; at < end; at = next) {
            next = Math.min(end, (at / Tiles.WIDTH + 1) * Tiles.WIDTH);
            int file = (int) (at / Tiles.PAYLOAD_LEAVES);
            boolean isWhole = next - at == Tiles.WIDTH && file < parts.size();
            oldest = Math.min(
                    oldest,
                    isWhole ? parts.get(file).oldest[(int) (at / Tiles.WIDTH % Tiles.WIDTH)] : oldestOfFew(at, next));
        }
        return oldest;
    }

    private long oldestOfFew(long from, long end) {
        long oldest = Long.MAX_VALUE;
        for (long each = from; each < end; each++) {
            try {
                oldest = Math.min(oldest, archive.leaf(each).takenNanos());
            } catch (IOException damaged) {
                // A finding names the bundle.
                break;
            }
        }
        return oldest;
    }

    private void tell(String sentence) {
        found.accept(Finding.of(Finding.Kind.ANCHOR, sentence));
    }

    private AnswerCheck.Result judge(String name, long size, AnswerCheck check) throws IOException {
        Checkpoint kept;
        try {
            kept = Checkpoint.of(new String(disk.read(Anchors.headName(name, size)), UTF_8));
        } catch (NoSuchFileException none) {
            return AnswerCheck.Result.wrong("has lost its head, " + Anchors.headName(name, size));
        } catch (IllegalArgumentException damaged) {
            return AnswerCheck.Result.wrong("has no head in " + Anchors.headName(name, size));
        }
        String wrong = kept.size() == size ? wrongOf(kept, head.size()) : "is that to a head of " + kept.size();
        if (wrong != null) {
            return AnswerCheck.Result.wrong(wrong);
        }
        AnswerCheck.Result result = check == null
                ? AnswerCheck.Result.confirmed(null)
                : check.check(kept, disk.read(Anchors.answerName(name, size)));
        return result.wrong() == null ? result : AnswerCheck.Result.wrong("does not hold: " + result.wrong());
    }

    private String wrongOf(Checkpoint each, long newest) {
        if (each.size() > newest) {
            return "is newer than the archive, which has " + newest + ": leaves were taken from its end";
        }
        try {
            return each.size() > head.size() || Arrays.equals(each.root(), archive.root(each.size()))
                    ? null
                    : "is of another tree: the archive was changed since";
        } catch (IOException | RuntimeException damaged) {
            return "cannot be compared with the tree, which is damaged: " + damaged;
        }
    }
}
