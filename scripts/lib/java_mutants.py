# SPDX-License-Identifier: Apache-2.0
"""For scripts/prove/mutants: what tests do without a seeded bug; and Java's tests. Maven builds a copy of the tree once, and then
javac compiles the module that a bug is in and JUnit runs the test that must notice it."""
import contextlib
import fcntl
import glob
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

POM = "{http://maven.apache.org/POM/4.0.0}"
MAIN = os.path.join("src", "main", "java")
TESTS = os.path.join("src", "test", "java")
LEAST_SECONDS = 90 # for a test with a bug, and more if it takes long without it
SOUND_SECONDS = 900 # for a test without a bug
LEFT_OUT = ("async-loggers", "comparison") # the first needs a JVM of its own, the second takes minutes
HANGS = "hangs"


class Unknown(Exception):
    pass


def module_of(file):
    return file.partition("/src/")[0]


def find_test(root, module, name):
    """(module, class, method or None) of `Class` or `Class#method`. A class of another module is named with as much of its
    package as tells it from others."""
    wanted, _, method = name.partition("#")
    end = os.sep + wanted.replace(".", os.sep) + ".java"
    for folder in (module, "*", os.path.join("examples", "*")):
        found = glob.glob(os.path.join(root, folder, TESTS, "**", "*.java"), recursive=True)
        found = [path for path in found if path.endswith(end)]
        if len(found) > 1:
            raise Unknown("there are %d classes %s: name its package" % (len(found), wanted))
        if found:
            with open(found[0]) as source:
                if method and not re.search(r"\bvoid %s\(" % re.escape(method), source.read()):
                    raise Unknown("%s has no test %s" % (wanted, method))
            place, path = os.path.relpath(found[0], root).split(os.sep + TESTS + os.sep)
            return place, path[:-len(".java")].replace(os.sep, "."), method or None
    raise Unknown("there is no test " + wanted)


def copy_changes(source, target, keeps=("target", ".git")):
    """Makes target's files those of source, and leaves its folders named in keeps alone."""
    os.makedirs(target, exist_ok=True)
    names = set(os.listdir(source)) - set(keeps)
    for name in set(os.listdir(target)) - names - set(keeps):
        path = os.path.join(target, name)
        shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
    for name in names:
        here, there = os.path.join(source, name), os.path.join(target, name)
        if os.path.isdir(here):
            copy_changes(here, there, keeps)
        elif not os.path.exists(there) or read_bytes(here) != read_bytes(there):
            shutil.copy2(here, there)
            os.utime(there) # newer than what was built of it, whatever its date was


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class Sound:
    """The tests without a bug. One that fails then kills nothing; how long it takes says when it hangs."""

    def __init__(self):
        self.locks, self.found = {}, {}

    def find(self, test, run, build=lambda: None):
        """(the seconds that the test gets with a bug, None or why it kills nothing). build() and run(seconds) are the test without
        a bug: they return None, or what is wrong."""
        with self.locks.setdefault(test, threading.Lock()):
            if test not in self.found:
                said = build()
                begin = time.monotonic()
                said = said or run(SOUND_SECONDS)
                limit = max(LEAST_SECONDS, 4 * (time.monotonic() - begin))
                self.found[test] = limit, said and "%s fails without any mutant: %s" % (test, said)
                print("         %s" % (self.found[test][1] or "%s passes without a mutant" % test), flush=True)
            return self.found[test]


