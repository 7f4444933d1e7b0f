#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the JSON of ./tweed.sh ladder into tables and charts, and says whether what is asserted
holds.

    ladderReport.py FILE...               print the table of each
    ladderReport.py --charts DIR FILE...  and draw its chart, as PNG and SVG
    ladderReport.py --check FILE...       exit 1 unless all that is asserted of an H200 holds
    ladderReport.py --adopt DIR           take over the JSON of a run into examples/ladder/results,
                                          with charts, and write the tables of README.md here and
                                          in ../executionModel (whose JSON counts from a GPU alone),
                                          and the sentences that have figures of the run in them
    ladderReport.py --current             exit 1 if those tables are not what the results give

A figure is the median of its rounds; a ratio is taken in each round, since a round times all bars
in turn. What stands behind +- is 1.4826 times the median distance from the median. "a > b" is
asserted beyond that spread, "a >= b" within it. Speeds are compared, not times, so that a slow rung
may be timed at a smaller size.
"""

import argparse
import json
import pathlib
import statistics
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
sys.dont_write_bytecode = True
from report import (COLOURS, Missing, Ratio, Row, figure, power, save,  # noqa: E402
                    start_plots, table, with_tables)

LADDERS = {"reduction": "Sum of n floats", "matmul": "Products of n x n by n x n"}
LEAST_ROUNDS = 10

# (better, worse, relation, factor): speeds of bars of floats, by the first word of their names; of
# several forms the fastest.
ASSERTED = {
    "reduction": {
        "sizes": (1 << 24, 1 << 28),
        "of": (("r2", "r1", ">", 1), ("r3", "r2", ">", 1), ("r10", "r9", ">=", 1),
               ("r11", "r9", ">=", 1), ("r13c", "r11", ">=", 1), ("r15", "r16", ">=", 1)),
    },
    "matmul": {
        "sizes": (4096,),
        "of": (("m2", "m1", ">", 1), ("m5", "m2", ">", 1), ("m5", "m8", ">=", 0.6),
               ("m7", "m8", ">=", 1.04)),
    },
}

# A rung that does not go on from the one above it in the list, by its name or that's first word.
SINCE = {"r9": "r3", "m3 m2 padded": "m2", "m4": "m3 padded", "m7 tweed": "m5 registerTile"}

COUNTS = {"launches": "launches", "blocks": "blocks", "requests": "requests",
          "divergent": "divergent", "sectors": "sectors", "passes": "bank passes",
          "barriers": "barriers", "warpBarriers": "warp barriers", "shuffles": "shuffles",
          "exchanges": "matrix instructions", "atomics": "atomics"}


class Fault(Exception):
    """The command line or a file is not as it must be."""


class Bar:
    def __init__(self, entry):
        self.name, self.idea, self.type = entry["name"], entry["idea"], entry["type"]
        self.kind, self.n = entry["kind"], entry["n"]
        self.key = self.name.split()[0]
        self.error, self.skipped = entry.get("error"), entry.get("skipped")
        self.counts = entry.get("counts")
        self.seconds = entry.get("seconds", [])
        self.work = entry["work"]
        self.row = Row()  # seconds for each unit of work, by round
        self.row.rounds = {i: s / self.work for i, s in enumerate(self.seconds)}

    @property
    def since(self):
        return SINCE.get(self.name, SINCE.get(self.key))

    def is_named(self, name):
        return name in (self.name, self.key)

    @property
    def speed(self):
        return 1e-9 / self.row.time

    def over(self, other):
        """How many times as fast."""
        return Ratio(other.row, self.row)


class Case:
    def __init__(self, entry):
        self.n = entry["n"]
        self.all = [Bar(bar) for bar in entry["bars"]]
        self.bars = [bar for bar in self.all if bar.kind != "ceiling"]
        self.good = [bar for bar in self.bars if bar.seconds and not bar.error]

        self.types = list(dict.fromkeys(bar.type for bar in self.bars))

    def by_type(self, bars):
        return sorted(bars, key=lambda bar: self.types.index(bar.type))

    def label(self, bar):
        return bar.name if len(self.types) == 1 else f"{bar.name}, {bar.type}"

    def find(self, key, type_="float"):
        """Of a rung's forms the fastest."""
        return max((bar for bar in self.good if (bar.key, bar.type) == (key, type_)),
                   key=lambda bar: bar.speed, default=None)

    def form(self, bar):
        """The first word of the name, or all of it if there are several forms."""
        forms = [other for other in self.good if (other.key, other.type) == (bar.key, bar.type)]
        return bar.name if len(forms) > 1 else bar.key

    def below(self, bar):
        """What a rung is compared with: the one before it."""
        rungs = [other for other in self.good if (other.kind, other.type) == ("rung", bar.type)]
        if bar not in rungs:
            return None
        for other in rungs[:rungs.index(bar)]:
            if other.is_named(bar.since):
                return other
        return rungs[rungs.index(bar) - 1] if rungs.index(bar) > 0 else None

    def peer(self, type_):
        peers = [bar for bar in self.good if bar.kind == "peer" and bar.type == type_]
        return max(peers, key=lambda bar: bar.speed, default=None)

    def ceiling(self, type_):
        found = [bar for bar in self.all
                 if bar.kind == "ceiling" and bar.type == type_ and bar.seconds and not bar.error]
        return max(found, key=lambda bar: bar.speed, default=None)


