#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the JSON of benchmark runs into the tables of the READMEs and into plots.

    report.py                 print the tables
    report.py --adopt DIR     take over the JSON of a run from DIR into benchmarks/results
    report.py --write         put the tables between the markers of README.md and
                              benchmarks/README.md, and write the plots (if matplotlib is there)
                              beside the JSON
    report.py --check         exit 1 if a README's table is not what the JSON gives

A table goes between the lines <!-- table:NAME --> and <!-- /table:NAME -->.

A figure is the median of its rounds. In each round all peers of a case are measured one after the
other, so a ratio is taken in each round, and its figure is the median of these. What stands behind
+- is 1.4826 times the median distance from the median (the standard deviation, if the rounds
scatter normally); this is "half the spread": a goal counts as reached if it lies within the median
plus half the spread on the better side.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent

# CUB's time over tweed's: greater is better. n is 2 to this.
DEVICE_GOALS = {
    "deviceReduce": {
        "stream": {14: 1.8, 16: 1.8, 18: 1.8, 20: 1.8, 22: 1.15, 24: 1.02, 26: 1.02, 28: 1.0,
                   30: 1.0},
        "graph": {14: 1.2, 16: 1.2, 18: 1.2, 20: 1.2, 22: 1.15},
        "graphCold": {14: 1.1, 16: 1.1, 18: 1.1},
    },
    "deviceArg": {
        "stream": {12: 1.8, 14: 1.8, 16: 1.8, 18: 1.8, 20: 1.8},
        "graph": {12: 1.2, 14: 1.2, 16: 1.2, 18: 1.2, 20: 1.2},
    },
}
TYPES_GOALS = {28: 1.0, 30: 1.0}
MANY_GOALS = {28: 3.5}
# The time of fast.cu over tweed's.
FAST_CU_GOALS = {30: 1.0}
FAST_CU_MATMUL_GOALS = {4096: 1.0, 8192: 1.0}
# The time of the best of cuBLAS and cuBLASLt over tweed's, by mode and n.
MATMUL_GOALS = {
    ("matmul", "f32/rowRow"): {
        "stream": {256: 2.2, 512: 1.6, 1024: 1.15, 2048: 1.04, 4096: 1.04, 4097: 0.95, 8192: 1.04,
                   16384: 1.0},
        "graph": {256: 1.2, 512: 1.3, 1024: 1.15, 2048: 1.04},
    },
    ("matmul", "tf32/rowColumn"): {"stream": {4096: 0.97}},
    ("matmulBf16", "bf16mma/rowColumn"): {"stream": {4096: 0.45, 8192: 0.45}},
    ("matmulFused", "bf16/biasGelu"): {"stream": {4096: 1.1, 8192: 1.1}},
    **{("matmulTypes", f"f32/{layouts}"): {"stream": {2048: 1.04, 4096: 1.04},
                                           "graph": {2048: 1.04}}
       for layouts in ("rowColumn", "columnRow", "columnColumn")},
}
HALF_GOALS = {
    "stream": {256: 1.5, 512: 1.5, 1024: 1.5, 2048: 1.0, 4096: 1.01, 4097: 1.2, 8192: 1.01},
    "graph": {256: 0.95, 512: 0.95, 1024: 0.95, 2048: 1.0},
}
# tweed's error over cuBLAS's: smaller is better.
FROBENIUS_GOAL = 1.5
# tweed's time over the best of CUB's: smaller is better.
BLOCK_GOALS = {
    "latency": {128: 0.88, 256: 0.8, 512: 0.8, 1024: 0.8},
    "full": {128: 0.93, 256: 0.93, 512: 0.93, 1024: 0.93},
}
BROADCAST_GOAL = 0.87
# The same for other types and operators, scans and warps, whatever the number of threads.
COLLECTIVE_GOAL = 1.0

TIME_UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


class Missing(Exception):
    """What a table needs is not among the results."""


class Row:
    """One peer in one case: its rounds in order, in microseconds, and its counters."""

    def __init__(self):
        self.rounds = {}
        self.counters = {}
        self.error = None

    def times(self):
        return [self.rounds[i] for i in sorted(self.rounds)]

    def cycles(self):
        return self.counters["cycles"]

    @property
    def time(self):
        return statistics.median(self.times())

    def median(self, counter):
        return statistics.median(self.counters[counter])


class Results:
    def __init__(self, directory):
        self.contexts = {}
        self.rows = {}  # (program, type, mode, size) -> {peer: Row}
        self.machine = {}
        for path in sorted(pathlib.Path(directory).glob("*.json")):
            with open(path, encoding="utf-8") as file:
                try:
                    document = json.load(file)
                except json.JSONDecodeError as fault:
                    raise SystemExit(f"report.py: {path}: not complete JSON: {fault}")
            if "benchmarks" in document:
                self.take(path, document)

    def take(self, path, document):
        programs = set()
        for entry in document["benchmarks"]:
            parts = [p for p in entry["name"].split("/")
                     if not p.startswith(("iterations:", "repeats:")) and p != "manual_time"]
            if entry.get("run_type", "iteration") != "iteration":
                continue
            if parts[0] == "machine":
                if programs:
                    for program in programs:
                        self.machine.setdefault(program, {})[parts[1]] = entry
                else:
                    pending = self.machine.setdefault(str(path), {})
                    pending[parts[1]] = entry
                continue
            # What stands between mode and size belongs to the kind.
            program, mode, size, peer = parts[0], parts[2], parts[-2], parts[-1]
            kind = "/".join([parts[1], *parts[3:-2]])
            if program not in programs:
                if program in self.contexts:
                    raise SystemExit(f"report.py: {path}: another file has {program} too")
                programs.add(program)
                self.contexts[program] = document.get("context", {})
                self.machine.setdefault(program, {}).update(self.machine.pop(str(path), {}))
            key = (program, kind, mode, int(size.split(":")[1]))
            row = self.rows.setdefault(key, {}).setdefault(peer, Row())
            if entry.get("error_occurred") or entry.get("skipped"):
                row.error = entry.get("error_message", entry.get("skip_message", "error"))
                continue
            index = entry.get("repetition_index", len(row.rounds))
            row.rounds[index] = entry["real_time"] * TIME_UNITS[entry["time_unit"]]
            for name, value in entry.items():
                if isinstance(value, float) and name not in ("real_time", "cpu_time"):
                    row.counters.setdefault(name, []).append(value)

    def case(self, program, kind, mode, size):
        """Peers without an error; Missing if there are none."""
        peers = self.rows.get((program, kind, mode, size), {})
        good = {name: row for name, row in peers.items()
                if not row.error and row.rounds and min(row.rounds.values()) > 0}
        if not good:
            raise Missing(f"no results of {program}/{kind}/{mode}/{size}")
        return good

    def sizes(self, program, kind, mode):
        return sorted(s for p, k, m, s in self.rows if (p, k, m) == (program, kind, mode))

    def errors(self):
        for key, peers in sorted(self.rows.items()):
            for peer, row in peers.items():
                if row.error:
                    yield "/".join(map(str, key)) + "/" + peer, row.error


