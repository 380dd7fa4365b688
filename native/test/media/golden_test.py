#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`burstlog` and the second decoder must read the same from the golden images of the media format, for ever.

    native/test/media/golden_test.py BURSTLOG [IMAGE...]     default: the images in native/test/media/golden

make_golden.c made them. They are never made anew for the same version of the format: code that cannot read
them has broken the format.
"""
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

import decoder

HERE = os.path.dirname(os.path.abspath(__file__))
# Each golden image must hold at least so many epochs and voids, and these streams with records that wait.
GOLDEN = {"fresh": (0, 0, set()), "crashes": (2, 1, {0}), "streams": (1, 0, {0, 3, 17}), "lines": (2, 2, {0}),
          "redo": (1, 0, {0}), "rolls": (1, 0, {0}), "ruled": (1, 0, {0, 1}), "segments": (1, 0, {0, 1}),
          "diverted": (1, 0, {0})}
# An image here has its log file beside it: the drain had begun to write the waiting records, and noted nothing of that.
BEGUN = {"redo"}
PHASES = ("none", "rolling", "rolled", "given up")


def moment(ns, digits):
    seconds, rest = divmod(ns, 1000000000)
    fraction = ".%09d" % rest if digits else ""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + fraction + "Z"


def text_of(payload):
    return "".join(chr(byte) if 32 <= byte < 127 else "\\n" if byte == 10 else "\\x%02x" % byte for byte in payload)


def waits(found, item):
    """Says whether an item of the decoder's log is not in its stream's log file yet."""
    streams = found["checkpoints"][found["newest"]]["streams"]
    drained = {stream["id"]: stream["drained_position"] for stream in streams}
    return item["type"] != decoder.DATA or item["position"] >= drained[item["stream"]]


def rolled(roll):
    """The parts of a roll that `dump` shows."""
    if roll is None:
        return {"type": "roll", "valid": False}
    return {"type": "roll", "valid": True, "target": text_of(roll["target"]), "next_file": text_of(roll["next"]),
            "footer": text_of(roll["footer"]), "header": text_of(roll["header"]), "note": text_of(roll["note"]),
            "next_roll_ns": roll["next_time_ns"], "next_roll_bytes": roll["next_file_bytes"], "rules": rules_of(roll["rules"])}


COMPRESSIONS = ("none", "gzip", "zstd")


def rules_of(rules):
    """The rules of a roll as `dump` shows them."""
    if rules is None:
        return []
    return [{"pattern": text_of(rules["pattern"]), "file_mode": "%04o" % rules["file_mode"],
             "mode_is_exact": rules["mode_is_exact"] == 1, "file_owner": rules["file_owner"],
             "file_group": rules["file_group"], "compression": COMPRESSIONS[rules["compression"]],
             "level": str(rules["level"]), "delay_ns": rules["delay_ns"], "keep_files": rules["keep_files"],
             "keep_bytes": rules["keep_bytes"], "keep_ns": rules["keep_ns"],
             "is_by_time": rules["is_by_time"] == 1}]


def plans(stream):
    """The number of the stream's file, and its phase in a roll. Unknown ones are not shown."""
    shown = {"log_file_number": stream["file_number"], "roll_under_way": PHASES[stream["roll_phase"]]}
    if stream["file_born_ns"]:
        shown["log_file_born"] = moment(stream["file_born_ns"], 0)
    if stream["next_time_ns"]:
        shown["next_roll"] = moment(stream["next_time_ns"], 0)
    if stream["next_file_bytes"]:
        shown["next_roll_at_bytes"] = stream["next_file_bytes"]
    return shown


def as_dumped(item):
    """Returns an item of the decoder's log as `burstlog dump --json` shows it."""
    if item["type"] == "gap":
        return {"state": "void", "from_position": item["from"], "to_position": item["to"]}
    shown = {"state": "waiting", "type": decoder.TYPES[item["type"]],
             **{name: item[name] for name in ("position", "sequence", "epoch", "length")}}
    if item["type"] == decoder.DATA:
        shown.update(time=moment(item["event_time_ns"], 9), enqueued=bool(item["flags"] & decoder.ENQUEUED),
                     stream=item["stream"])
        shown.update(rolled(item["roll"]) if item["flags"] & decoder.ROLL else {"payload": text_of(item["payload"])})
    elif item["type"] == decoder.MARKER:
        marker = item["marker"]
        shown["marker"] = "opened %s, the log ended at position %d, losses found: %d" % (
            moment(marker["opened_ns"], 0), marker["log_end"], marker["loss_count"])
    return shown