class Result:
    def __init__(self, path):
        try:
            document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        except OSError as fault:
            raise Fault(f"{path}: {fault.strerror}")
        except ValueError as fault:
            raise Fault(f"{path}: not complete JSON: {fault}")
        if not isinstance(document, dict) or document.get("format") != "tweed ladder":
            raise Fault(f"{path}: not of ./tweed.sh ladder: its format is not 'tweed ladder'")
        version, ladder = document.get("version"), document.get("ladder")
        if version != 1 or ladder not in LADDERS:
            raise Fault(f"{path}: version {version} of '{ladder}'; known are version 1 of "
                        f"{', '.join(LADDERS)}")
        self.path, self.document = path, document
        self.ladder, self.unit = document["ladder"], document["unit"]
        self.is_gpu = document["where"] == "gpu"
        self.name = f"{self.ladder}.{document['where']}"
        self.cases = [Case(case) for case in document["cases"]]

    @property
    def peer_name(self):
        return "CUB" if self.ladder == "reduction" else "cuBLAS"

    def caption(self):
        facts = [self.document["device"]]
        for key, text in (("driver", "driver {}"), ("smClockMHz", "{} MHz"), ("date", "{}"),
                          ("revision", "tweed {}")):
            if self.document.get(key):
                facts.append(text.format(self.document[key]))
        return f"{LADDERS[self.ladder]}; {', '.join(facts)}"


def any_figure(value):
    return figure(value) if value >= 1 else f"{value:.3g}"


def duration(seconds):
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit or name == "µs":
            return f"{any_figure(seconds / unit)} {name}"


def percent(bar, whole):
    if not whole:
        return ""
    share = 100 * bar.over(whole).median
    return f"{share:.3g} %" if share >= 1 else f"{share:.1g} %"


def note(bar):
    return bar.error and f"wrong: {bar.error}" or bar.skipped and f"skipped: {bar.skipped}" or ""


def times(result, case):
    ceilings = [bar.name for bar in case.all if bar.kind == "ceiling"]
    head = ["rung", "what changed", "items", "time", "±", result.unit, "× the one before",
            f"of the ceiling ({' or '.join(ceilings)})", f"of {result.peer_name}"]
    rows = []
    for bar in case.all:
        if bar not in case.good and bar.kind != "ceiling" or bar.error or not bar.seconds:
            rows.append([bar.name, note(bar) or "not measured", bar.type] + [""] * 6)
            continue
        median = statistics.median(bar.seconds)
        spread = 1.4826 * statistics.median(abs(s - median) for s in bar.seconds)
        size = "" if bar.n == case.n else f" (n = {power(bar.n)})"
        below = case.below(bar)
        steps = f"{bar.over(below)}" if below else ""
        if below and below.is_named(bar.since):
            steps += f" ({bar.since})"
        ceiling = case.ceiling(bar.type) if bar.kind != "ceiling" else None
        peer = case.peer(bar.type) if bar.kind == "rung" else None
        rows.append([bar.name, bar.idea, bar.type, duration(median) + size, duration(spread),
                     any_figure(bar.speed), steps, percent(bar, ceiling), percent(bar, peer)])
    return head, without_empty(head, rows)