class Ratio:
    """Of two rows: by round where both have the same rounds, else of their medians. Of times, or of
    another figure that each round has."""

    def __init__(self, above, below, figures=Row.times):
        above, below = figures(above), figures(below)
        if len(above) == len(below):
            values = [a / b for a, b in zip(above, below)]
            self.median = statistics.median(values)
            self.half = 1.4826 * statistics.median(abs(v - self.median) for v in values)
        else:
            self.median = statistics.median(above) / statistics.median(below)
            self.half = 0.0

    def __str__(self):
        return f"{self.median:.2f} ± {self.half:.2f}"

    def is_at_least(self, goal):
        return self.median + self.half >= goal

    def is_at_most(self, goal):
        return self.median - self.half <= goal


def figure(value):
    """Three to four digits."""
    if value >= 1000:
        return f"{value:.0f}"
    if value >= 100:
        return f"{value:.1f}" if value < 1000 else f"{value:.0f}"
    return f"{value:.2f}"


def timed(row):
    """A time with its spread, in digits that show the spread."""
    half = 1.4826 * statistics.median(abs(t - row.time) for t in row.times())
    return f"{figure(row.time)} ± {half:.2f}" if row.time < 100 else f"{row.time:.1f} ± {half:.1f}"


def power(n):
    log2 = n.bit_length() - 1
    return f"2^{log2}" if n == 1 << log2 else str(n)


def version(number):
    """CUB_VERSION as CCCL writes it: 300001 is 3.0.1 (before 3.0: 200800 is 2.8.0)."""
    number = int(number)
    return f"{number // 100000}.{number // 100 % 1000}.{number % 100}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(" --- " for _ in head) + "|"]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)


def verdict(is_reached):
    return "yes" if is_reached else "**no**"


def best(peers, accept):
    """The name of the fastest accepted peer."""
    names = [name for name in peers if accept(name)]
    if not names:
        raise Missing("no peer to compare with")
    return min(names, key=lambda name: peers[name].time)


def toolkit_cub(peers):
    """The toolkit's CUB, by the faster of its forms; Missing if there is none."""
    return peers[best(peers, lambda name: name in ("cub", "cubPair"))]


def reading(peers):
    """Reading alone, by the faster kernel; Missing if there is none."""
    return peers[best(peers, lambda name: name.startswith("read"))]


def goal_cells(ratio, goals, n):
    goal = goals.get(n.bit_length() - 1)
    return [goal, verdict(ratio.is_at_least(goal))] if goal else ["", ""]


def device_table(results, program, mode):
    sizes = results.sizes(program, "f32", mode)
    if not sizes:
        raise Missing(f"no results of {program}/{mode}")
    context = results.contexts[program]
    has_newest = any("cubNewest" in results.case(program, "f32", mode, n) for n in sizes)
    head = ["n", "tweed, µs", "GB/s", f"CUB {version(context['cub'])}, µs"]
    if has_newest:
        head.append(f"CUB {version(context['cubNewest'])}, µs")
    head.append("reading alone, µs")
    head.append("CUB / tweed")
    if has_newest:
        head.append("newest CUB / tweed")
    head += ["goal", "reached"]
    rows = []
    for n in sizes:
        peers = results.case(program, "f32", mode, n)
        try:
            tweed, cub, read = peers["tweed"], toolkit_cub(peers), reading(peers)
        except (KeyError, Missing):
            rows.append([power(n)] + ["error"] * (len(head) - 1))
            continue
        ratio = Ratio(cub, tweed)
        row = [power(n), figure(tweed.time), figure(tweed.median("GBps")), figure(cub.time)]
        if has_newest:
            row.append(figure(peers["cubNewest"].time) if "cubNewest" in peers else "error")
        row += [figure(read.time), str(ratio)]
        if has_newest:
            row.append(str(Ratio(peers["cubNewest"], tweed)) if "cubNewest" in peers else "error")
        rows.append(row + goal_cells(ratio, DEVICE_GOALS[program].get(mode, {}), n))
    return table(head, rows)


MODES = {"stream": "stream", "graph": "graph", "graphCold": "graph, not in L2"}

# Kinds of deviceReduceTypes, and the peer that each is compared with.
TYPES = [("i32", "int, sum", "cub"), ("f64", "double, sum", "cub"),
         ("f16", "half, sum in float", "cub"), ("bf16", "bfloat16, sum in float", "cub"),
         ("min", "float, minimum", "cub"), ("max", "float, maximum", "cub"),
         ("affine", "affine maps, order kept", "cub"),
         ("affine", "the same, CUB's order not kept", "anyOrder")]


