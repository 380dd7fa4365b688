#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second decoder of the media format. It was written from docs/media-format.md and nothing else.

    native/test/media/decoder.py IMAGE      prints as JSON what stands on the medium and the log that it holds

IMAGE is a ring file or a copy of a device, .gz or not. In an undamaged image it finds the log that a recovery finds.
"""
import gzip
import json
import struct
import sys

KIB = 1024
SUPERBLOCKS = (0, 64 * KIB)
NOTES = (128 * KIB, 192 * KIB)
CHECKPOINTS = (256 * KIB, 384 * KIB)
CHECKPOINT_SLOT_BYTES = 128 * KIB
CALIBRATION = 640 * KIB
LINES = 1
DATA, PAD, VOID, MARKER = 1, 2, 3, 4
TYPES = {DATA: "data", PAD: "pad", VOID: "void", MARKER: "marker"}
LAST, ENQUEUED, ROLL = 1, 2, 4
HEADER_BYTES = 56
LINE_BYTES = 64
NUMBER_MAX = 1 << 62


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC_TABLE = crc_table()


def crc32c(data, seed=0):
    crc = seed ^ 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def align_up(number, unit):
    return -(-number // unit) * unit


def fields(data, at, layout):
    """Returns {name: value} of (offset, format, name)."""
    return {name: struct.unpack_from("<" + form, data, at + offset)[0] for offset, form, name in layout}


class Undecodable(Exception):
    pass


SUPERBLOCK = ((0, "8s", "magic"), (8, "I", "version"), (12, "I", "superblock_bytes"), (16, "Q", "incompatible"),
              (24, "Q", "compatible"), (32, "16s", "uuid"), (48, "Q", "data_offset"), (56, "Q", "capacity_bytes"),
              (64, "Q", "medium_bytes"), (72, "I", "block_bytes"), (76, "I", "logical_block_bytes"),
              (80, "I", "record_align_bytes"), (84, "I", "checkpoint_bytes"), (88, "q", "created_ns"))


def decode_superblock(image, at):
    """Returns the superblock there, or None if it is not valid."""
    block = image[at:at + 512]
    found = fields(block, 0, SUPERBLOCK)
    found["uuid"] = found["uuid"].hex()
    if found["magic"] != b"BURSTLOG" or struct.unpack_from("<I", block, 508)[0] != crc32c(block[:508]):
        return None
    if found["version"] != 2 or found["incompatible"] & ~LINES:
        raise Undecodable("version %(version)d, incompatible features %(incompatible)#x" % found)
    block_bytes, capacity = found["block_bytes"], found["capacity_bytes"]
    sound = (found["record_align_bytes"] == 8 and found["data_offset"] == 1024 * KIB and 4096 <= block_bytes <= 65536 and
             block_bytes & (block_bytes - 1) == 0 and capacity % block_bytes == 0 and
             8 * block_bytes <= capacity <= 1 << 38)
    return found if sound else None


RECORD = ((0, "Q", "position"), (8, "Q", "sequence"), (16, "I", "length"), (20, "B", "type"), (21, "B", "flags"),
          (22, "H", "stream"), (24, "q", "event_time_ns"), (32, "Q", "durable_position"), (40, "I", "epoch"),
          (44, "I", "in_flight"), (48, "I", "payload_crc"), (52, "I", "header_crc"))
MARKER_PAYLOAD = ((0, "Q", "log_end"), (8, "Q", "durable_position"), (16, "Q", "next_sequence"), (24, "I", "epoch"),
                  (28, "I", "loss_count"), (32, "q", "opened_ns"), (40, "Q", "first_position"))
ROLL_HEAD = ((0, "I", "bytes"), (4, "I", "footer_bytes"), (8, "I", "header_bytes"), (12, "I", "target_bytes"),
             (16, "I", "next_bytes"), (20, "I", "note_bytes"), (24, "Q", "next_time_ns"), (32, "Q", "next_file_bytes"),
             (40, "I", "by_caller"), (44, "I", "rules_bytes"))
ROLL_RULES = ((0, "I", "bytes"), (4, "I", "pattern_bytes"), (8, "I", "file_mode"), (12, "I", "mode_is_exact"),
              (16, "I", "file_owner"), (20, "I", "file_group"), (24, "I", "compression"), (28, "i", "level"),
              (32, "q", "delay_ns"), (40, "Q", "keep_files"), (48, "Q", "keep_bytes"), (56, "q", "keep_ns"),
              (64, "I", "is_by_time"))
ROLL_PARTS = ("footer", "header", "target", "next", "note")
LOSS = ((0, "Q", "from"), (8, "Q", "to"), (16, "Q", "first_sequence"), (24, "Q", "count"))


def is_path(path):
    return path[:1] in (b"", b"/") and b"\0" not in path and len(path) < 4096


def decode_rules(block):
    """Returns the rules of a roll, or None if it has none."""
    if len(block) < 72:
        return None
    rules = fields(block, 0, ROLL_RULES)
    rules["pattern"] = block[rules["bytes"]:]
    sound = (rules["bytes"] >= 72 and rules["bytes"] + rules["pattern_bytes"] == len(block) and
             is_path(rules["pattern"]) and rules["file_mode"] <= 0o7777 and max(rules["mode_is_exact"], rules["is_by_time"]) <= 1 and
             rules["compression"] <= 2 and abs(rules["level"]) <= 22 and min(rules["delay_ns"], rules["keep_ns"]) >= 0)
    return rules if sound else None


def decode_roll(payload):
    """Returns the contents of a roll's payload, or None if it is no roll."""
    if len(payload) < 64:
        return None
    roll = fields(payload, 0, ROLL_HEAD)
    at = roll["bytes"]
    for part in ROLL_PARTS:
        size = roll.pop(part + "_bytes")
        roll[part] = payload[at:at + size]
        at += size
    sound = (roll["bytes"] >= 64 and roll["rules_bytes"] <= roll["bytes"] - 64 and at == len(payload) and len(roll["note"]) <= 1024 and
             max(roll["next_time_ns"], roll["next_file_bytes"]) < 1 << 63 and roll["by_caller"] <= 1 and
             is_path(roll["target"]) and is_path(roll["next"]))
    roll["rules"] = decode_rules(payload[64:64 + roll["rules_bytes"]]) if sound else None
    return roll if sound else None