def counts(case):
    shown = [name for name in COUNTS if any(bar.counts and bar.counts[name] for bar in case.bars)]
    head = ["rung", "what changed", "items", *(COUNTS[name] for name in shown)]
    rows = []
    for bar in case.bars:
        row = [bar.name, note(bar) or bar.idea, bar.type]
        for name in shown:
            ideal = {"passes": "idealPasses", "sectors": "idealSectors"}.get(name)
            cell = "" if not bar.counts or bar.error else str(bar.counts[name])
            if cell and ideal and bar.counts[ideal] != bar.counts[name]:
                cell += f" (ideal {bar.counts[ideal]})"
            row.append(cell)
        rows.append(row)
    return head, without_empty(head, rows)


def without_empty(head, rows):
    """Drops columns that say nothing, and that of the type where there is one type; in place."""
    for i in reversed(range(2, len(head))):
        if not any(row[i] for row in rows) or head[i] == "items" and len({r[i] for r in rows}) == 1:
            del head[i]
            for row in rows:
                del row[i]
    return rows


def table_of(result, case):
    return times(result, case) if result.is_gpu else counts(case)


def aligned(head, rows):
    """For a terminal: what changed stands last."""
    lines = [[*line[:1], *line[2:], line[1]] for line in [head, *rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  " + "  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in
                                                      zip(line[1:-1], widths[1:-1])), line[-1]])
        for line in lines)


def losses(case):
    """Rungs that are slower than the one before, beyond the spread."""
    for bar in case.good:
        below = case.below(bar)
        if below and not (ratio := bar.over(below)).is_at_least(1):
            yield f"{bar.name} ({ratio.median:.3f} ± {ratio.half:.3f} times {below.name})"


# ---- what is asserted ----

def verdicts(result, has_all=False):
    """(whether it holds, a line) for each thing that is asserted; has_all: also of sizes that were
    not measured."""
    asserted = ASSERTED[result.ladder]
    for case in result.cases:
        for bar in case.all:
            if bar.error:
                yield False, f"n = {power(case.n)}: {bar.name}: {bar.error}"
    for n in asserted["sizes"]:
        case = next((case for case in result.cases if case.n == n), None)
        if case is None:
            if has_all:
                yield False, f"n = {power(n)}: not measured"
            continue
        for better, worse, relation, factor in asserted["of"]:
            text = f"n = {power(n)}: {better} / {worse}"
            a, b = case.find(better), case.find(worse)
            if a is None or b is None:
                yield False, f"{text}: {worse if a else better} is not measured"
                continue
            text = f"n = {power(n)}: {case.form(a)} / {case.form(b)}"
            rounds = min(len(a.seconds), len(b.seconds))
            if rounds < LEAST_ROUNDS:
                yield False, f"{text}: {rounds} rounds; at least {LEAST_ROUNDS} are needed"
                continue
            ratio = a.over(b)
            holds = (ratio.median - ratio.half > factor if relation == ">"
                     else ratio.is_at_least(factor))
            yield holds, f"{text} = {ratio} in speed, asserted {relation} {factor}"


def print_verdicts(result, has_all):
    found = list(verdicts(result, has_all))
    for holds, text in found:
        print(f"  {'holds' if holds else 'FAILS'}  {text}")
    return all(holds for holds, _ in found)


# ---- charts ----

def colour_of(type_):
    return COLOURS["cubNewest"] if type_ == "half" else COLOURS["tweed"]


def draw(result, directory):
    pyplot = start_plots()
    if pyplot is None:
        return []
    directory.mkdir(parents=True, exist_ok=True)
    sheet = draw_times(pyplot, result) if result.is_gpu else draw_counts(pyplot, result)
    save(sheet, directory, result.name)
    pyplot.close(sheet)
    return [directory / f"{result.name}.{ending}" for ending in ("png", "svg")]


def name_bars(axes, case, bars):
    """From the top down; under each name what changed."""
    def lines(bar):
        size = "" if bar.n == case.n else f", n = {power(bar.n)}"
        return f"{case.label(bar)}{size}\n{bar.idea}"
    axes.set_yticks(range(len(bars)), map(lines, bars), fontsize=6.5)
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)


def gain(case, bar):
    below = case.below(bar)
    return f"   {bar.over(below).median:.2f} × {case.form(below)}" if below else ""