def against_table(results, program, kinds, names, goals):
    """All modes and sizes of the kinds, as in TYPES; beside another peer than "cub" no goal."""
    head = ["calls", "n", "tweed, µs", "GB/s", names, "reading alone, µs", "ratio", "goal",
            "reached"]
    if len(kinds) > 1:
        head.insert(0, "items")
    rows = []
    for kind, label, other in kinds:
        for mode, mode_label in MODES.items():
            for n in results.sizes(program, kind, mode):
                first = ([label] if len(kinds) > 1 else []) + [mode_label, power(n)]
                try:
                    peers = results.case(program, kind, mode, n)
                    tweed, cub, read = peers["tweed"], peers[other], reading(peers)
                except (KeyError, Missing):
                    rows.append(first + ["error"] * (len(head) - len(first)))
                    continue
                ratio = Ratio(cub, tweed)
                rows.append(first + [
                    figure(tweed.time), figure(tweed.median("GBps")), figure(cub.time),
                    figure(read.time), ratio,
                    *goal_cells(ratio, goals if other == "cub" else {}, n)])
    if not rows:
        raise Missing(f"no results of {program}")
    return table(head, rows)


def times_table(results, program, names, wanted, above=None, below=None):
    """The peers' times in µs, a row for each (kind, mode, size) that is wanted; and a ratio of two,
    each the fastest of those whose names begin so."""
    def fastest(peers, start):
        return peers[best(peers, lambda name: name.startswith(start))]

    rows = []
    for _, kind, mode, n in sorted(k for k in results.rows if k[0] == program and wanted(*k[1:])):
        peers = results.rows[program, kind, mode, n]
        good = results.case(program, kind, mode, n)
        cells = [timed(good[name]) if name in good else "error" if name in peers else ""
                 for name in names]
        if above:
            try:
                cells.append(Ratio(fastest(good, above), fastest(good, below)))
            except Missing:
                cells.append("error" if any(name.startswith(above) for name in peers) else "")
        rows.append([kind.replace("/", ", "), MODES[mode], power(n), *cells])
    if not rows:
        raise Missing(f"no results of {program}")
    head = ["case", "calls", "size", *(f"{name}, µs" for name in names)]
    return table(head + ([f"{above} / {below}"] if above else []), rows)


def fast_cu_table(results):
    """Sums of ints beside all kernels of fast.cu; Missing if it was not measured."""
    program = "deviceReduceTypes"
    rows = []
    for mode, mode_label in MODES.items():
        for n in results.sizes(program, "i32", mode):
            peers = results.rows[program, "i32", mode, n]
            kernels = sorted(name for name in peers if name.startswith("fastCu"))
            if not kernels:
                continue
            row = [mode_label, power(n)]
            try:
                good = results.case(program, "i32", mode, n)
                name = best(good, lambda x: x in kernels)
                ratio = Ratio(good[name], good["tweed"])
                row += [figure(good["tweed"].time),
                        *(figure(good[k].time) if k in good else "wrong" for k in kernels), ratio,
                        *goal_cells(ratio, FAST_CU_GOALS, n)]
            except (KeyError, Missing):
                row += ["error"] * (len(kernels) + 4)
            rows.append(row)
    if not rows:
        raise Missing("no results of fast.cu")
    return table(["calls", "n", "tweed, µs",
                  *(f"its kernel {k[len('fastCu'):]}, µs" for k in kernels),
                  "best of them / tweed", "goal", "reached"], rows)


def is_first(name):
    return name.startswith("cub") and "broadcast" not in name


def is_broadcast(name):
    return name.startswith("cub") and name.endswith(".broadcast")


def collective_figure(row, load):
    return f"{row.median('cycles'):.0f}" if load == "latency" else figure(row.time)


def collective_ratio(above, below, load):
    """A latency is counted in cycles; its time is that by a clock measured for each row apart."""
    return Ratio(above, below, Row.cycles if load == "latency" else Row.times)


def short(name):
    return name.replace("cub.", "").replace(".broadcastInside", "").replace(".broadcast", "")


def block_table(results, load):
    program, kind = "blockReduce", "f32"
    sizes = results.sizes(program, kind, load)
    if not sizes:
        raise Missing(f"no results of {program}/{kind}/{load}")
    unit = "cycles" if load == "latency" else "µs"
    head = ["threads", f"tweed, {unit}", "best CUB, thread 0", "tweed / CUB", "goal", "reached",
            "best CUB + broadcast", "tweed / that", "goal", "reached", "one barrier less"]
    rows = []
    for threads in sizes:
        peers = results.case(program, kind, load, threads)
        if "tweed" not in peers:
            rows.append([threads] + ["error"] * (len(head) - 1))
            continue
        tweed = peers["tweed"]
        first = best(peers, is_first)
        everywhere = best(peers, is_broadcast)
        inside = best(peers, lambda name: name.endswith(".broadcastInside"))
        to_first = collective_ratio(tweed, peers[first], load)
        to_every = collective_ratio(tweed, peers[everywhere], load)
        goal = BLOCK_GOALS[load].get(threads)
        rows.append([
            threads, collective_figure(tweed, load),
            f"{collective_figure(peers[first], load)} ({short(first)})", to_first,
            goal if goal else "", verdict(to_first.is_at_most(goal)) if goal else "",
            f"{collective_figure(peers[everywhere], load)} ({short(everywhere)})", to_every,
            BROADCAST_GOAL, verdict(to_every.is_at_most(BROADCAST_GOAL)),
            collective_ratio(tweed, peers[inside], load)])
    return table(head, rows)


def precise(ratio):
    """With the digits that tell which side of 1 it lies on."""
    return f"{ratio.median:.3f} ± {ratio.half:.3f}"