class Ring:
    """The data area: reads positions, and finds the next record."""

    def __init__(self, image, superblock):
        self.capacity = superblock["capacity_bytes"]
        self.block_bytes = superblock["block_bytes"]
        self.unit = LINE_BYTES if superblock["incompatible"] & LINES else self.block_bytes
        self.data = image[superblock["data_offset"]:superblock["data_offset"] + self.capacity]
        self.seed = crc32c(bytes.fromhex(superblock["uuid"]))
        self.markers = self.find_markers()

    def record_at(self, position):
        """Returns the valid record there, or None."""
        place = position % self.capacity
        if position % 8 != 0 or place + HEADER_BYTES > self.capacity:
            return None
        found = fields(self.data, place, RECORD)
        if (found["position"] != position or found["type"] not in TYPES or
                found["header_crc"] != crc32c(self.data[place:place + 52], self.seed)):
            return None
        end = place + HEADER_BYTES + found["length"]
        if (end > self.capacity or found["durable_position"] % 8 != 0 or found["durable_position"] > position or
                not found["in_flight"] < found["sequence"] <= NUMBER_MAX):
            return None
        payload = self.data[place + HEADER_BYTES:end]
        if found["type"] != PAD and crc32c(payload) != found["payload_crc"]:
            return None
        found["payload"] = payload
        if found["type"] == DATA and found["flags"] & ROLL:
            found["roll"] = decode_roll(payload)
        return self.with_marker(found) if found["type"] == MARKER else found

    def with_marker(self, found):
        position, payload = found["position"], found["payload"]
        if position % self.block_bytes != 0 or not found["flags"] & LAST or len(payload) < 56:
            return None
        marker = fields(payload, 0, MARKER_PAYLOAD)
        if (marker["loss_count"] > 120 or len(payload) != 56 + 32 * marker["loss_count"] or
                marker["log_end"] > position):
            return None
        marker["losses"] = [fields(payload, 56 + 32 * i, LOSS) for i in range(marker["loss_count"])]
        found["marker"] = marker
        return found

    def find_markers(self):
        markers = []
        for place in range(0, self.capacity, self.block_bytes):
            position = struct.unpack_from("<Q", self.data, place)[0]
            record = self.record_at(position) if position % self.capacity == place else None
            if record and record["type"] == MARKER:
                markers.append(record)
        return markers

    def highest_watermark(self):
        """Checks all whole headers: none has a higher epoch than the medium proves."""
        words = memoryview(self.data).cast("Q")
        records = [self.record_at(word) for i, word in enumerate(words) if word % self.capacity == 8 * i]
        return max([record["durable_position"] for record in records if record], default=0)

    def after(self, record):
        """Returns where the next record begins."""
        unit = 8
        if record["flags"] & LAST:
            unit = self.block_bytes if record["type"] == MARKER else self.unit
        position = align_up(record["position"] + HEADER_BYTES + record["length"], unit)
        left = self.capacity - position % self.capacity
        return position + left if left < HEADER_BYTES else position

    def log(self, position, sequence, epoch):
        """Returns the records from there to the end of the log, and between them the voids that markers state."""
        items = []
        while True:
            winners = [marker for marker in self.markers
                       if marker["marker"]["log_end"] == position and marker["epoch"] > epoch]
            record = max(winners, key=lambda marker: marker["epoch"]) if winners else self.record_at(position)
            if record and record["position"] > position:
                items.append({"type": "gap", "from": position, "to": record["position"]})
            if not record or record["sequence"] != sequence or record["epoch"] < epoch:
                return items, position
            items.append(record)
            sequence += record["type"] in (DATA, VOID)
            position, epoch = self.after(record), record["epoch"]

    def without_unused(self, items, end, passed):
        """Leaves out the last marker of an open if nothing has passed it."""
        last = items[-1] if items else None
        if (last is None or last["type"] != MARKER or max(marker["epoch"] for marker in self.markers) > last["epoch"] or
                max(passed, self.highest_watermark()) > last["position"]):
            return items, end
        items = [item for item in items[:-1] if item["type"] != "gap" or item["to"] != last["position"]]
        return items, last["marker"]["log_end"]