def draw_times(pyplot, result):
    heights = [1 + 0.28 * sum(bar.kind == "rung" for bar in case.good) for case in result.cases]
    sheet, panels = pyplot.subplots(len(result.cases), 1, squeeze=False, layout="constrained",
                                    figsize=(9, sum(heights)),
                                    gridspec_kw={"height_ratios": heights})
    for axes, case in zip(panels[:, 0], result.cases):
        bars = case.by_type(bar for bar in case.good if bar.kind == "rung")
        speeds = [bar.speed for bar in bars]
        drawn = axes.barh(range(len(bars)), speeds, 0.7,
                          color=[colour_of(bar.type) for bar in bars])
        for type_ in case.types:
            for bar, colour, style in ((case.ceiling(type_), "#444444", ":"),
                                       (case.peer(type_), colour_of(type_), "--")):
                if bar:
                    axes.axvline(bar.speed, color=colour, linestyle=style, linewidth=1.2,
                                 zorder=0.9,  # behind the bars
                                 label=f"{bar.name}, {type_}: {any_figure(bar.speed)}")
        for text in axes.bar_label(drawn, [any_figure(bar.speed) + gain(case, bar) for bar in bars],
                                   fontsize=6.5, padding=3):
            text.set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.8})
        axes.set_xscale("log")
        axes.set_xlim(min(speeds, default=1) / 2, 20 * max(speeds, default=1))
        axes.set_xlabel(f"{result.unit}, and how many times that of the rung it goes on from")
        axes.set_title(f"n = {power(case.n)}", fontsize=9)
        name_bars(axes, case, bars)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=7, loc="upper right", frameon=True, framealpha=0.9)
    sheet.suptitle(result.caption(), fontsize=9)
    return sheet


def draw_counts(pyplot, result):
    """A panel for each count of the last size; rungs that need none of it have no bar."""
    case = result.cases[-1]
    bars = case.by_type(bar for bar in case.bars if bar.counts and not bar.error)
    shown = [name for name in ("requests", "divergent", "sectors", "passes", "barriers", "shuffles",
                               "exchanges", "atomics") if any(bar.counts[name] for bar in bars)]
    sheet, panels = pyplot.subplots(1, len(shown), sharey=True, squeeze=False, layout="constrained",
                                    figsize=(3.4 + 1.2 * len(shown), 1 + 0.27 * len(bars)))
    for axes, name in zip(panels[0], shown):
        drawn = axes.barh(range(len(bars)), [bar.counts[name] for bar in bars], 0.7,
                          color=[colour_of(bar.type) for bar in bars])
        axes.bar_label(drawn, [str(bar.counts[name]) for bar in bars], fontsize=6, padding=2)
        axes.set_xscale("symlog", linthresh=1)
        axes.set_xlim(0, 100 * max(bar.counts[name] for bar in bars))
        axes.set_xticks([])
        axes.set_title(COUNTS[name].replace(" i", "\ni"), fontsize=8)
        name_bars(axes, case, bars)
    sheet.suptitle(f"{LADDERS[result.ladder]}, n = {power(case.n)}: counted on the loom, log axes",
                   fontsize=9)
    skipped = ", ".join(dict.fromkeys(bar.name for bar in case.bars if bar.skipped))
    if skipped:
        sheet.supxlabel(f"Not on the loom: {skipped}", fontsize=7)
    return sheet


# ---- README.md ----

def readme_table(name):
    def make(directory):
        path = directory / f"{name}.json"
        if not path.exists():
            raise Missing(f"there is no {path.name}")
        result = Result(path)
        parts = [result.caption() + "."]
        for case in result.cases:
            parts.append(f"n = {power(case.n)}:\n\n{table(*table_of(result, case))}")
            slower = result.is_gpu and ", ".join(losses(case))
            if slower:
                parts.append(f"Slower than the one before: {slower}.")
        if result.is_gpu:
            parts.append("\n".join(f"- {text}: {'holds' if holds else '**does not hold**'}"
                                   for holds, text in verdicts(result)))
        if (directory / f"{name}.png").exists():
            parts.append(f"![{LADDERS[result.ladder]}]({directory.name}/{name}.png)")
        return "\n\n".join(parts)
    return make