def ratio_table(results, program, kinds, has_broadcast):
    """tweed over the best of CUB's, for each type and size, both loads."""
    goal = f"at most {COLLECTIVE_GOAL}"
    first = "/ CUB, first thread" if has_broadcast else "/ best CUB"
    group = [first, goal] + (["/ CUB + broadcast"] if has_broadcast else [])
    head = ["type", "threads", "latency, cycles", *group, "full, µs", *group]
    rows = []
    for kind in kinds:
        sizes = sorted(set(results.sizes(program, kind, "latency")) |
                       set(results.sizes(program, kind, "full")))
        for threads in sizes:
            row = [kind.replace("/", ", "), threads]
            for load in ("latency", "full"):
                try:
                    peers = results.case(program, kind, load, threads)
                except Missing:
                    row += [""] * (1 + len(group))
                    continue
                if "tweed" not in peers:
                    row += ["error"] * (1 + len(group))
                    continue
                tweed = peers["tweed"]
                to_first = collective_ratio(tweed, peers[best(peers, is_first)], load)
                row += [collective_figure(tweed, load), precise(to_first),
                        verdict(to_first.is_at_most(COLLECTIVE_GOAL))]
                if has_broadcast:
                    row.append(precise(
                        collective_ratio(tweed, peers[best(peers, is_broadcast)], load)))
            rows.append(row)
    if not rows:
        raise Missing(f"no results of {program}, {', '.join(kinds)}")
    return table(head, rows)


def forms_table(results, program, kinds, columns, ratios):
    """Forms of one function: a row for each kind, size and load. A column is a peer, or, if its
    name ends with a point, the fastest of those that begin so. `ratios` are of two columns."""
    def row_of(peers, name):
        return peers[best(peers, lambda peer: peer == name or
                          (name.endswith(".") and peer.startswith(name)))]

    rows = []
    for kind in kinds:
        for load, label in (("latency", "latency, cycles"), ("full", "full, µs")):
            for threads in results.sizes(program, kind, load):
                row = [kind.split("/")[0], threads, label]
                try:
                    peers = results.case(program, kind, load, threads)
                    row += [collective_figure(row_of(peers, name), load) for name in columns]
                    row += [precise(collective_ratio(row_of(peers, a), row_of(peers, b), load))
                            for a, b in ratios]
                except Missing:
                    row += ["error"] * (3 + len(columns) + len(ratios) - len(row))
                rows.append(row)
    if not rows:
        raise Missing(f"no results of {program}, {', '.join(kinds)}")
    return table(["type", "threads", "load", *columns.values(),
                  *(f"{columns[a]} / {columns[b]}" for a, b in ratios)], rows)


def matmul_goal(ratio, goals, n):
    return [goals[n], verdict(ratio.is_at_least(goals[n]))] if n in goals else ["", ""]


def matmul_kinds(results, program):
    return sorted({kind for p, kind, _, _ in results.rows if p == program})


def best_blas(peers):
    return peers[best(peers, lambda name: name.startswith("cublas"))]


def best_matmul(peers, mode):
    """tweed's call or plan: in a graph they are the same but for the choice of the kernel."""
    return peers[best(peers, lambda name: name in ("tweed", "tweedPlan"))]


def matmul_table(results, program):
    """Every product of a program against the best of cuBLAS and cuBLASLt, or alone if they have
    none."""
    head = ["items and layouts", "calls", "n", "matmul(), µs", "tuned plan, µs", "TFLOP/s",
            "error", "cuBLAS, µs", "cuBLASLt, µs", "error", "cuBLAS / tweed", "goal", "reached"]
    rows = []
    for kind in matmul_kinds(results, program):
        for mode in ("stream", "graph"):
            for n in results.sizes(program, kind, mode):
                first = [kind, mode, n]
                has_blas = any(name.startswith("cublas")
                               for name in results.rows[program, kind, mode, n])
                try:
                    peers = results.case(program, kind, mode, n)
                    tweed = best_matmul(peers, mode)
                    blas = best_blas(peers) if has_blas else None
                except Missing:
                    rows.append(first + ["error"] * (len(head) - len(first)))
                    continue
                time = lambda name: figure(peers[name].time) if name in peers else "error"
                row = first + [time("tweed"), time("tweedPlan"), figure(tweed.median("TFLOPs")),
                               f"{tweed.median('error'):.1e}"]
                if blas:
                    goals = MATMUL_GOALS.get((program, kind),
                                             {} if program == "matmulTypes" else HALF_GOALS)
                    ratio = Ratio(blas, tweed)
                    row += [time("cublas"), time("cublasLt"), f"{blas.median('error'):.1e}", ratio,
                            *matmul_goal(ratio, goals.get(mode, {}), n)]
                rows.append(row + [""] * (len(head) - len(row)))
    if not rows:
        raise Missing(f"no results of {program}")
    return table(head, rows)


def fast_cu_matmul_table(results):
    """Products of bfloat16 against fast.cu's kernel, where it was run."""
    program, kind = "matmulBf16", "bf16/rowColumn"
    rows = []
    for n in results.sizes(program, kind, "stream"):
        try:
            peers = results.case(program, kind, "stream", n)
        except Missing:
            continue
        if "fastCu" in peers:
            tweed = best_matmul(peers, "stream")
            ratio = Ratio(peers["fastCu"], tweed)
            rows.append([n, figure(tweed.time), figure(peers["fastCu"].time), ratio,
                         *matmul_goal(ratio, FAST_CU_MATMUL_GOALS, n)])
    if not rows:
        raise Missing("fast.cu's product was not measured")
    return table(["n", "tweed, µs", "fast.cu, µs", "fast.cu / tweed", "goal", "reached"], rows)


def cold_table(results):
    """matmul() against the best of cuBLAS and cuBLASLt, with operands in L2 and not."""
    program = "matmulCold"
    head = ["items and layouts", "n", "operands", "matmul(), µs", "cuBLAS, µs", "cuBLASLt, µs",
            "cuBLAS / tweed"]
    rows = []
    for kind in matmul_kinds(results, program):
        for n in results.sizes(program, kind, "graph"):
            for mode, label in (("graph", "in L2"), ("graphCold", "not in L2")):
                try:
                    peers = results.case(program, kind, mode, n)
                    times = [timed(peers[name]) for name in ("tweed", "cublas", "cublasLt")]
                    rows.append([kind, n, label, *times, Ratio(best_blas(peers), peers["tweed"])])
                except (KeyError, Missing):
                    rows.append([kind, n, label] + ["error"] * 4)
    if not rows:
        raise Missing(f"no results of {program}")
    return table(head, rows)


