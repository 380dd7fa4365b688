# SPDX-License-Identifier: Apache-2.0
"""The table of docs/configuration.md against the sources: type, default and values of each attribute of <Burst>."""
import glob
import re

ROW = re.compile(r"^\| `(\w+)` \|([^|\n]*)\|([^|\n]*)\|([^|\n]*)\| (?:`(\w+)`)? ?\| (?:`(\w+)`)? ?\|", re.M)
READING = re.compile(r'\breader\.(\w+)\(\s*"(\w+)"(?:, (\w+)\.class)?')
DEFAULT = re.compile(r'orDefault\(\s*reader\.\w+\("(\w+)"(?:, \w+\.class)?\),\s*([\w.]+)')
VARIABLE = re.compile(r'(\w+) = reader\.\w+\("(\w+)"\)')
VARIABLE_DEFAULT = re.compile(r"orDefault\((\w+), ([\w.]+)\)")
TYPES = {"requiredPath": "path", "text": "text", "oneOf": "choice", "size": "size", "time": "time", "timeOrZero": "time",
         "integer": "number", "flag": "flag", "permissions": "permissions", "value": "level"}
# The engine's default, least and greatest value: column of the page, name of the constant.
CONSTANTS = {"ringSize": ((3, "DEFAULT_RING_BYTES"), (4, "LEAST_RING_BYTES"), (4, "LAYOUT_MAX_CAPACITY_BYTES")),
             "maxRecordSize": ((3, "DEFAULT_RECORD_BYTES"), (4, "LARGEST_RECORD_BYTES")),
             "drainInterval": ((3, "DEFAULT_DRAIN_INTERVAL_NS"),), "shutdownTimeout": ((3, "DEFAULT_SHUTDOWN_TIMEOUT_NS"),),
             "batchDelay": ((4, "COMMITTER_DELAY_MOST_NS"),), "realtimePriority": ((4, "REALTIME_HIGHEST"),),
             "fileName": ((4, "FILE_NAME_MAX"),), "compressDelay": ((3, "DEFAULT_COMPRESS_DELAY"),)}
UNITS = {"BYTES": ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")), "NS": ((10**9, "s"), (10**6, "ms"), (10**3, "us"))}


def text_of(pattern):
    return "\n".join(open(name).read() for name in sorted(glob.glob(pattern, recursive=True)))


def in_words(name, value):
    """16777216 of DEFAULT_RING_BYTES is 16 MB."""
    for unit, word in UNITS.get(name.rsplit("_", 1)[1], ()):
        if value >= unit and value % unit == 0:
            return "%d %s" % (value // unit, word)
    return str(value)


def constants():
    found = {}
    for name, value in re.findall(r"#define (\w+) \(?([^\n/]*?)\)?\s*(?:/\*.*)?$", text_of("native/src/**/*.[ch]"), re.M):
        plain = re.sub(r"(?<=\d)(?:ull|ll|u)\b", "", value).replace("MIB", "(1 << 20)")
        if re.fullmatch(r"[\d\s*<()]+", plain) and plain.count("(") == plain.count(")"):
            found[name] = in_words(name, eval(plain)) if "_" in name else plain
    for name, seconds in re.findall(r"Duration (\w+) = Duration.ofSeconds\((\d+)\)", text_of("appender/src/main/**/*.java")):
        found[name] = seconds + " s"
    return found


def enumerations():
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text_of("native/src/main/java/io/burstlog/*.java") + text_of(
        "native/src/main/java/io/burstlog/doors/*.java"), flags=re.S)
    return {name: [value.strip().lower().replace("_", "-") for value in values.split(",") if value.strip()]
            for name, values in re.findall(r"enum (\w+) \{([A-Z_,\s]+)\}", text)}


def wrong_rows(page, files):
    """Errors in type, default and values, found in the texts of the sources that read attributes."""
    sources = "".join(files)
    known, limits, wrong = enumerations(), constants(), []
    rows = {row.group(1): [None, row.group(1)] + [cell.strip() for cell in row.groups()[1:4]] for row in ROW.finditer(page)}
    readings = [(method, name, enum) for method, name, enum in READING.findall(sources) if name in rows]
    of = {name: {method for method, other, enum in readings if other == name} for name in rows}
    defaults = dict(DEFAULT.findall(sources))
    for source in files:
        variables = dict(VARIABLE.findall(source))
        defaults.update((variables[variable], value) for variable, value in VARIABLE_DEFAULT.findall(source)
                        if variable in variables)
    for method, name, enum in readings:
        types = {TYPES[each] for each in of[name] if each in TYPES}
        if types and rows[name][2] not in types | {"any"} and not (name == "append" and rows[name][2] == "flag"):
            wrong.append("%s is read as %s, not as %s" % (name, " or ".join(sorted(types)), rows[name][2]))
        if enum and re.findall(r"`([^`]+)`", rows[name][4]) != known.get(enum):
            wrong.append("%s takes %s, not %s" % (name, known.get(enum), rows[name][4]))
    for name, value in defaults.items():
        word = value.split(".")[-1].lower().replace("_", "-")
        said = rows[name][3] if name in rows else ""
        if value in ("Duration.ZERO", "0L"):
            if not said.startswith("none") and not any(column == 3 for column, constant in CONSTANTS.get(name, ())):
                wrong.append("%s has no default, and not %s" % (name, said))
        elif value != "Set.of" and said.split(":")[0].strip("`") != word:
            wrong.append("%s has the default %s, not %s" % (name, word, said))
    for name, cells in CONSTANTS.items():
        for column, constant in cells:
            if constant not in limits:
                wrong.append("no source defines %s" % constant)
            elif name in rows and not re.search(r"(?<![\d.])%s\b" % re.escape(limits[constant]), rows[name][column]):
                wrong.append("%s of %s is %s, not %s" % (constant, name, limits[constant], rows[name][column]))
    if "setIgnoreExceptions(false)" not in sources or rows.get("ignoreExceptions", [""] * 5)[3] != "`false`":
        wrong.append("ignoreExceptions has another default")
    return sorted(set(wrong)) + ([] if len(readings) > 20 and len(defaults) > 10 else ["the sources read no attributes"])