def experiment_tables(document):
    """A table for each run of rows with the same names."""
    groups = []
    for row in document["rows"]:
        if not groups or list(groups[-1][0]) != list(row):
            groups.append([])
        groups[-1].append(row)

    def cell(value):
        is_measure = isinstance(value, float) and not value.is_integer()
        return "-" if value is None else any_figure(value) if is_measure else value
    return "\n\n".join(table(list(rows[0]), [[cell(v) for v in row.values()] for row in rows])
                       for rows in groups)


def facts_of(document):
    yield document["device"]
    if "date" in document:
        version = document["driverCuda"]
        yield f"driver of CUDA {version // 1000}.{version % 1000 // 10}, {document['date']}"


def model_table(directory):
    documents = [json.loads(path.read_text(encoding="utf-8"))
                 for path in sorted(directory.glob("model.*.json"))]
    if not documents:
        raise Missing("there is no model.*.json")
    return "\n\n".join(f"`{d['experiment']}` on {', '.join(facts_of(d))}:\n\n{experiment_tables(d)}"
                       for d in documents)


def experiment_of(path):
    """The text, if it is what an experiment found on a GPU."""
    text = path.read_text(encoding="utf-8")
    document = json.loads(text)
    is_loom = "loom" in document.get("device", "")
    return text if "experiment" in document and not is_loom else None


def experiment_rows(directory, name):
    path = directory / f"model.{name}.json"
    if not path.exists():
        raise Missing(f"there is no {path.name}")
    return json.loads(path.read_text(encoding="utf-8"))["rows"]


# ---- README.md: what the figures of an H200 say ----

def measured(directory, ladder, n):
    path = directory / f"{ladder}.gpu.json"
    if not path.exists():
        raise Missing(f"there is no {path.name}")
    for case in Result(path).cases:
        if case.n == n:
            return case
    raise Missing(f"n = {power(n)} is not measured")


class Figures:
    """Of one size, as text: bars by name or its first word."""

    def __init__(self, case):
        self.case = case

    def bar(self, name, type_="float"):
        for bar in self.case.good:
            if bar.is_named(name) and bar.type == type_:
                return bar
        raise Missing(f"{name} of {type_} is not measured at n = {power(self.case.n)}")

    def seconds(self, name):
        bar = self.bar(name)
        return bar.row.time * bar.work

    def time(self, name):
        return duration(self.seconds(name))

    def ratio(self, name, other):
        return f"{self.bar(name).over(self.bar(other)).median:.2f}"

    def share(self, name, whole, type_="float"):
        return f"{100 * self.bar(name, type_).over(self.bar(whole, type_)).median:.0f} %"

    def share_of_ceiling(self, name):
        ceiling = self.case.ceiling("float")
        if not ceiling:
            raise Missing("no ceiling is measured")
        return f"{100 * self.bar(name).over(ceiling).median:.0f} %"


def bullets(*texts):
    return "\n".join(textwrap.fill(" ".join(text.split()), 120, initial_indent="- ",
                                   subsequent_indent="  ", break_long_words=False,
                                   break_on_hyphens=False) for text in texts)


class Rows:
    """Of an experiment."""

    def __init__(self, directory, name):
        self.name, self.rows = name, experiment_rows(directory, name)

    def values(self, column, **where):
        """Where all of `where` are as given; _ in a name is a space."""
        wanted = {key.replace("_", " "): value for key, value in where.items()}
        found = [row[column] for row in self.rows if row.get(column) is not None
                 and all(row.get(key) == value for key, value in wanted.items())]
        if not found:
            raise Missing(f"{self.name} has no {column} of {wanted}")
        return found

    def value(self, column, **where):
        return self.values(column, **where)[0]