def accuracy_table(results):
    """Errors of products in the Frobenius norm. The ratio is of the two calls that users make."""
    program = "matmulAccuracy"
    names = ("tweed", "tweedPlan", "cublas", "cublasLt")
    head = ["items", "m x n x k", "matmul()", "tuned plan", "cuBLAS", "cuBLASLt",
            "matmul() / cuBLAS", f"at most {FROBENIUS_GOAL}"]
    rows = []
    for kind in matmul_kinds(results, program):
        for n in results.sizes(program, kind, "stream"):
            try:
                peers = results.case(program, kind, "stream", n)
                errors = {name: peers[name].median("frobenius") for name in names}
                is_met = errors["tweed"] <= FROBENIUS_GOAL * errors["cublas"]
                ratio = (f"{errors['tweed'] / errors['cublas']:.2f}" if errors["cublas"] else
                         "cuBLAS is exact")
                rows.append([*kind.split("/"), *(f"{errors[name]:.2e}" for name in names),
                             ratio, verdict(is_met)])
            except (KeyError, Missing):
                rows.append([*kind.split("/")] + ["error"] * (len(head) - 2))
    if not rows:
        raise Missing(f"no results of {program}")
    return table(head, rows)


def fused_table(results):
    program, kind = "matmulFused", "bf16/biasGelu"
    head = ["n", "tweed, µs", "cuBLASLt + kernel, µs", "ratio", "goal", "reached",
            "tweed by tanh, µs", "cuBLASLt's epilogue by tanh, µs", "ratio"]
    rows = []
    for n in results.sizes(program, kind, "stream"):
        try:
            peers = results.case(program, kind, "stream", n)
            ratio = Ratio(peers["cublasKernel"], peers["tweed"])
            tanh = Ratio(peers["cublasLtTanh"], peers["tweedTanh"])
        except (KeyError, Missing):
            rows.append([n] + ["error"] * (len(head) - 1))
            continue
        rows.append([n, figure(peers["tweed"].time), figure(peers["cublasKernel"].time), ratio,
                     *matmul_goal(ratio, MATMUL_GOALS[program, kind]["stream"], n),
                     figure(peers["tweedTanh"].time), figure(peers["cublasLtTanh"].time), tanh])
    if not rows:
        raise Missing(f"no results of {program}")
    return table(head, rows)


def machine_table(results):
    rows = []
    for program, context in sorted(results.contexts.items()):
        readings = results.machine.get(program, {})
        clocks = []
        for when in ("before", "after"):
            entry = readings.get(when)
            if entry and "smClockMHz" in entry:
                clocks.append(f"{entry['smClockMHz']:.0f} / {entry['memoryClockMHz']:.0f} MHz, "
                              f"{entry['powerWatts']:.0f} W")
        cub = version(context["cub"]) if "cub" in context else "?"
        if "cubNewest" in context:
            cub += " and " + version(context["cubNewest"])
        if "cublas" in context:
            number = int(context["cublas"])
            cub = f"cuBLAS {number // 10000}.{number // 100 % 100}.{number % 100}"
        rounds = max((len(row.rounds) for key, peers in results.rows.items() if key[0] == program
                      for row in peers.values()), default=0)
        rows.append([program, context.get("date", "?")[:16], context.get("card", "?"),
                     context.get("driver", "?"), context.get("nvcc", "?"), cub,
                     context.get("revision", "?"), rounds, "; ".join(clocks)])
    if not rows:
        raise Missing("no results")
    return table(["program", "date", "card", "driver", "nvcc", "CUB", "tweed", "rounds",
                  "SM / memory clock and power under load, before; after"], rows)