NOTE = ((0, "8s", "magic"), (8, "Q", "generation"), (16, "Q", "durable_position"), (24, "Q", "next_sequence"),
        (32, "Q", "in_flight_end"), (40, "q", "written_ns"), (48, "I", "epoch"),
        (52, "I", "closed"))


def decode_note(image, at, seed):
    note = fields(image, at, NOTE)
    sound = (note["magic"] == b"BRSTNOTE" and note["durable_position"] % 8 == 0 and
             1 <= note["next_sequence"] <= NUMBER_MAX and
             max(note["generation"], note["durable_position"], note["in_flight_end"]) <= NUMBER_MAX)
    return note if sound and crc32c(image[at:at + 60], seed) == struct.unpack_from("<I", image, at + 60)[0] else None


CHECKPOINT_HEAD = ((0, "8s", "magic"), (8, "Q", "generation"), (16, "I", "epoch"), (20, "I", "stream_count"),
                   (24, "I", "bytes"), (28, "I", "entry_bytes"), (32, "q", "written_ns"), (60, "I", "crc"))
STREAM = ((0, "H", "id"), (2, "H", "kind"), (4, "I", "epoch"), (8, "Q", "drained_position"), (16, "Q", "next_sequence"),
          (24, "Q", "length"), (32, "I", "tail_bytes"), (36, "I", "tail_crc"), (40, "Q", "diverted_sequence"),
          (48, "I", "diverted_attempt"), (52, "I", "name_bytes"), (56, "I", "path_bytes"), (60, "H", "follows"),
          (62, "H", "diverted_form"), (64, "Q", "file_system"), (72, "I", "entry_bytes"), (76, "I", "folder_crc"), (80, "Q", "inode"), (88, "q", "born_ns"),
          (96, "I", "handle_type"), (100, "I", "handle_bytes"), (104, "I", "handle_crc"), (112, "I", "roll_phase"),
          (120, "Q", "file_number"), (128, "q", "file_born_ns"), (136, "Q", "file_first_sequence"),
          (144, "q", "next_time_ns"), (152, "Q", "next_file_bytes"), (160, "Q", "frames"))


def decode_checkpoint(image, at, seed, capacity):
    """Returns the checkpoint in this slot, or None. The caller, which knows both slots, checks the
    older against the newer."""
    head = fields(image, at, CHECKPOINT_HEAD)
    if (head["magic"] != b"BRSTCPKT" or not 1 <= head["stream_count"] <= 64 or head["entry_bytes"] != 192 or
            not 64 + 192 * head["stream_count"] <= head["bytes"] <= CHECKPOINT_SLOT_BYTES):
        return None
    content = image[at:at + head["bytes"]]
    if crc32c(content[64:], crc32c(content[:60], seed)) != head["crc"]:
        return None
    head["streams"] = [fields(content, 64 + 192 * i, STREAM) for i in range(head["stream_count"])]
    strings = 64 + 192 * head["stream_count"]
    for stream in head["streams"]:
        for name in ("name", "path"):
            end = strings + stream.pop(name + "_bytes")
            stream[name] = content[strings:end].decode(errors="surrogateescape")
            strings = end
    return head if strings == head["bytes"] and are_sound(head, capacity) else None