def sums_said(directory):
    at24, at28 = (Figures(measured(directory, "reduction", 1 << log2)) for log2 in (24, 28))
    atomic = at24.seconds("r2") / at24.bar("r2").n

    def both(name, other):
        return f"{at24.ratio(name, other)} and {at28.ratio(name, other)} times as fast as {other}"
    ceilings = " and ".join(dict.fromkeys(f"`{at.case.ceiling('float').name}`"
                                          for at in (at24, at28)))
    sides = Rows(directory, "divergence").value("times by warp", work="long, if and else",
                                                split="by lane")
    return bullets(
        f"""**r3 to r5 are about atomics.** Those at one address come one by one, every
        {1e9 * atomic:.1f} ns (r2: {at24.time("r2")} for 2^24). r3 has 65536 of them, which is
        {duration(65536 * atomic)} of its {at24.time("r3")}; r4 has half of them and takes
        {at24.time("r4")}. r5 has one for each resident block, about a thousand:
        {duration(1000 * atomic)} of {at24.time("r5")}. So r9 to r14 are without: an atomic a block
        would hide the order of their trees.""",
        f"""**r6 and r7 save barriers and shared memory**, for which r5 was not waiting:
        r6 is {both("r6", "r5")} (at 2^24 and 2^28), r7 {both("r7", "r6")}. Each of their threads
        has one load under way, which at 2^28 gets {at28.share_of_ceiling("r7")} of the ceiling
        ([Little's law](../executionModel/README.md), `latencyHiding`). One of r12's has up to
        eight, and that is its gain: {at28.share_of_ceiling("r12 unrolled 8")}.""",
        f"""**Divergence is not what makes r9 slow.** Without it, r10 is {both("r10", "r9")};
        without the extra sectors, r11 is {both("r11", "r9")}, and {both("r11", "r10")}. A textbook
        has 1.69 and 1.34 for these two, of a Fermi card. Idle lanes cost time where instructions
        are the limit (`divergence`: two sides of a branch take {sides:.2f} times the time of one),
        and here memory is.""",
        f"""**Writing out the last warp, then all levels, then for a fixed block size** hardly
        changes the time: r13a is {both("r13a", "r12 unrolled 8")}, r13b {both("r13b", "r13a")},
        r13c {both("r13c", "r13b")}. Eight loads a thread hide the tree already. What block sizes at
        compile time give is registers in place of memory, as in `blockReduce`, which a tree in
        global memory cannot have.""",
        f"""**Kernels that launch kernels**: r14 has as many launches as r13c, all but the first
        from the device, which costs time; and its blocks add up by `blockReduce`, in registers,
        which saves the traffic of r13c's tree. Both together: {at24.time("r14")} for
        {at24.time("r13c")} at 2^24, and {at28.time("r14")} for {at28.time("r13c")} at 2^28, where
        launches are a small part.""",
        f"""**r8 takes {at24.time("r8")} for r7's {at24.time("r7")}** at 2^24, and
        {at28.time("r8")} for {at28.time("r7")} at 2^28: a second launch in place of about a
        thousand atomics. Its gain is the same bits every time.""",
        f"""**r15 reaches {at24.share_of_ceiling("r15")} of the ceiling at 2^24, and
        {at28.share_of_ceiling("r15")} at 2^28.** The ceiling is no limit of the card but another
        program's speed, here that of {ceilings}: it has blocks and loads of its own, and its
        launches wait for each other, where r15's may begin while the call before it ends. That is
        more of {at24.time("r15")} than of {at28.time("r15")}. The L2 cache has no part in it:
        calls walk through at least four times what it holds.""")


def products_said(directory):
    at = Figures(measured(directory, "matmul", 4096))
    shapes = Rows(directory, "blockShape").values("us")

    def fast(name, other):
        return f"{at.ratio(name, other)} times as fast as {other}"
    return bullets(
        f"""**Padding cures what it is for, and that may not be the limit.** `m3 padded` is
        {fast("m3 padded", "m3 unpadded")}, and {fast("m3 padded", "m2")}, whose small tiles have no
        conflicts to cure. `m3 m2 padded`, which makes some, is {fast("m3 m2 padded", "m2")}.""",
        f"""**Occupancy is not speed.** m5 with room for two blocks a multiprocessor is
        {fast("m5 registerTile", "m5 bounds 1")}, which has room for one, and
        {fast("m5 registerTile", "m5 bounds 3")}, which has so few registers for each of three that
        sums go to memory. Two blocks are a quarter of the warps that there could be. (`blockShape`:
        {len(shapes)} shapes of blocks with the same occupancy take {min(shapes):.0f} to
        {max(shapes):.0f} µs.)""",
        f"""**Beside cuBLAS in floats**, m5 registerTile has {at.share("m5 registerTile", "m8")} of
        its speed, `m7 tweed` {at.share("m7 tweed", "m8")}, and `m7 tuned`
        {at.share("m7 tuned", "m8")}.""",
        f"""**Tensor cores need feeding.** In halves, m6a (`nvcuda::wmma` without copies ahead) has
        {at.share("m6a", "m8", "half")} of cuBLAS's speed, m6b (`cp.async`, `mma.sync`)
        {at.share("m6b", "m8", "half")}, m6c (TMA, wgmma) {at.share("m6c", "m8", "half")},
        `m7 tweed` {at.share("m7 tweed", "m8", "half")}, and `m7 tuned`
        {at.share("m7 tuned", "m8", "half")}.""")