class JavaTree:
    """A copy of the tree in target/mutants, built by Maven. One run of scripts/prove/mutants has it at a time."""

    def __init__(self, root, modules):
        self.folder = os.path.join(root, "target", "mutants")
        self.tree = os.path.join(self.folder, "tree")
        os.makedirs(self.folder, exist_ok=True)
        self.lock = open(os.path.join(self.folder, "lock"), "w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("         another run of scripts/prove/mutants tries Java: waiting for its end", flush=True)
            fcntl.flock(self.lock, fcntl.LOCK_EX)
        copy_changes(root, self.tree)
        self.properties = self.properties_of("pom.xml")
        self.modules = sorted(modules)
        self.build()

    def build(self):
        junit = self.properties["junit.version"]
        console = "junit-platform-console-standalone-1.%s.jar" % junit.split(".", 1)[1]
        self.console = os.path.join(self.folder, console)
        commands = [["-pl", ",".join(self.modules), "-am", "-DskipNativeTests=true", "test-compile", "dependency:build-classpath",
                     "-Dmdep.includeScope=test", "-Dmdep.outputFile=target/class-path-of-tests"]]
        if not os.path.exists(self.console):
            commands.append(["-N", "dependency:copy", "-DoutputDirectory=" + self.folder,
                             "-Dartifact=org.junit.platform:" + console[:-len(".jar")].replace("standalone-", "standalone:")])
        for command in commands:
            done = subprocess.run(["mvn", "-B", "-ntp", "-q"] + command, cwd=self.tree, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit("Maven cannot build %s:\n%s" % (", ".join(self.modules), (done.stdout + done.stderr)[-3000:]))

    def properties_of(self, pom):
        root = xml.etree.ElementTree.parse(os.path.join(self.tree, pom)).getroot()
        return {one.tag.removeprefix(POM): one.text or "" for one in root.find(POM + "properties") or ()}

    def system_properties(self, module):
        """The system properties that the module's pom gives its tests."""
        known = dict(self.properties, **self.properties_of(os.path.join(module, "pom.xml")))
        known["native.access"] = " ".join(self.native_access())
        known["project.basedir"] = os.path.join(self.tree, module)
        known["project.build.directory"] = os.path.join(self.tree, module, "target")
        plugins = xml.etree.ElementTree.parse(os.path.join(self.tree, module, "pom.xml")).getroot()
        plugins = plugins.findall("./%sbuild/%splugins/%splugin" % (POM, POM, POM))
        told = []
        for plugin in plugins:
            if plugin.find(POM + "artifactId").text in ("maven-surefire-plugin", "maven-failsafe-plugin"):
                for one in plugin.find(POM + "configuration").find(POM + "systemPropertyVariables") or ():
                    text = re.sub(r"\$\{(.*?)\}", lambda name: known[name.group(1)], one.text or "")
                    told.append("-D%s=%s" % (one.tag.removeprefix(POM), text))
        return told

    @staticmethod
    def java(program):
        home = os.environ.get("JAVA_HOME")
        return os.path.join(home, "bin", program) if home else program

    def native_access(self):
        said = subprocess.run([self.java("java"), "-version"], capture_output=True, text=True).stderr
        return ["--enable-native-access=ALL-UNNAMED"] if int(re.search(r'version "(\d+)', said).group(1)) >= 24 else []


class JavaBench:
    """Judges in a folder of its own, beside what the tree was built to."""

    def __init__(self, tree, number, sound):
        self.tree, self.sound = tree, sound
        self.place = os.path.join(tree.folder, "bench%d" % number)
        shutil.rmtree(self.place, ignore_errors=True)
        self.classes = os.path.join(self.place, "mutated")
        shutil.copytree(tree.tree, os.path.join(self.place, "tree"), copy_function=os.link,
                        ignore=shutil.ignore_patterns("target"))

    def path(self, *names):
        return os.path.join(self.tree.tree, *names)

    def class_path(self, module):
        with open(self.path(module, "target", "class-path-of-tests")) as text:
            return [self.path(module, "target", "classes"), self.path(module, "target", "test-classes"), text.read().strip()]

    def compile(self, contents):
        """Compiles the modules of the sources in contents; what javac says if it fails."""
        shutil.rmtree(self.classes, ignore_errors=True)
        os.makedirs(self.classes)
        mutated = os.path.join(self.place, "sources")
        shutil.rmtree(mutated, ignore_errors=True)
        for file, content in contents.items():
            os.makedirs(os.path.dirname(os.path.join(mutated, file)), exist_ok=True)
            with open(os.path.join(mutated, file), "w") as source:
                source.write(content)
        # All of the module: a constant that changes stands in the classes that use it.
        for module in sorted({module_of(file) for file in contents}):
            whole = glob.glob(self.path(module, MAIN, "**", "*.java"), recursive=True)
            whole = [os.path.relpath(path, self.tree.tree) for path in whole if not path.endswith("module-info.java")]
            sources = [os.path.join(mutated if file in contents else self.tree.tree, file) for file in whole]
            done = subprocess.run([self.tree.java("javac"), "--release", self.tree.properties["maven.compiler.release"], "-parameters",
                                   "-proc:none", "-nowarn", "-encoding", "UTF-8", "-d", self.classes, "-cp",
                                   os.pathsep.join([self.classes] + self.class_path(module))] + sources,
                                  capture_output=True, text=True)
            if done.returncode != 0:
                return (done.stdout + done.stderr)[-2000:]
        return None

    def run(self, module, selection, limit, mutated=True):
        """None if the tests pass, else what JUnit said."""
        folder = os.path.join(self.place, "tree", module)
        os.makedirs(os.path.join(folder, "target"), exist_ok=True)
        class_path = ([self.classes] if mutated else []) + self.class_path(module) + [self.tree.console]
        command = [self.tree.java("java")] + self.tree.native_access() + self.tree.system_properties(module) + [
            "-cp", os.pathsep.join(class_path), "org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner",
            "--disable-ansi-colors", "--details=summary", "--fail-if-no-tests"] + selection
        with contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=limit)
            if done.returncode == 0:
                return None
            told = re.search(r"MethodSource \[className = '[\w.$]*?([\w$]+)', methodName = '(\w+)'", done.stdout)
            return "%s#%s" % told.groups() if told else "ends with %d: %s" % (done.returncode,
                                                                             (done.stdout + done.stderr).strip()[-300:])
        return HANGS

    @staticmethod
    def select(test):
        _, name, method = test
        return ["--select-class=" + name] + (["--include-methodname=.*#" + method] if method else [])

    def without_bug(self, name, module, selection):
        return self.sound.find(name, lambda seconds: self.run(module, selection, seconds, mutated=False))

    def judge(self, mutant, contents, test):
        """(layer or None, how)"""
        broken = self.compile({path: versions[1] for path, versions in contents.items()})
        if broken:
            return None, "does not compile: " + broken
        module, selection = test[0], self.select(test)
        limit, wrong = self.without_bug("%s of %s" % (mutant["by"], module), module, selection)
        if wrong:
            return None, wrong
        said = self.run(module, selection, limit)
        if said:
            return mutant["by"], said
        others = ["--scan-classpath=" + self.path(module, "target", "test-classes"), "--include-classname=.*Test"]
        others += ["--exclude-tag=" + tag for tag in LEFT_OUT]
        said = self.run(module, others, SOUND_SECONDS)
        if not said or said == HANGS:
            return None, "SURVIVES"
        wrong = self.without_bug("each test of " + module, module, others)[1]
        return (None, wrong) if wrong else (said.partition("#")[0], said)
