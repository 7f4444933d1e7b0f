#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""profile.py PROGRAM [ARGUMENT]...: runs a program under ncu and prints, for each kernel, what
nvprof called achieved occupancy, load efficiency, branch efficiency and bank conflicts.

Launches of one kernel that follow each other and count the same are one row, with their mean time.
Exit codes: 0; 1 the program or ncu failed; 2 wrong command line; 77, with "SKIP: " and why, where
there is no ncu, no right to read the counters or no GPU.
"""
import csv
import os
import shutil
import subprocess
import sys

# nvprof's name, ncu's metric
METRICS = [
    ("achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"),
    ("gld_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"),
    ("gst_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"),
    ("gld_transactions_per_request",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"),
    ("branch_efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct"),
    ("threads_per_instruction", "smsp__thread_inst_executed_per_inst_executed.ratio"),
    ("shared_ld_bank_conflict", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
    ("shared_st_bank_conflict", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
    ("us", "gpu__time_duration.sum"),
]
VARY = {"achieved_occupancy", "us"}  # from run to run


def stop(code, text):
    print(text, file=sys.stdout if code == 77 else sys.stderr)
    sys.exit(code)


def number(text):
    """A metric's value; None where ncu has none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def short(kernel):
    """A kernel's name without its parameters, which are the last parentheses."""
    depth = 0
    for i in range(len(kernel) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(kernel[i], 0)
        if depth == 0:
            return (kernel[:i] if kernel[-1] == ")" else kernel).removeprefix("void ")
    return kernel


def launches(lines):
    """The launches in ncu's CSV, which has a line for each metric of each: (kernel, grid, block,
    {nvprof's name: value})."""
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID",')), None)
    if first is None:
        return []
    names = {metric: name for name, metric in METRICS}
    found = {}
    for row in csv.DictReader(line for line in lines[first:] if line.startswith('"')):
        launch = found.setdefault(
            row["ID"], (short(row["Kernel Name"]), row["Grid Size"], row["Block Size"], {}))
        if row["Metric Name"] not in names:
            continue
        value = number(row["Metric Value"])
        if row["Metric Name"] == "gpu__time_duration.sum" and value is not None:
            value /= 1000  # nanoseconds, by --print-units base
        launch[3][names[row["Metric Name"]]] = value
    return list(found.values())


def text(value):
    return "-" if value is None else "%.4g" % value if abs(value) < 1000 else "%.0f" % value


def folded(all_launches):
    """Rows of cells: launches that follow each other and differ in nothing but what varies."""
    rows, last, same = [], None, []
    for kernel, grid, block, values in all_launches + [(None, "", "", {})]:
        key = (kernel, grid, block) + tuple(
            text(values.get(name)) for name, _ in METRICS if name not in VARY)
        if key != last and same:
            cells = [same[0][0], same[0][1], same[0][2], str(len(same))]
            for name, _ in METRICS:
                known = [v[3][name] for v in same if v[3].get(name) is not None]
                cells.append(text(sum(known) / len(known)) if known else "-")
            rows.append(cells)
        if key != last:
            last, same = key, []
        same.append((kernel, grid, block, values))
    return rows


def table(rows):
    rows = [["kernel", "grid", "block", "launches"] + [name for name, _ in METRICS]] + rows
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(c.ljust(w) if i == 0 else c.rjust(w)
                               for i, (c, w) in enumerate(zip(row, widths))).rstrip()
                     for row in rows)


USAGE = "usage: profile.py PROGRAM [ARGUMENT]..."


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0].startswith("-"):
        if arguments[:1] == ["--help"]:
            stop(0, __doc__)
        stop(2, "profile.py: no PROGRAM\n" + USAGE)
    if shutil.which(arguments[0]) is None:
        stop(2, f"profile.py: '{arguments[0]}' is no program\n{USAGE}")
    if shutil.which("ncu") is None:
        stop(77, "SKIP: there is no ncu (Nsight Compute, part of the CUDA toolkit) on the PATH; "
                 "without it, trace.NAME counts on the loom")
    command = ["ncu", "--csv", "--print-units", "base",
               "--metrics", ",".join(metric for _, metric in METRICS)] + arguments
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         env={**os.environ, "LC_ALL": "C"}, check=False)
    output = run.stdout.splitlines()
    rows = folded(launches(output))
    if not rows:
        if "ERR_NVGPUCTRPERM" in run.stdout:
            stop(77, "SKIP: ncu may not read this GPU's counters (ERR_NVGPUCTRPERM): run it as "
                     "root, or have the driver loaded with NVreg_RestrictProfilingToAdminUsers=0")
        for line in output:
            if line.startswith("SKIP: "):
                stop(77, line)
        stop(1, run.stdout + "profile.py: ncu saw no kernel")
    print(table(rows) + "\n")
    for name, metric in METRICS:
        print(f"{name:30}{metric}")
    print("\nLook at: gld_efficiency (100: no byte is wasted), branch_efficiency (100: no warp is "
          "split),\nbank conflicts (0), and which of them goes with the time.")
    sys.exit(1 if run.returncode != 0 else 0)


main()