def model_said(directory):
    divergence, trips, bound, shape, latency, width, launch, nested, streams, ballot = (
        Rows(directory, name) for name in (
            "divergence", "tripCounts", "registers", "blockShape", "latencyHiding", "vectorWidth",
            "launchOverhead", "nestedLaunch", "concurrency", "ballotCount"))
    short = divergence.values("times by warp", work="short")
    four_ways = 100 / trips.value("by the clock %", ways=4, split_by="lane")
    uniform = [row for row in trips.rows if row.get("split by") in ("warp", "block")]
    units = " or ".join(dict.fromkeys(f"whole {row['split by']}s" for row in uniform))
    shares = [row["by the clock %"] for row in uniform]
    occupancies, times_of = (", ".join(f"{value:.0f}" for value in bound.values(column)[1:])
                             for column in ("occupancy %", "us"))
    shapes = shape.values("us")
    chains = {n: max(latency.values("a cycle", chains_a_thread=n)) for n in (1, 4)}
    large = max(width.values("MB"))
    deepest = max(nested.values("levels"))
    level = ((nested.value("us", levels=deepest) - nested.value("us", levels=1)) / (deepest - 1))
    most = max(ballot.values("items"))

    def with_8_kb(warps, loads):
        return f"{latency.value('GB/s', warps=warps, loads_a_thread=loads):.0f}"

    def wide(size, lane):
        return f"{width.value('GB/s', MB=size, bytes_a_lane=lane, hint='none'):.0f}"

    def of_items(form):
        return f"{ballot.value(form + ' us', items=most):.0f} µs"
    return bullets(
        f"""`divergence`, `tripCounts`: whoever splits a warp, two sides of a branch take
        {divergence.value("times by warp", work="long, if and else", split="by lane"):.2f} times the
        time of one, and four {four_ways:.2f} times, but split by {units} they are free
        ({min(shares):.1f} to {max(shares):.1f} % of the speed of one way); a warp lasts as long
        as its longest lane (one lane of 32 at work:
        {trips.value("by the clock %", turns="one lane all, others one"):.1f} % by the clock). Where the work is short, memory is the limit and divergence costs nothing
        ({min(short):.2f} to {max(short):.2f}).""",
        """`bankConflicts`: the clock finds the predicted passes for all strides and tiles; each
        beyond the first takes the same time.""",
        f"""`occupancy`, `registers`: more warps for fewer registers do not pay once values leave
        the registers: at an occupancy of {occupancies} % it takes {times_of} µs.""",
        f"""`blockShape`: {len(shapes)} shapes with the same occupancy take {min(shapes):.0f} to
        {max(shapes):.0f} µs. Of the textbooks' rules (a warp's width along x; 128 to 256 threads)
        the first holds, in that (4, 64) leaves half of each sector unused and takes
        {shape.value("us", block="(4, 64)"):.0f}; the second does not suffice: (64, 2) takes
        {shape.value("us", block="(64, 2)"):.0f}, (64, 4) {shape.value("us", block="(64, 4)"):.0f}.
        """,
        f"""`latencyHiding`: bandwidth follows the bytes under way, as Little's law says, but not
        them alone: 8 KB are {with_8_kb(64, 1)} GB/s by 64 warps with a load each,
        {with_8_kb(16, 4)} by 16 with four, {with_8_kb(8, 8)} by 8 with eight. Nor do enough warps
        alone fill the arithmetic pipe: with one chain of multiply-adds a thread it does at most
        {chains[1]:.1f} of 128 a cycle, with four {chains[4]:.0f}.""",
        f"""`vectorWidth`: of {large:.0f} MB, 4, 8 and 16 bytes a lane copy {wide(large, 4)},
        {wide(large, 8)} and {wide(large, 16)} GB/s: 8 are enough to fill the memory's bus. What
        fits in L2 is too little for the width to show, since a launch takes most of that time.""",
        f"""`launchOverhead`: a launch costs the host
        {launch.value("us a kernel", form="100 launches"):.1f} µs, in a graph
        {launch.value("us a kernel", form="a graph of 100"):.1f}. `nestedLaunch`: a level that the
        device launches costs {level:.0f} µs.""",
        f"""`concurrency`: 32 small kernels on 32 streams are
        {streams.value("speedup", streams=32):.1f} times as fast as on one.""",
        f"""`ballotCount`: to count {most} items by ballots and one atomic a warp takes
        {of_items("ballot")}, by the branch, whose atomics nvcc merges once a turn,
        {of_items("branch")}; to pack them as well {of_items("packed")}.""")