TABLES = {
    "machine": machine_table,
    "deviceReduce.stream": lambda r: device_table(r, "deviceReduce", "stream"),
    "deviceReduce.graph": lambda r: device_table(r, "deviceReduce", "graph"),
    "deviceReduce.graphCold": lambda r: device_table(r, "deviceReduce", "graphCold"),
    "deviceArg.stream": lambda r: device_table(r, "deviceArg", "stream"),
    "deviceArg.graph": lambda r: device_table(r, "deviceArg", "graph"),
    "deviceArg.graphCold": lambda r: device_table(r, "deviceArg", "graphCold"),
    "deviceReduceTypes": lambda r: against_table(r, "deviceReduceTypes", TYPES, "CUB, µs",
                                                 TYPES_GOALS),
    "deviceReduceMany": lambda r: against_table(r, "deviceReduceMany", [("f32", "", "cub")],
                                                "four calls of CUB, µs", MANY_GOALS),
    "fastCu": fast_cu_table,
    "gridReduce": lambda r: times_table(
        r, "gridReduce", ["grid256", "grid512", "grid1024", "deviceReduce", "cub", "read512"],
        lambda kind, mode, n: mode == "graph", "cub", "grid"),
    "gridStrideVectors": lambda r: times_table(
        r, "gridStrideVectors", ["tweed", "gridStride", "oneItem", "cub", "memcpy"],
        lambda kind, mode, n: (mode, n) in (("stream", 1 << 28), ("graph", 1 << 22)), "cub",
        "tweed"),
    "blockReduce.latency": lambda r: block_table(r, "latency"),
    "blockReduce.full": lambda r: block_table(r, "full"),
    "blockReduce.types": lambda r: ratio_table(
        r, "blockReduce", ["f64", "i32", "affine", "pair64", "affine64"], True),
    "blockReduce.items": lambda r: ratio_table(r, "blockReduce", ["f32x4", "i32x4"], False),
    "blockReduce.scratch": lambda r: forms_table(
        r, "blockReduce", ["f32", "f64", "i32", "affine", "pair64", "affine64"],
        {"tweed.scratch": "with scratch", "tweed": "without", "cub.": "best CUB, thread 0"},
        [("tweed.scratch", "tweed"), ("tweed.scratch", "cub.")]),
    "blockReduce.toFirst": lambda r: forms_table(
        r, "blockReduceForms", ["f32", "i32"],
        {"tweed.toFirst": "ToFirst", "tweed": "every thread", "cub.": "best CUB, thread 0"},
        [("tweed.toFirst", "tweed"), ("tweed.toFirst", "cub.")]),
    "blockReduce.dynamic": lambda r: forms_table(
        r, "blockReduceForms", ["f32", "i32"],
        {"tweed.dynamic": "Dynamic<1024>", "tweed": "static"}, [("tweed.dynamic", "tweed")]),
    "blockReduce.count": lambda r: forms_table(
        r, "blockReduceForms", ["f32/count", "i32/count"],
        {"tweed": "count", "tweed.dynamic": "count, Dynamic<1024>",
         "cub.": "best CUB, num_valid, thread 0"},
        [("tweed", "cub."), ("tweed.dynamic", "cub.")]),
    "blockReduce.values": lambda r: forms_table(
        r, "blockReduceForms", ["sum+max", "sum+min+max+sum"],
        {"tweed": "one pass", "tweed.separate": "a call each", "cub.": "best CUB, one pass",
         "separateCub.": "best CUB, a call each"},
        [("tweed", "tweed.separate"), ("tweed", "cub."), ("tweed", "separateCub.")]),
    "blockReduceTypes": lambda r: ratio_table(
        r, "blockReduceTypes",
        ["f16", "bf16", "struct3", "complex64", "struct12", "i128", "struct40"], False),
    "blockArg": lambda r: ratio_table(r, "blockArg", ["f32+i32", "f32+i64"], False),
    "blockScan.exclusive": lambda r: ratio_table(
        r, "blockScan", [f"{kind}/exclusive" for kind in ("f32", "i32", "f64", "affine")], False),
    "warpReduce.toFirst": lambda r: forms_table(
        r, "warpReduce", ["f32", "f64", "i32", "affine", "pair64", "affine64"],
        {"tweed.toFirst": "ToFirst", "tweed": "every lane", "cub": "CUB, lane 0"},
        [("tweed.toFirst", "tweed"), ("tweed.toFirst", "cub")]),
    "warpReduce.widths": lambda r: ratio_table(
        r, "warpReduce", [f"{kind}/width:{width}" for kind in ("f32", "i32", "affine")
                          for width in (8, 16)], True),
    "warpScan.exclusive": lambda r: ratio_table(
        r, "warpScan", [f"{kind}/exclusive" for kind in ("f32", "i32", "f64", "affine")], False),
    "gridStride2D": lambda r: times_table(
        r, "gridStride2D", ["tweed.plane", "tweed.line", "plain.plane", "plain.line", "cub"],
        lambda kind, mode, n: True, "plain", "tweed"),
    "loadStore": lambda r: times_table(
        r, "loadStore", ["plain", "tweed.normal", "tweed.streaming", "tweed.readOnce",
                         "tweed.keep", "cub.streaming"],
        lambda kind, mode, n: True, "plain", "tweed"),
    "blockScan": lambda r: ratio_table(
        r, "blockScan", ["f32", "i32", "f64", "affine", "f32x4", "i32x4"], False),
    "warpReduce": lambda r: ratio_table(
        r, "warpReduce", ["f32", "f64", "i32", "affine", "pair64", "affine64"], True),
    "matmul": lambda r: matmul_table(r, "matmul"),
    "matmulBf16": lambda r: matmul_table(r, "matmulBf16"),
    "matmulF16": lambda r: matmul_table(r, "matmulF16"),
    "matmulTypes": lambda r: matmul_table(r, "matmulTypes"),
    "matmulCold": cold_table,
    "matmulAccuracy": accuracy_table,
    "fastCuMatmul": fast_cu_matmul_table,
    "matmulFused": fused_table,
    "warpScan": lambda r: ratio_table(r, "warpScan", ["f32", "f64", "i32", "affine"], False),
}


def with_tables(path, text, results, tables):
    """The text with each marked table made anew."""
    def replace(match):
        name = match.group(1)
        if name not in tables:
            raise SystemExit(f"report.py: {path}: there is no table {name}; there are: " +
                             ", ".join(tables))
        try:
            return f"<!-- table:{name} -->\n{tables[name](results)}\n<!-- /table:{name} -->"
        except Missing as reason:
            print(f"report.py: {path}: table {name}: {reason}", file=sys.stderr)
            return f"<!-- table:{name} -->\nNot measured yet.\n<!-- /table:{name} -->"
    return re.sub(r"<!-- table:([\w.]+) -->\n.*?<!-- /table:\1 -->", replace, text, flags=re.S)


# ---- plots ----

COLOURS = {"tweed": "#c0392b", "cub": "#2c3e50", "cubNewest": "#2980b9", "read": "#95a5a6",
           "copy": "#b8b08d"}


def start_plots():
    try:
        import matplotlib
    except ImportError:
        print("report.py: no matplotlib here: no plots", file=sys.stderr)
        return None
    matplotlib.use("Agg")
    matplotlib.rcParams.update({
        "svg.hashsalt": "tweed", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
        "axes.spines.right": False, "axes.grid": True, "grid.color": "#e4e4e4",
        "grid.linewidth": 0.7, "axes.axisbelow": True, "legend.frameon": False,
        "figure.dpi": 120, "savefig.bbox": "tight"})
    from matplotlib import pyplot
    return pyplot


def save(figure_, directory, name):
    figure_.savefig(directory / f"{name}.png", metadata={"Software": None})
    figure_.savefig(directory / f"{name}.svg", metadata={"Date": None})


