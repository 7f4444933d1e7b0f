#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes tweed's device code in one place at a time, and runs the tests on the loom: do they notice?

For each header, rules.py names the changes: barriers, fences, acquires, releases and masks taken
away, bounds and arithmetic off by one, operands swapped, conditions turned round. A test program
that includes the header is compiled once with every variant of each function's body, of which an
environment variable chooses one; where that is not possible (constants, constexpr functions), once
a mutant. It runs under all orders of threads, then under the sanitizers, until one run fails.

A mutant that no run notices has survived, unless equivalent.txt argues that it cannot be noticed.
Exit code: 0 all well; 1 a synchronisation mutant survived, of the others less than 95 % are caught
or argued, or an argument is for a mutant that does not exist or is caught; 2 wrong command line;
3 something is missing here.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import rules

FOLDERS = ('arch', 'core', 'memory', 'warp', 'block', 'grid', 'device', 'matmul')
# No device code, or numbers of which each is right and one is fastest, or what the loom does not have.
EXCLUDED = ('core/config.cuh', 'core/error.cuh', 'memory/workspace.cuh', 'device/tuning.cuh',
            'memory/tensorMap.cuh', 'arch/bulkCopy.cuh', 'arch/cluster.cuh', 'arch/mbarrier.cuh',
            'arch/registers.cuh', 'arch/stmatrix.cuh', 'arch/target.cuh', 'arch/wgmma.cuh',
            'arch/wgmmaShapes.cuh', 'matmul/wgmmaConfig.cuh', 'matmul/wgmmaMatmul.cuh',
            'matmul/wgmmaStore.cuh', 'matmul/wgmmaKernel.cuh', 'matmul/wgmmaProduct.cuh',
            'matmul/wgmmaTuning.cuh', 'matmul/wgmmaImage.cuh', 'matmul/wgmmaConfiguration.cuh',
            'matmul/wgmmaBlockMatmul.cuh',
            'matmul/mmaConfiguration.cuh', 'matmul/simtConfiguration.cuh',
            'matmul/packedConfiguration.cuh',
            'matmul/configuration.cuh', 'matmul/matmul.cuh', 'matmul/matmulChecks.cuh',
            'matmul/matmulChoice.cuh', 'matmul/matmulOptions.cuh', 'matmul/matmulPlan.cuh',
            'matmul/tune.cuh', 'matmul/tuner.cuh')
GOAL = 0.95


def run(schedule, resident, is_short):
    environment = {'TWEED_LOOM_SCHEDULE': schedule, 'TWEED_LOOM_RESIDENT': str(resident)}
    if is_short:
        environment['TWEED_TEST_SHORT'] = '1'
    return environment


SHORT = [run('forward', 1, True), run('reverse', 1, True), run('random:1', 4, True),
         run('random:2', 8, True), run('random:3', 4, True)]
LONG = [run('forward', 1, False), run('random:1', 4, False), run('reverse', 1, False)]
SANITIZED = [run('random:1', 8, True), run('random:2', 8, True), run('random:3', 8, True)]
# A lane is a way of compiling; a stage is some runs of it, of the header's own tests (True) or of
# its neighbours. Only a missing order needs ThreadSanitizer, which is slow to compile.
LANES = {'plain': '', 'thread': 'thread', 'address': 'address'}
STAGES = [('plain', True, SHORT), ('plain', True, LONG), ('plain', False, SHORT),
          ('address', True, SANITIZED[:1])]
ORDER_STAGES = [('plain', True, SHORT), ('thread', True, SANITIZED), ('plain', True, LONG),
                ('plain', False, SHORT), ('thread', False, SANITIZED)]
ORDER_KINDS = ('barrier', 'fence', 'acquire', 'release', 'atomic')


def stages_of(mutant):
    return ORDER_STAGES if mutant.kind in ORDER_KINDS else STAGES


GROUP_SIZE = 200  # mutants in one program
NEIGHBOURS = 5


def stop(code, text):
    print(f'mutate: {text}', file=sys.stderr)
    sys.exit(code)


running = set()
is_stopping = False