def are_sound(head, capacity):
    streams = head["streams"]
    ids, drained = [stream["id"] for stream in streams], [stream["drained_position"] for stream in streams]
    return (ids == sorted(set(ids)) and ids[-1] < 64 and head["generation"] <= NUMBER_MAX and
            max(drained) <= NUMBER_MAX and max(drained) - min(drained) <= capacity and
            all(stream["kind"] in (1, 2, 3) and stream["follows"] <= 64 and stream["follows"] != stream["id"] + 1 and stream["roll_phase"] <= 3 and stream["diverted_form"] <= 1 and stream["drained_position"] % 8 == 0 and
                1 <= stream["next_sequence"] <= NUMBER_MAX and stream["epoch"] <= head["epoch"] and
                stream["tail_bytes"] <= min(4096, stream["length"]) and stream["length"] < 1 << 63 and
                stream["path"][:1] in ("", "/") and "\0" not in stream["path"] + stream["name"]
                for stream in streams))


def judge_older(checkpoints):
    """In the older checkpoint no stream had drained more."""
    older, newer = sorted((0, 1), key=lambda slot: checkpoints[slot]["generation"])
    newest = {stream["id"]: stream["drained_position"] for stream in checkpoints[newer]["streams"]}
    if any(stream["drained_position"] > newest.get(stream["id"], NUMBER_MAX) for stream in checkpoints[older]["streams"]):
        checkpoints[older] = None


CALIBRATION_HEAD = ((0, "8s", "magic"), (8, "I", "io"), (12, "I", "engine_count"), (16, "q", "measured_ns"),
                    (24, "I", "kernel_crc"), (28, "I", "device_crc"), (32, "I", "write_bytes"))
ENGINE = ((0, "I", "io"), (4, "I", "writes"), (8, "I", "faster"), (16, "Q", "p50_ns"), (24, "Q", "p99_ns"))


def decode_calibration(image, seed):
    block = image[CALIBRATION:CALIBRATION + 512]
    found = fields(block, 0, CALIBRATION_HEAD)
    if (found["magic"] != b"BURCALIB" or found["engine_count"] > 8 or
            crc32c(block[:508], seed) != struct.unpack_from("<I", block, 508)[0]):
        return None
    found["engines"] = [fields(block, 40 + 32 * i, ENGINE) for i in range(found["engine_count"])]
    return found if found["io"] in [engine["io"] for engine in found["engines"]] else None


def decode(image):
    """Decodes the whole image. Raises Undecodable if it is no ring, or a ring that must not be read."""
    copies = [decode_superblock(image, at) for at in SUPERBLOCKS]
    superblock = copies[0] or copies[1]
    if superblock is None:
        raise Undecodable("no superblock is valid")
    seed, capacity = crc32c(bytes.fromhex(superblock["uuid"])), superblock["capacity_bytes"]
    if len(image) < superblock["data_offset"] + capacity:
        raise Undecodable("the medium is smaller than the ring")
    checkpoints = [decode_checkpoint(image, at, seed, capacity) for at in CHECKPOINTS]
    if all(checkpoints):
        judge_older(checkpoints)
    if not any(checkpoints):
        raise Undecodable("no checkpoint is valid")
    newest = max(filter(None, checkpoints), key=lambda checkpoint: checkpoint["generation"])
    start = min(newest["streams"], key=lambda stream: stream["drained_position"])
    ring = Ring(image, superblock)
    notes = [decode_note(image, at, seed) for at in NOTES]
    passed = [note[name] for note in notes if note for name in ("durable_position", "in_flight_end")]
    passed += [stream["drained_position"] for each in filter(None, checkpoints) for stream in each["streams"]]
    items, end = ring.without_unused(*ring.log(start["drained_position"], start["next_sequence"], start["epoch"]),
                                     max(passed))
    return {"superblocks": copies, "notes": notes, "checkpoints": checkpoints,
            "newest": checkpoints.index(newest), "calibration": decode_calibration(image, seed),
            "log": items, "log_end": end}