def plot_device(pyplot, results, directory, program, title):
    modes = [m for m in ("stream", "graph") if results.sizes(program, "f32", m)]
    if not modes:
        return
    context = results.contexts[program]
    names = {"tweed": "tweed", "cub": f"CUB {version(context['cub'])}",
             "read": "reading alone", "copy": "cudaMemcpy, bytes read and written"}
    if "cubNewest" in context:
        names["cubNewest"] = f"CUB {version(context['cubNewest'])}"
    titles = {"stream": "calls back to back in a stream", "graph": "32 calls replayed as a graph"}

    def series(mode, peer, value):
        find = {"read": reading, "cub": toolkit_cub}.get(peer, lambda peers: peers[peer])
        found = []
        for n in results.sizes(program, "f32", mode):
            peers = results.case(program, "f32", mode, n)
            try:
                found.append((n, value(find(peers), peers)))
            except (KeyError, Missing):
                pass
        return zip(*found) if found else ((), ())

    def ticks(axes):
        axes.set_xscale("log", base=2)
        axes.set_xticks([2 ** k for k in range(10, 31, 4)])
        axes.set_xlabel("n, floats")

    sheet, panels = pyplot.subplots(1, len(modes), figsize=(4.6 * len(modes), 3.4), sharey=True,
                                    squeeze=False)
    for axes, mode in zip(panels[0], modes):
        for peer in ("copy", "read", "cubNewest", "cub", "tweed"):
            if peer in names:
                x, y = series(mode, peer, lambda row, _: row.median("GBps"))
                if not x:
                    continue
                style = "--" if peer in ("read", "copy") else "-"
                axes.plot(x, y, style, color=COLOURS[peer], label=names[peer], linewidth=1.6,
                          marker="o" if style == "-" else None, markersize=3)
        axes.set_yscale("log")
        axes.set_title(titles[mode], fontsize=9)
        ticks(axes)
    panels[0][0].set_ylabel("GB/s")
    handles, labels = panels[0][0].get_legend_handles_labels()
    panels[0][0].legend(handles[::-1], labels[::-1], loc="lower right", fontsize=8)
    sheet.suptitle(f"{title}, {context.get('card', '')}", fontsize=10)
    save(sheet, directory, f"{program}.speed")
    pyplot.close(sheet)

    sheet, panels = pyplot.subplots(1, len(modes), figsize=(4.6 * len(modes), 3.0), sharey=True,
                                    squeeze=False)
    for axes, mode in zip(panels[0], modes):
        axes.axhline(1, color="#444444", linewidth=0.8)
        for peer in ("cubNewest", "cub"):
            if peer in names:
                x, y = series(mode, peer, lambda row, peers: Ratio(row, peers["tweed"]).median
                              if "tweed" in peers else math.nan)
                axes.plot(x, y, "-o", color=COLOURS[peer], markersize=3, linewidth=1.6,
                          label=f"{names[peer]} / tweed")
        goals = DEVICE_GOALS[program][mode]
        axes.plot([2 ** k for k in goals], list(goals.values()), "_", color=COLOURS["tweed"],
                  markersize=11, markeredgewidth=2, label="goal")
        axes.set_title(titles[mode], fontsize=9)
        ticks(axes)
    panels[0][0].set_ylabel("time of CUB / time of tweed")
    panels[0][0].legend(fontsize=8)
    save(sheet, directory, f"{program}.ratio")
    pyplot.close(sheet)


def plot_types(pyplot, results, directory):
    """GB/s of input at 2^28 in a stream: other types and operators, and four of them at once."""
    n, mode = 1 << 28, "stream"
    kinds = [("deviceReduce", "f32", "float,\nsum")]
    kinds += [("deviceReduceTypes", kind, label.replace(", ", ",\n", 1))
              for kind, label, other in TYPES if other == "cub"]
    kinds.append(("deviceReduceMany", "f32", "float, four\nreductions"))
    found = []
    for program, kind, label in kinds:
        try:
            peers = results.case(program, kind, mode, n)
            found.append((label, [row.median("GBps") for row in
                                  (peers["tweed"], toolkit_cub(peers), reading(peers))]))
        except (KeyError, Missing):
            pass
    if "deviceReduceTypes" not in results.contexts:
        return
    sheet, axes = pyplot.subplots(figsize=(9.2, 3.4))
    for g, (label, peer) in enumerate((("tweed", "tweed"), ("CUB", "cub"),
                                       ("reading alone", "read"))):
        bars = axes.bar([i + (g - 1) * 0.27 for i in range(len(found))],
                        [speeds[g] for _, speeds in found], 0.25, color=COLOURS[peer],
                        label=label)
        if peer != "read":
            axes.bar_label(bars, fmt="%.0f", fontsize=6)
    axes.set_xticks(range(len(found)), [label for label, _ in found], fontsize=7)
    axes.set_ylabel("GB/s")
    card = results.contexts["deviceReduceTypes"].get("card", "")
    axes.set_title(f"2^28 items, calls back to back in a stream, {card}", fontsize=9)
    axes.grid(axis="x", visible=False)
    axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3)
    save(sheet, directory, "deviceReduceTypes")
    pyplot.close(sheet)


def plot_block(pyplot, results, directory):
    program, kind = "blockReduce", "f32"
    loads = [x for x in ("latency", "full") if results.sizes(program, kind, x)]
    if not loads:
        return
    groups = [("tweed, every thread", lambda n: n == "tweed", COLOURS["tweed"]),
              ("best CUB, thread 0", is_first, COLOURS["cub"]),
              ("best CUB + broadcast", is_broadcast, COLOURS["cubNewest"])]
    sheet, panels = pyplot.subplots(1, len(loads), figsize=(4.4 * len(loads), 3.2), squeeze=False)
    for axes, load in zip(panels[0], loads):
        sizes = results.sizes(program, kind, load)
        for g, (label, accept, colour) in enumerate(groups):
            heights = []
            for threads in sizes:
                peers = results.case(program, kind, load, threads)
                names = [name for name in peers if accept(name)]
                row = peers[min(names, key=lambda name: peers[name].time)] if names else None
                if row is None:
                    heights.append(0)
                    continue
                heights.append(row.median("cycles") if load == "latency" else row.time)
            bars = axes.bar([i + (g - 1) * 0.27 for i in range(len(sizes))], heights, 0.25,
                            color=colour, label=label)
            axes.bar_label(bars, fmt="%.0f" if load == "latency" else "%.1f", fontsize=7)
        axes.set_xticks(range(len(sizes)), [str(s) for s in sizes])
        axes.set_xlabel("threads of a block")
        axes.set_title("one block: cycles of a call" if load == "latency"
                       else "2048 threads on each SM: µs of 66 calls", fontsize=9)
        axes.grid(axis="x", visible=False)
    panels[0][0].legend(fontsize=8, loc="upper left")
    save(sheet, directory, "blockReduce")
    pyplot.close(sheet)