def as_told(found):
    """Returns what `burstlog info --json` shows of the fixed head and of the log."""
    superblock, streams = found["superblocks"][0], found["checkpoints"][found["newest"]]["streams"]
    data = [item for item in found["log"] if item["type"] == decoder.DATA and waits(found, item)]
    return {
        "superblock": {"copy_0": "valid", "copy_1": "valid", "version": superblock["version"],
                       "uuid": superblock["uuid"], "created": moment(superblock["created_ns"], 0),
                       "capacity_bytes": superblock["capacity_bytes"], "block_bytes": superblock["block_bytes"]},
        "checkpoints": [{"slot": slot, "valid": True, "newest": slot == found["newest"],
                         "generation": checkpoint["generation"], "epoch": checkpoint["epoch"],
                         "written": moment(checkpoint["written_ns"], 0),
                         "streams": [{"stream": stream["id"], "name": stream["name"],
                                      "drained_position": stream["drained_position"],
                                      "drained_sequence": stream["next_sequence"] - 1, "log_file": file_of(stream),
                                      "log_file_bytes": stream["length"], **plans(stream)} for stream in checkpoint["streams"]]}
                        for slot, checkpoint in enumerate(found["checkpoints"])],
        "writer_notes": [{"slot": slot, "valid": True, "generation": note["generation"], "epoch": note["epoch"],
                          "written": moment(note["written_ns"], 0), "durable_position": note["durable_position"],
                          "in_flight_up_to_position": note["in_flight_end"], "closed": note["closed"] == 1}
                         for slot, note in enumerate(found["notes"])],
        "log": {"begins_at_position": min(stream["drained_position"] for stream in streams),
                "ends_at_position": found["log_end"], "records_waiting": len(data), "records_lost": 0},
    }


def file_of(stream):
    names = [stream["path"]] + [str(stream[name]) for name in ("diverted_sequence", "diverted_attempt") if stream[name]]
    if stream["diverted_form"]:
        names[1] = "burst-" + names[1]
    return ".".join(names)


def differences(ours, theirs, where=""):
    """Lists the places where their answer lacks or contradicts ours; theirs may have more."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in ours:
            if name in theirs:
                yield from differences(ours[name], theirs[name], "%s.%s" % (where, name))
            else:
                yield "%s.%s: is not told" % (where, name)
    elif isinstance(ours, list) and isinstance(theirs, list):
        for i, (one, other) in enumerate(zip(ours, theirs)):
            yield from differences(one, other, "%s[%d]" % (where, i))
        if len(ours) != len(theirs):
            yield "%s: %d of them, not %d" % (where, len(theirs), len(ours))
    elif ours != theirs:
        yield "%s: %.100r, the second decoder reads %.100r" % (where, theirs, ours)


def run(burstlog, command, path):
    """Returns the command's answer, and its error. Whether a writer could write there does not matter."""
    done = subprocess.run([burstlog, command, "--json", path], capture_output=True, text=True, errors="surrogateescape")
    try:
        return json.loads(done.stdout), None
    except ValueError:
        return None, "burstlog %s: %s" % (command, (done.stderr or done.stdout).strip())


def judge(burstlog, path, found):
    """Returns what is wrong."""
    told, refused = run(burstlog, "info", path)
    dumped, refused_too = run(burstlog, "dump", path)
    if refused or refused_too:
        return [refused or refused_too]
    shown = [item for item in dumped["records"] if item["state"] != "drained"]
    return list(differences(as_told(found), told, "info")) + list(
        differences([as_dumped(item) for item in found["log"] if waits(found, item)], shown, "dump"))


def lacks(name, found):
    """Checks that a golden image holds enough to prove something."""
    records = [item for item in found["log"] if item["type"] != "gap"]
    epochs, voids, streams = GOLDEN[name]
    held = (len({item["epoch"] for item in records}), len(found["log"]) - len(records),
            {item["stream"] for item in records if item["type"] == decoder.DATA})
    return [] if held[0] >= epochs and held[1] >= voids and held[2] >= streams else ["it holds but %r" % (held,)]