SEGMENTS_HEAD = ((0, "8s", "magic"), (8, "I", "version"), (12, "I", "head_bytes"), (16, "16s", "uuid"),
                 (32, "q", "created_ns"), (40, "I", "name_bytes"), (48, "256s", "name"), (508, "I", "crc"))
SEGMENT_HEADER = ((0, "8s", "magic"), (8, "I", "version"), (12, "I", "header_bytes"), (16, "16s", "folder_uuid"),
                  (32, "16s", "ring_uuid"), (48, "Q", "first_number"), (56, "Q", "first_sequence"), (124, "I", "crc"))
FRAME = ((0, "Q", "position"), (8, "Q", "sequence"), (16, "I", "length"), (20, "B", "type"), (21, "B", "flags"),
         (22, "H", "stream"), (24, "q", "event_time_ns"), (40, "I", "epoch"), (48, "I", "payload_crc"),
         (52, "I", "header_crc"))
LOSS_FRAME = 5


def decode_frames(content, seed):
    """Returns the whole frames of a segment, and where the first frame that is not whole would begin."""
    frames, at = [], 128
    while at + HEADER_BYTES <= len(content):
        frame = fields(content, at, FRAME)
        payload = content[at + HEADER_BYTES:at + HEADER_BYTES + frame["length"]]
        end = align_up(at + HEADER_BYTES + frame["length"], 8)
        if (crc32c(content[at:at + 52], seed) != frame["header_crc"] or frame["type"] not in (DATA, LOSS_FRAME) or
                not 1 <= frame["sequence"] <= NUMBER_MAX or frame["type"] == LOSS_FRAME and frame["length"] != 32 or
                end > len(content) or crc32c(payload) != frame["payload_crc"]):
            break
        frames.append(dict(frame, payload=payload))
        at = end
    return frames, at


def decode_segments(head, segments):
    """Decodes the folder of segments with this head; segments: {number in the name: content}."""
    found = fields(head, 0, SEGMENTS_HEAD)
    name = found["name"][:found["name_bytes"]]
    if (found["magic"] != b"BURSTFOL" or found["version"] != 1 or found["head_bytes"] != 512 or len(head) != 512 or
            crc32c(head[:508]) != found["crc"] or found["name_bytes"] > 255 or found["name"] != name.ljust(256, b"\0")):
        raise Undecodable("the head of the folder is not valid")
    found.update(name=name.decode(errors="surrogateescape"), segments=[])
    for number in sorted(segments):
        content = segments[number]
        header = fields(content, 0, SEGMENT_HEADER)
        if (header["magic"] != b"BURSTSEG" or header["version"] != 1 or header["header_bytes"] != 128 or
                crc32c(content[:124], crc32c(found["uuid"])) != header["crc"] or header["folder_uuid"] != found["uuid"] or
                header["first_number"] != number):
            raise Undecodable("the header of segment %d is not valid" % number)
        header["frames"], header["end"] = decode_frames(content, crc32c(header["ring_uuid"]))
        if any(frame["sequence"] < header["first_sequence"] for frame in header["frames"]):
            raise Undecodable("segment %d has a record before its first one" % number)
        found["segments"].append(header)
    return found


POSITION = ((0, "8s", "magic"), (8, "Q", "generation"), (16, "Q", "next_number"), (24, "q", "written_ns"), (60, "I", "crc"))


def decode_position(content, uuid):
    """Returns the valid slots of a consumer's position in the folder with that uuid, the newest first."""
    slots = [fields(content, at, POSITION) for at in (0, 4096) if len(content) >= at + 64 and
             crc32c(content[at:at + 60], crc32c(uuid)) == fields(content, at, POSITION)["crc"]]
    slots = [slot for slot in slots if slot["magic"] == b"BURSTPOS" and 1 <= slot["generation"] <= NUMBER_MAX and
             1 <= slot["next_number"] <= NUMBER_MAX]
    return sorted(slots, key=lambda slot: -slot["generation"])


def read_image(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def printable(value):
    if isinstance(value, bytes):
        return value.decode("latin-1")
    raise TypeError(type(value))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: decoder.py IMAGE")
    try:
        print(json.dumps(decode(read_image(sys.argv[1])), indent=1, default=printable))
    except Undecodable as why:
        sys.exit("%s: %s" % (sys.argv[1], why))


if __name__ == "__main__":
    main()