def plot_matmul(pyplot, results, directory, program, title):
    """TFLOP/s of tweed and the best of cuBLAS, and their ratio, by n: a line for each kind."""
    kinds = matmul_kinds(results, program)
    modes = [m for m in ("stream", "graph") if any(results.sizes(program, k, m) for k in kinds)]
    if not modes:
        return
    sheet, panels = pyplot.subplots(2, len(modes), figsize=(4.6 * len(modes), 6.2), sharex=True,
                                    sharey="row", squeeze=False)
    colours = ("#c0392b", "#2980b9", "#27ae60", "#8e44ad", "#d35400", "#2c3e50")
    for column, mode in enumerate(modes):
        for kind, colour in zip(kinds, colours):
            found = []
            for n in results.sizes(program, kind, mode):
                try:
                    peers = results.case(program, kind, mode, n)
                    found.append((n, best_matmul(peers, mode), best_blas(peers)))
                except Missing:
                    pass
            if not found:
                continue
            x = [n for n, _, _ in found]
            panels[0][column].plot(x, [t.median("TFLOPs") for _, t, _ in found], "-o",
                                   color=colour, markersize=3, label=f"tweed, {kind}")
            panels[0][column].plot(x, [b.median("TFLOPs") for _, _, b in found], "--",
                                   color=colour, linewidth=1, label=f"cuBLAS, {kind}")
            panels[1][column].plot(x, [Ratio(b, t).median for _, t, b in found], "-o",
                                   color=colour, markersize=3, label=kind)
        panels[1][column].axhline(1, color="#444444", linewidth=0.8)
        panels[0][column].set_title("calls in a stream" if mode == "stream" else "graph replay",
                                    fontsize=9)
        panels[1][column].set_xscale("log", base=2)
        panels[1][column].set_xlabel("n, of n x n by n x n")
    panels[0][0].set_ylabel("TFLOP/s")
    panels[1][0].set_ylabel("time of cuBLAS / time of tweed")
    panels[0][0].legend(fontsize=7)
    sheet.suptitle(f"{title}, {results.contexts[program].get('card', '')}", fontsize=10)
    save(sheet, directory, program)
    pyplot.close(sheet)


# ---- main ----

def adopt(source, target):
    """Copies the JSON without what can be computed from the rest, one row a line."""
    kept = ("name", "run_type", "repetitions", "repetition_index", "real_time", "time_unit",
            "error_occurred", "error_message", "skipped", "skip_message")
    dropped = ("run_name", "family_index", "per_family_instance_index", "threads", "iterations",
               "cpu_time")
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if "benchmarks" not in document:
            continue
        rows = []
        for entry in document["benchmarks"]:
            if entry.get("run_type", "iteration") == "iteration":
                rows.append({key: value if key in kept or not isinstance(value, float)
                             else float(f"{value:.6g}")
                             for key, value in entry.items() if key not in dropped})
        head = json.dumps({"context": document["context"]}, indent=1)[:-2]
        lines = ",\n".join(json.dumps(row) for row in rows)
        (target / path.name).write_text(head + ',\n"benchmarks": [\n' + lines + "\n]}\n",
                                        encoding="utf-8")
        print(f"report.py: {target / path.name}: {len(rows)} rows")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--results", default=HERE / "results", type=pathlib.Path,
                        help="directory with the JSON files (default: benchmarks/results)")
    parser.add_argument("--plots", type=pathlib.Path,
                        help="directory for plots (default with --write: that of the JSON)")
    parser.add_argument("--write", action="store_true", help="write the READMEs' tables and plots")
    parser.add_argument("--check", action="store_true", help="compare the READMEs' tables")
    parser.add_argument("--print", action="store_true", help="print the tables (the default)")
    parser.add_argument("--readme", type=pathlib.Path, action="append",
                        help="README to treat (default: README.md and benchmarks/README.md)")
    parser.add_argument("--adopt", type=pathlib.Path, metavar="DIR",
                        help="take over the JSON of a run into the results")
    options = parser.parse_args()
    if options.adopt:
        adopt(options.adopt, options.results)

    results = Results(options.results)
    status = 0
    for name, reason in results.errors():
        print(f"ERROR {name}: {reason}", file=sys.stderr)
        status = 1
    readmes = options.readme or [ROOT / "README.md", HERE / "README.md"]
    for path in readmes if options.write or options.check else []:
        if not path.exists():
            continue
        text = path.read_text(encoding="utf-8")
        fresh = with_tables(path, text, results, TABLES)
        if options.write and fresh != text:
            path.write_text(fresh, encoding="utf-8")
            print(f"report.py: wrote {path}")
        elif fresh != text:
            print(f"report.py: {path}: its tables are not what {options.results} gives; "
                  "run benchmarks/report.py --write", file=sys.stderr)
            status = 1
    plots = options.plots or (options.results if options.write else None)
    if plots:
        pyplot = start_plots()
        if pyplot:
            plots.mkdir(parents=True, exist_ok=True)
            plot_device(pyplot, results, plots, "deviceReduce", "Sum of n floats")
            plot_device(pyplot, results, plots, "deviceArg",
                        "Least of n floats and where it stands")
            plot_types(pyplot, results, plots)
            plot_block(pyplot, results, plots)
            for program, title in (("matmul", "Products of floats"),
                                   ("matmulBf16", "Products of bfloat16"),
                                   ("matmulF16", "Products of half")):
                plot_matmul(pyplot, results, plots, program, title)
    if options.print or not (options.write or options.check or options.plots):
        for name, make in TABLES.items():
            try:
                print(f"\n{name}\n{make(results)}")
            except Missing as reason:
                print(f"\n{name}: {reason}")
    return status


if __name__ == "__main__":
    sys.exit(main())