def not_begun(name, found):
    """Returns what is wrong with the log file: it must have all that the checkpoint notes, then a
    part of what a redo writes."""
    if name not in BEGUN:
        return []
    content = decoder.read_image(os.path.join(HERE, "golden", name + ".log.gz"))
    stream = found["checkpoints"][found["newest"]]["streams"][0]
    noted, behind = content[:stream["length"]], content[stream["length"]:]
    redo = b"".join(item["payload"] for item in found["log"] if item["type"] == decoder.DATA)
    wrong = [] if decoder.crc32c(noted[-stream["tail_bytes"]:]) == stream["tail_crc"] else ["the file's noted end differs"]
    return wrong + ([] if 0 < len(behind) < len(redo) and redo.startswith(behind) else ["no redo has begun in the file"])


def without_segments(name, found):
    """Returns what is wrong with the folder of segments beside a ring: it must have what its stream's log file has."""
    names = [os.path.basename(path) for path in glob.glob(os.path.join(HERE, "golden", name + ".*.seg.gz"))]
    if name != "segments":
        return []
    read = lambda what: decoder.read_image(os.path.join(HERE, "golden", "%s.%s.gz" % (name, what)))
    contents = {int(file.split(".")[1]): read(file[len(name) + 1:-3]) for file in names}
    folder = decoder.decode_segments(read("head"), contents)
    numbers, wrong = 1, []
    for segment in folder["segments"]:
        wrong += [] if segment["first_number"] == numbers else ["segment %d is number %d" % (segment["first_number"], numbers)]
        numbers += len(segment["frames"])
    frames = [frame for segment in folder["segments"] for frame in segment["frames"]]
    stream = [stream for stream in found["checkpoints"][found["newest"]]["streams"] if stream["kind"] == 3][0]
    last = folder["segments"][-1]
    noted = contents[last["first_number"]][:stream["length"]]
    positions = [slot["next_number"] for slot in decoder.decode_position(read("consumer"), folder["uuid"])]
    checks = {
        "the consumer stands elsewhere": positions == [17, 13],
        "the text of the frames is not that of the log file": b"".join(frame["payload"] for frame in frames) == read("orders"),
        "the sequences do not rise": all(one["sequence"] < two["sequence"] for one, two in zip(frames, frames[1:])),
        "the checkpoint names another folder": folder["uuid"] == struct.pack("<Qq", stream["inode"], stream["born_ns"]),
        "the checkpoint names another segment": stream["file_number"] == last["first_number"],
        "the checkpoint counts other frames": stream["frames"] == len(last["frames"]) and stream["length"] == last["end"],
        "the tail differs": decoder.crc32c(noted[-stream["tail_bytes"]:]) == stream["tail_crc"],
        "it follows another stream": stream["follows"] - 1 == frames[0]["stream"],
        "the folder has another name": folder["name"] == "orders",
        "it holds too little": len(frames) == 24 and len(folder["segments"]) >= 3,
        "the ring is another one": last["ring_uuid"].hex() == found["superblocks"][0]["uuid"].replace("-", ""),
    }
    return wrong + [what for what, holds in checks.items() if not holds]


def main():
    burstlog, paths = sys.argv[1], sys.argv[2:]
    golden = {name: os.path.join(HERE, "golden", name + ".ring.gz") for name in GOLDEN} if not paths else {}
    failed = 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", ".")) as folder:
        for path in paths or golden.values():
            name = re.sub(r"\.ring(\.gz)?$", "", os.path.basename(path))
            content = decoder.read_image(path)
            copy = os.path.join(folder, name + ".ring")
            with open(copy, "wb") as file:
                file.write(content)
            try:
                found = decoder.decode(content)
                wrong = judge(burstlog, copy, found) + (lacks(name, found) + not_begun(name, found) + without_segments(name, found) if golden else [])
            except decoder.Undecodable as why:
                wrong = ["the second decoder: %s" % why]
            failed += bool(wrong)
            print("%-5s %s: %s" % ("FAIL" if wrong else "ok", name, "; ".join(wrong[:10]) or "%d items" % len(found["log"])))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