def stop_all(*_):
    """At an interrupt: the programs have sessions of their own, and would go on."""
    global is_stopping
    is_stopping = True
    for process in list(running):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    print('mutate: interrupted; the next run goes on from here', file=sys.stderr, flush=True)
    os._exit(1)


def execute(command, cwd=None, environment=None, seconds=None):
    """(exit code, output); None for the code if it took too long."""
    variables = dict(os.environ, **(environment or {}))
    process = subprocess.Popen(command, cwd=cwd, env=variables, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True, text=True,
                               errors='replace')
    running.add(process)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output
    finally:
        running.discard(process)
        if is_stopping:
            time.sleep(60)  # what was killed has not failed


class Test:
    """A loom test program: how it is compiled in each lane, and what it includes."""

    def __init__(self, name):
        self.name = name
        self.compile = {}  # by lane: the entry of compile_commands.json
        self.link = {}
        self.headers = set()
        self.digest = ''   # of all that it includes
        self.seconds = {}  # of an unchanged run, by lane and run
        self.lock = threading.RLock()


class Project:
    def __init__(self, source, build, lanes, jobs):
        self.source, self.build, self.lanes, self.jobs = source, build, lanes, jobs
        self.include = source / 'include'
        self.tests = {}
        self.compiler = os.environ.get('CXX') or 'c++'
        if not os.environ.get('CXX') and shutil.which('clang++'):
            self.compiler = 'clang++'
        # Older ThreadSanitizers cannot place their shadow where addresses are very random.
        fixed = subprocess.run(['setarch', '-R', 'true'], capture_output=True).returncode == 0
        self.before = {'thread': ['setarch', '-R'] if fixed else []}

    def configure(self):
        for lane in self.lanes:
            folder = self.build / lane
            code, output = execute(
                ['cmake', '-S', str(self.source), '-B', str(folder), '-G', 'Ninja',
                 f'-DCMAKE_CXX_COMPILER={self.compiler}', '-DCMAKE_BUILD_TYPE=None',
                 '-DTWEED_CUDA=OFF', '-DTWEED_BUILD_EXAMPLES=OFF',
                 f'-DTWEED_SANITIZE={LANES[lane]}', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON'])
            if code != 0:
                stop(3, f'cmake fails:\n{output}')
            for entry in json.loads((folder / 'compile_commands.json').read_text()):
                name = re.search(r'/tests/loom\.(\w+\.[\w.]+)\.loom\.cpp$', entry['file'])
                if not name:
                    continue
                test = self.tests.setdefault(name.group(1), Test(name.group(1)))
                test.compile[lane] = entry
                _, output = execute(['ninja', '-C', str(folder), '-t', 'commands', '-s',
                                     f'tests/loom.{test.name}'])
                test.link[lane] = output.splitlines()[-1]
            wanted = {word for test in self.tests.values() if lane in test.link
                      for word in self.link_words(test, lane)
                      if re.search(r'\.(o|a)$', word) and f'loom.{test.name}.dir' not in word}
            ninja = ['ninja', '-C', str(folder), '-j', str(self.jobs)]
            code, output = execute(ninja + sorted(wanted)) if wanted else (0, '')
            if code != 0:
                stop(1, f'the build fails:\n{output}')

    def link_words(self, test, lane):
        # Newer CMakes have the linker write, beside the object, which files it has read.
        unwanted = r'^: && | && :$|(-Xlinker |-Wl,)--dependency-file\S*'
        return re.sub(unwanted, '', test.link[lane]).split()

    def compile_command(self, test, lane, what, where=None):
        """The words that compile the test unoptimised, with the headers under `where` first; `what`
        stands for `-c -o OUTPUT`."""
        words = shlex.split(test.compile[lane]['command'])
        o, c = words.index('-o'), words.index('-c')
        words = [w for i, w in enumerate(words) if i not in (o, o + 1, c)]
        first = ['-I' + where] if where else []
        return words[:1] + first + words[1:] + ['-O0', '-g0', '-w'] + what

    def find_headers(self):
        lane = self.lanes[0]

        def look(test):
            code, output = execute(self.compile_command(test, lane, ['-MM']),
                                   cwd=test.compile[lane]['directory'])
            if code != 0:
                stop(1, f'loom.{test.name} does not compile:\n{output}')
            prefix = f'{self.include}/tweed/'
            files = [word for word in output.split() if word.startswith(f'{self.source}/')]
            test.headers = {file[len(prefix):] for file in files if file.startswith(prefix)}
            test.digest = digest(*(Path(file).read_text() for file in files))

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(look, self.tests.values()))

    def dependents(self, header):
        """(own tests, neighbours), the likeliest to notice first. What only a distant test notices
        counts as not noticed."""
        path = header[:-len('.cuh')].replace('/', '.')
        folder = path.split('.')[0]
        tests = [t for t in self.tests.values() if header in t.headers]
        # A header without a test of its own is tested by its neighbours.
        own = [t for t in tests if t.name.startswith(path)]
        own = own or [t for t in tests if t.name.startswith(folder + '.')]
        others = [t for t in tests if t not in own]
        size = lambda t: (not t.name.startswith(folder), len(t.headers), t.name)
        first, later = [], []  # the nearest of each folder, and the rest
        for test in sorted(others, key=size):
            is_new = all(t.name.split('.')[0] != test.name.split('.')[0] for t in first)
            (first if is_new else later).append(test)
        return sorted(own, key=size), (first + later)[:NEIGHBOURS]

    def live_lines(self, header, test):
        """The lines of the header that the loom compiles."""
        lane = self.lanes[0]
        _, output = execute(self.compile_command(test, lane, ['-E']),
                            cwd=test.compile[lane]['directory'])
        lines, here, number = set(), False, 0
        for line in output.splitlines():
            marker = re.match(r'# (\d+) "([^"]*)"', line)
            if marker:
                number, here = int(marker.group(1)), marker.group(2).endswith(f'tweed/{header}')
                continue
            if here and line.strip():
                lines.add(number)
            number += 1
        return lines

    def unchanged(self, test, lane):
        with test.lock:
            unit = Unit(self, self.build / 'unchanged' / f'{test.name}.{lane}', None, test.digest)
            exe, output = unit.program(test, lane)
        if exe is None:
            raise RuntimeError(f'loom.{test.name} does not compile unchanged, {lane}:\n{output}')
        return exe

    def seconds_unchanged(self, test, lane, environment, exe):
        """How long the run takes unchanged; it must pass. `exe` can run so too, or is None."""
        number = (lane, RUNS.index(environment))
        with test.lock:
            if number not in test.seconds:
                exe = exe or self.unchanged(test, lane)
                start = time.time()
                code, output = self.start(exe, lane, environment, 0, 600)
                if code != 0:
                    tail = '\n'.join(output.splitlines()[-30:])
                    raise RuntimeError(f'loom.{test.name} fails unchanged, {lane}, {environment}:\n'
                                       f'{tail}')
                test.seconds[number] = time.time() - start
            return test.seconds[number]

    def start(self, exe, lane, environment, chosen, seconds):
        environment = dict(environment, TWEED_MUTANT=str(chosen),
                           TSAN_OPTIONS='halt_on_error=1:report_bugs=1:atexit_sleep_ms=0',
                           UBSAN_OPTIONS='halt_on_error=1')
        return execute(self.before.get(lane, []) + [exe, '--abort-after=1'],
                       environment=environment, seconds=seconds)


RUNS = SHORT + LONG + SANITIZED


class Unit:
    """A changed header and the programs compiled with it: one mutant, or a group of which one is
    chosen at a run. Without a header: the unchanged program, kept while `text` stays the same."""

    def __init__(self, project, folder, header, text, lines=None):
        self.project, self.header, self.text = project, header, text
        self.folder = folder
        self.lines = lines or {}  # whose mutant's a line is
        self.programs, self.locks = {}, {}
        self.lock = threading.Lock()
        file = folder / ('inc/tweed/' + header if header else 'digest')
        if header or not file.exists() or file.read_text() != text:
            shutil.rmtree(folder, ignore_errors=True)
            file.parent.mkdir(parents=True)
            file.write_text(text)

    def program(self, test, lane):
        """(path, '') or (None, what the compiler says)."""
        with self.lock:
            lock = self.locks.setdefault((test.name, lane), threading.Lock())
        with lock:
            if (test.name, lane) not in self.programs:
                self.programs[test.name, lane] = self.build(test, lane)
            return self.programs[test.name, lane]

    def build(self, test, lane):
        project = self.project
        stem = self.folder / f'{test.name}.{lane}'
        if not self.header and stem.exists():
            return str(stem), ''
        limit = ['-ferror-limit=0'] if 'clang' in project.compiler else ['-fmax-errors=0']
        where = str(self.folder / 'inc') if self.header else None
        command = project.compile_command(test, lane, ['-c', '-o', f'{stem}.o'] + limit, where)
        folder = test.compile[lane]['directory']
        code, output = execute(command, cwd=folder, seconds=600)
        if code != 0:
            return None, output
        words = [f'{stem}.o' if f'loom.{test.name}.dir' in w else w
                 for w in project.link_words(test, lane)]
        words[words.index('-o') + 1] = str(stem)
        code, output = execute(words, cwd=folder)
        os.remove(f'{stem}.o')
        return (str(stem), '') if code == 0 else (None, output)

    def culprits(self, output):
        """The mutants of a group whose lines the compiler complains about; None if it cannot be
        told."""
        found, current = set(), None
        pattern = re.compile(r'(\S+?):(\d+):(?:\d+:)? (?:(fatal error|error)|note|warning)?')
        known = True
        for line in output.splitlines():
            match = pattern.match(line)
            if not match:
                continue
            if match.group(3):
                known = known and current is not False
                current = False
            if current is False and match.group(1).endswith('/inc/tweed/' + self.header):
                number = self.lines.get(int(match.group(2)))
                if number is not None:
                    found.add(number)
                    current = number
        return found if known and current is not False and found else None

    def clean(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Campaign:
    """All mutants of a run."""

    def __init__(self, project, texts, mutants):
        self.project, self.texts = project, texts
        self.groups, self.own, self.others = {}, {}, {}
        self.singles = {}  # by mutant: its unit, where it has one of its own
        self.units = 0
        self.lock = threading.Lock()
        for header in texts:
            self.own[header], self.others[header] = project.dependents(header)
            together = [m for m in mutants if m.header == header and m.body]
            for i in range(0, len(together), GROUP_SIZE):
                group = Group(self, header, together[i:i + GROUP_SIZE])
                self.groups.update({m.key: group for m in together[i:i + GROUP_SIZE]})

    def new_unit(self, header, text, lines=None):
        with self.lock:
            self.units += 1
            number = self.units
        return Unit(self.project, self.project.build / f'work/{number}', header, text, lines)

    def in_turn(self, mutants):
        """Of each group one after the other, as those of a group wait for one compiler; then those
        that are compiled alone."""
        turns, places = Counter(), {}
        for mutant in mutants:
            group = None if mutant.is_constexpr else self.groups.get(mutant.key)
            turns[group] += 1
            places[mutant.key] = (group is None, turns[group])
        return sorted(mutants, key=lambda mutant: places[mutant.key])

    def leave(self, mutant):
        if mutant.key in self.groups:
            self.groups[mutant.key].leave()
        if mutant.key in self.singles:
            self.singles.pop(mutant.key).clean()

    def judge(self, mutant, number):
        """(caught, stillborn or survived; by what), in the stage of that number."""
        group = self.groups.get(mutant.key)
        # Together with others such a one changes at run time alone, and is compiled alone from the
        # second stage on.
        is_alone_later = mutant.is_constexpr and group is not None
        has_compiled = number > is_alone_later
        if is_alone_later and number > 0:
            group = None
        lane, is_own, runs = stages_of(mutant)[number]
        tests = (self.own if is_own else self.others)[mutant.header]
        for test in tests if lane in self.project.lanes else []:
            exe, chosen = group.program(mutant, test, lane) if group else (None, 0)
            if exe is None:
                chosen = 0
                unit = self.singles.get(mutant.key)
                if unit is None:
                    text = rules.apply(self.texts[mutant.header], mutant)
                    unit = self.singles[mutant.key] = self.new_unit(mutant.header, text)
                exe, output = unit.program(test, lane)
            if exe is None:
                self.project.unchanged(test, lane)
                if has_compiled or f'{self.project.source}/tests/' in first_error(output):
                    return 'caught', f'loom.{test.name}, by the compiler'
                return 'stillborn', first_error(output).split('error: ')[-1][:90]
            has_compiled = True
            for environment in runs:
                seconds = self.project.seconds_unchanged(test, lane, environment,
                                                         exe if chosen else None)
                code, _ = self.project.start(exe, lane, environment, chosen, 10 + 10 * seconds)
                if code != 0:
                    how = environment['TWEED_LOOM_SCHEDULE']
                    how += '' if 'TWEED_TEST_SHORT' in environment else ' long'
                    how += ', no end' if code is None else ''
                    return 'caught', f'loom.{test.name}, {lane} {how}'
        return 'survived', ''


class Group:
    """Mutants of one header in one program."""

    def __init__(self, campaign, header, mutants):
        self.campaign, self.header = campaign, header
        self.members = {i + 1: m for i, m in enumerate(mutants)}
        self.left = len(mutants)
        self.unit = None
        self.is_given_up = False
        self.checked = {}
        self.lock = threading.Lock()

    def number_of(self, mutant):
        return next((n for n, m in self.members.items() if m is mutant), None)

    def prepare(self, test, lane):
        """Compiles without those that do not compile."""
        with self.lock:
            while self.unit is None and not self.is_given_up:
                text, lines = rules.combine(self.campaign.texts[self.header], self.members)
                unit = self.campaign.new_unit(self.header, text, lines)
                exe, output = unit.program(test, lane)
                if exe:
                    self.unit = unit
                    return
                culprits = unit.culprits(output)
                unit.clean()
                if not culprits:
                    print(f'mutate: no program with several mutants of {self.header}:\n'
                          f'{output[:3000]}')
                    self.is_given_up = True
                    return
                for number in culprits:
                    self.members.pop(number, None)
                self.is_given_up = not self.members

    def program(self, mutant, test, lane):
        self.prepare(test, lane)
        number = self.number_of(mutant)
        if self.unit is None or number is None:
            return None, 0
        exe, _ = self.unit.program(test, lane)
        return exe if exe and self.is_right(exe, test, lane) else None, number

    def is_right(self, exe, test, lane):
        """Whether the program passes unchanged: the variants side by side have done no harm."""
        with self.lock:
            if exe not in self.checked:
                code, output = self.campaign.project.start(exe, lane, SHORT[0], 0, 600)
                self.checked[exe] = code == 0
                if code != 0:
                    print(f'mutate: {exe} of {self.header} fails unchanged; one program a mutant:\n'
                          f'{output[-2000:]}')
            return self.checked[exe]

    def leave(self):
        with self.lock:
            self.left -= 1
            if self.left == 0 and self.unit:
                self.unit.clean()


def first_error(output):
    """With the file; an error in a test, as a static_assert of it, is the test's notice."""
    match = re.search(r'.*\berror: .*', output)
    return match.group(0) if match else 'the compiler did not end'


# --- arguments ------------------------------------------------------------------------------------

def read_arguments(path):
    """{key: argument} of equivalent.txt: paragraphs of `FILE: FUNCTION`, pairs of lines `- old`,
    `+ new` (`+2 new`: the second such place of the function; `+ *`: whatever comes of the line), and
    the argument."""
    arguments = {}
    if not path.exists():
        return arguments
    text = re.sub(r'^#.*\n', '', path.read_text(), flags=re.M)
    for paragraph in re.split(r'\n\s*\n', text.strip('\n')):
        if not paragraph.strip():
            continue
        lines = paragraph.splitlines()
        place = re.match(r'([\w/]+\.cuh):(.*)$', lines[0])
        old, keys, words = None, [], []
        for line in lines[1:]:
            new = re.match(r'\+(\d*) (.*)$', line)
            if line.startswith('- '):
                old = line[2:].strip()
            elif new:
                keys.append((place.group(1), place.group(2).strip(), old, new.group(2).strip(),
                             int(new.group(1) or 1)))
            else:
                words.append(line.strip())
        if not place or not keys or not words:
            stop(2, f'{path}: needs FILE: FUNCTION, lines - and +, and an argument:\n{paragraph}')
        for key in keys:
            if key in arguments:
                stop(2, f'{path}: argued twice: {key}')
            arguments[key] = ' '.join(words)
    return arguments


# --- results --------------------------------------------------------------------------------------

def digest(*texts):
    return hashlib.sha256('\0'.join(texts).encode()).hexdigest()[:16]


def load_results(path, digests, suites):
    """Results that still hold: of an unchanged header; what was not caught (that it survived, or has
    passed the first stages) only of an unchanged suite."""
    results = {}
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                entry = json.loads(line)
            except ValueError:  # of a run that was killed
                continue
            key = tuple(entry['key'])
            if entry['headerDigest'] == digests.get(key[0]) and (
                    entry['status'] not in ('survived', 'passed') or
                    entry['suiteDigest'] == suites[key[0]]):
                results[key] = entry
    return results


def show(mutant):
    where = f'{mutant.header}:{mutant.line}'
    return f'{mutant.kind} {where} {mutant.function}\n      - {mutant.old}\n      + {mutant.new}'


def table(rows):
    """Lines of a table from {(header, kind): Counter}."""
    names = ['mutants', 'stillborn', 'caught', 'equivalent', 'survived', 'untried']
    out = ['| header | kind | ' + ' | '.join(names) + ' |', '| --- | --- |' + ' ---: |' * len(names)]
    for (header, kind), counts in rows:
        numbers = [sum(counts.values())] + [counts[n] for n in names[1:]]
        out.append(f'| {header} | {kind} | ' + ' | '.join(str(n) if n else '' for n in numbers) + ' |')
    return out


def report(mutants, status, by):
    """The text of the report, and whether all is well."""
    cells, kinds = {}, {}
    for mutant in mutants:
        cells.setdefault((mutant.header, mutant.kind), Counter())[status[mutant.key]] += 1
        kinds.setdefault(('all', mutant.kind), Counter())[status[mutant.key]] += 1
    order = lambda item: (item[0][0], rules.KINDS.index(item[0][1]))
    lines = table(sorted(cells.items(), key=order) + sorted(kinds.items(), key=order))
    lanes = Counter(re.sub(r'.*(by the compiler|no end)$|.*, (\w+) .*$', r'\1\2', by[m.key])
                    for m in mutants if status[m.key] == 'caught')
    is_good = True
    lines.append('')
    for name, chosen in (('synchronisation', True), ('other', False)):
        counts = Counter(status[m.key] for m in mutants if (m.kind in rules.SYNC_KINDS) == chosen)
        alive = sum(counts.values()) - counts['stillborn'] - counts['untried']
        met = counts['caught'] + counts['equivalent']
        share = met / alive if alive else 1
        goal = 1 if chosen else GOAL
        is_good = is_good and share >= goal and not counts['untried']
        untried = f', {counts["untried"]} untried' if counts['untried'] else ''
        lines.append(f'{name}: {alive} mutants, {counts["caught"]} caught, {counts["equivalent"]} '
                     f'equivalent, {counts["survived"]} survived{untried}: {100 * share:.1f} % '
                     f'(at least {100 * goal:.0f} %)')
    lines.append('caught by: ' + ', '.join(f'{n} {w}' for w, n in lanes.most_common()))
    survivors = [m for m in mutants if status[m.key] == 'survived']
    if survivors:
        lines += ['', 'survived:', ''] + ['    ' + show(m).replace('\n', '\n    ') for m in survivors]
    return lines, is_good


# --- the command ----------------------------------------------------------------------------------

def parse(argv):
    parser = argparse.ArgumentParser(prog='mutate', description=__doc__.split('\n')[0])
    parser.add_argument('header', nargs='*', help='as block/blockReduce.cuh or block; default all')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1, help='mutants at a time')
    parser.add_argument('--list', action='store_true', help='list the mutants, and run nothing')
    parser.add_argument('--only', metavar='KIND', action='append', choices=rules.KINDS + ('sync',),
                        help='one kind, or sync: ' + ', '.join(rules.KINDS))
    parser.add_argument('--fresh', action='store_true', help='forget the results of earlier runs')
    parser.add_argument('--known', action='store_true',
                        help='run nothing; report what earlier runs have found')
    parser.add_argument('--argued', action='store_true',
                        help='run the mutants argued to be equivalent too')
    parser.add_argument('--report', metavar='FILE', help='write the tables there too')
    here = Path(__file__).resolve().parent
    parser.add_argument('--source', type=Path, default=here.parents[1], help=argparse.SUPPRESS)
    parser.add_argument('--build', type=Path, help='default build/mutation')
    parser.add_argument('--equivalent', type=Path, default=here / 'equivalent.txt',
                        help=argparse.SUPPRESS)
    parser.add_argument('--lanes', default=','.join(LANES), help='default ' + ','.join(LANES))
    options = parser.parse_args(argv)
    if options.jobs < 1:
        parser.error(f'--jobs: {options.jobs} is not at least 1')
    for lane in options.lanes.split(','):
        if lane not in LANES:
            parser.error(f"--lanes: there is no lane '{lane}'; allowed are {', '.join(LANES)}")
    options.source = options.source.resolve()
    options.build = (options.build or options.source / 'build/mutation').resolve()
    return options


def choose_headers(source, wanted):
    include = source / 'include/tweed'
    headers = sorted(str(p.relative_to(include)) for f in FOLDERS for p in (include / f).glob('*.cuh'))
    headers = [h for h in headers if h not in EXCLUDED]
    if not wanted:
        return headers
    chosen = []
    for want in wanted:
        want = re.sub(r'^(?:\./)?include/tweed/|/$', '', want)
        found = [h for h in headers if h == want or h.startswith(want + '/') or
                 h.split('/')[-1] in (want, want + '.cuh')]
        if not found:
            stop(2, f"there is no device header '{want}'; allowed are {', '.join(headers)}")
        chosen += [h for h in found if h not in chosen]
    return chosen


def main(argv):
    options = parse(argv)
    signal.signal(signal.SIGINT, stop_all)
    signal.signal(signal.SIGTERM, stop_all)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for tool in ('cmake', 'ninja'):
        if not shutil.which(tool):
            stop(3, f'{tool} is missing')
    headers = choose_headers(options.source, options.header)
    lanes = options.lanes.split(',')
    project = Project(options.source, options.build, lanes, options.jobs)
    project.configure()
    project.find_headers()
    if not project.tests:
        stop(1, f'no loom tests in {options.source}')
    texts = {h: (project.include / 'tweed' / h).read_text() for h in headers}
    mutants = []
    for header in headers:
        own, others = project.dependents(header)
        if not own + others:
            if options.header:
                stop(1, f'no test on the loom includes {header}')
            print(f'mutate: no test on the loom includes {header}: not tried')
            continue
        live = project.live_lines(header, (own + others)[0])
        mutants += rules.find_mutants(header, texts[header], live.__contains__)
    arguments = read_arguments(options.equivalent)
    any_change = {m.key: m.key[:3] + ('*', 1) for m in mutants}
    existing = set(any_change) | set(any_change.values())
    whole_lines = {key for key, line in any_change.items() if line in arguments}
    stale = [k for k in arguments if k[0] in headers and k not in existing]
    stale += [k for k in arguments if k[0] not in choose_headers(options.source, [])]
    arguments.update({key: arguments[any_change[key]] for key in whole_lines})
    if options.only:
        kinds = set(options.only) | (set(rules.SYNC_KINDS) if 'sync' in options.only else set())
        mutants = [m for m in mutants if m.kind in kinds]
    if options.list:
        for mutant in mutants:
            print(('argued ' if mutant.key in arguments else '') + show(mutant))
        print(f'{len(mutants)} mutants')
    status, by = {}, {}
    if not options.list:
        status, by = run_all(options, project, texts, mutants, arguments)
    for key in stale:
        print(f'argued, but there is no such mutant: {key[0]}: {key[1]}\n      - {key[2]}\n'
              f'      +{key[4]} {key[3]}')
    if options.list:
        return 1 if stale else 0
    wrong = [m for m in mutants if m.key in arguments and status[m.key] == 'caught' and
             m.key not in whole_lines]
    for mutant in wrong:
        print(f'argued to be equivalent, but caught by {by[mutant.key]}: {show(mutant)}')
    for mutant in mutants:
        if mutant.key in arguments and status[mutant.key] == 'survived':
            status[mutant.key] = 'equivalent'
    lines, is_good = report(mutants, status, by)
    print('\n' + '\n'.join(lines))
    if options.report:
        what = ' '.join(['mutate'] + [f'--only {kind}' for kind in options.only or []] + options.header)
        Path(options.report).write_text('\n'.join([f'# ./tweed.sh {what}', ''] + lines) + '\n')
    return 0 if is_good and not stale and not wrong else 1


def run_all(options, project, texts, mutants, arguments):
    path = options.build / 'results.jsonl'
    if options.fresh and path.exists():
        path.unlink()
    digests = {h: digest(t) for h, t in texts.items()}
    suites = {h: digest(*(t.digest for tests in project.dependents(h) for t in tests)) for h in texts}
    known = load_results(path, digests, suites)
    passed = {m.key: int(known[m.key]['by']) for m in mutants
              if m.key in known and known[m.key]['status'] == 'passed'}
    status = {m.key: known[m.key]['status'] for m in mutants if m.key in known and m.key not in passed}
    by = {key: known[key]['by'] for key in status}
    pending = [m for m in mutants if m.key not in status and (options.argued or m.key not in arguments)]
    for mutant in mutants:
        if mutant.key not in status and mutant not in pending:
            status[mutant.key], by[mutant.key] = 'equivalent', ''
    if options.known:
        status.update((m.key, 'untried') for m in pending)
        return status, by
    print(f'{len(mutants)} mutants, {len(mutants) - len(pending)} known or argued, {len(pending)} to run; '
          f'results in {path}', flush=True)
    shutil.rmtree(options.build / 'work', ignore_errors=True)
    campaign = Campaign(project, texts, pending)
    lock, done = threading.Lock(), [0]

    def one(mutant, stage):
        start = time.time()
        verdict, how = campaign.judge(mutant, stage)
        what = show(mutant)
        if verdict == 'survived' and stage + 1 < len(stages_of(mutant)):
            verdict, how = 'passed', str(stage + 1)
        with lock:
            if verdict == 'passed':
                print(f'          {time.time() - start:5.1f} s not by stage {stage + 1}: {what}', flush=True)
            else:
                campaign.leave(mutant)
                done[0] += 1
                status[mutant.key], by[mutant.key] = verdict, how
                if verdict != 'survived':
                    what = what.splitlines()[0] + f', by {how}'
                print(f'{done[0]:4}/{len(pending)} {time.time() - start:5.1f} s {verdict}: {what}',
                      flush=True)
            with open(path, 'a') as file:
                file.write(json.dumps({'key': mutant.key, 'kind': mutant.kind, 'status': verdict,
                                       'by': how, 'headerDigest': digests[mutant.header],
                                       'suiteDigest': suites[mutant.header]}) + '\n')

    # Stage by stage, as the first catches most; a run that is stopped goes on from there.
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            for stage in range(max(len(STAGES), len(ORDER_STAGES))):
                left = [m for m in pending if m.key not in status and passed.get(m.key, 0) <= stage]
                for future in [pool.submit(one, m, stage) for m in campaign.in_turn(left)]:
                    future.result()
        except RuntimeError as error:
            pool.shutdown(cancel_futures=True)
            stop(1, str(error))
    shutil.rmtree(options.build / 'work', ignore_errors=True)
    return status, by


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