TABLES = {f"{ladder}.{where}": readme_table(f"{ladder}.{where}")
          for ladder in LADDERS for where in ("gpu", "loom")}
TABLES.update({"model": model_table, "reduction.said": sums_said, "matmul.said": products_said,
               "model.said": model_said})


def adopt(source, directory):
    found, experiments = [], {}
    for path in sorted(source.glob("*.json")):
        if path.name.startswith("model."):
            text = experiment_of(path)
            if text:
                experiments[path.name] = text
            continue
        result = Result(path)
        if any(bar.error for case in result.cases for bar in case.all):
            raise Fault(f"{path}: has wrong results; nothing of it is taken over")
        found.append(result)
    if not found and not experiments:
        raise Fault(f"{source}: there is no JSON of ./tweed.sh ladder")
    directory.mkdir(parents=True, exist_ok=True)
    for result in found:
        target = directory / f"{result.name}.json"
        target.write_text(pathlib.Path(result.path).read_text(encoding="utf-8"), encoding="utf-8")
        draw(result, directory)
        print(f"ladderReport.py: {target}")
    for name, text in experiments.items():
        (directory / name).write_text(text, encoding="utf-8")
        print(f"ladderReport.py: {directory / name}")


def main():
    parser = argparse.ArgumentParser(
        description="Tables, charts and checks of the JSON of ./tweed.sh ladder.")
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--charts", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--check", action="store_true", help="what is asserted of an H200")
    parser.add_argument("--adopt", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--current", action="store_true", help="compare README.md's tables")
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results", metavar="DIR",
                        help="where --adopt puts JSON and charts (default: %(default)s)")
    parser.add_argument("--readme", type=pathlib.Path, action="append",
                        help="README to treat (default: those two)")
    options = parser.parse_args()
    if bool(options.files) == (options.adopt is not None or options.current):
        raise Fault("FILE... is needed, or --adopt DIR, or --current; see --help")
    is_fine = True
    if options.adopt:
        adopt(options.adopt, options.results)
    for path in options.files:
        result = Result(path)
        if options.check:
            if not result.is_gpu:
                raise Fault(f"{path}: counted on the loom; what is asserted is a GPU's speed")
            print(f"{path}: {result.caption()}")
            is_fine &= print_verdicts(result, has_all=True)
            continue
        print(result.caption())
        for case in result.cases:
            print(f"\nn = {power(case.n)}\n{aligned(*table_of(result, case))}")
        if result.is_gpu and "H200" in result.document["device"]:
            print("\nAsserted:")
            print_verdicts(result, has_all=False)
        if options.charts:
            print("\n" + "\n".join(f"chart      {path}" for path in draw(result, options.charts)))
    readmes = options.readme or [HERE / "README.md", HERE.parent / "executionModel" / "README.md"]
    for path in readmes if options.adopt or options.current else []:
        text = path.read_text(encoding="utf-8")
        fresh = with_tables(path, text, options.results, TABLES)
        if options.adopt and fresh != text:
            path.write_text(fresh, encoding="utf-8")
            print(f"ladderReport.py: wrote {path}")
        elif fresh != text:
            print(f"ladderReport.py: {path}: its tables are not what {options.results} gives",
                  file=sys.stderr)
            is_fine = False
    return 0 if is_fine else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Fault as fault:
        print(f"ladderReport.py: {fault}", file=sys.stderr)
        sys.exit(2)
