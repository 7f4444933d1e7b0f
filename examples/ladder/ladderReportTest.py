# SPDX-License-Identifier: Apache-2.0
"""What ladderReport.py makes of figures that are made up here, and measured nowhere."""

import contextlib
import copy
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import ladderReport  # noqa: E402

SUMS = {"r1": 0.1, "r2": 1, "r3": 900, "r9": 300, "r10": 330, "r11": 500, "r12": 700, "r13c": 800,
        "r15": 4500, "r16": 4400}
PRODUCTS = {"m1": 500, "m2": 3000, "m5": 33000, "m7": 53000, "m8": 50000}


def bar(name, speed, n, work, kind="rung", rounds=12, type_="float"):
    """Rounds scatter by 1 %."""
    return {"name": f"{name} name", "idea": "some idea", "type": type_, "kind": kind, "n": n,
            "work": work, "calls": 1,
            "seconds": [work / speed * 1e-9 * (1 + 0.01 * (i % 3 - 1)) for i in range(rounds)]}


def document(ladder, speeds, sizes, work, peer, rounds=12):
    cases = []
    for n in sizes:
        bars = [bar(name, speed, n, work(n), "peer" if name == peer else "rung", rounds)
                for name, speed in speeds.items()]
        bars.append(bar("ceiling", 2 * max(speeds.values()), n, work(n), "ceiling", rounds))
        cases.append({"n": n, "bars": bars})
    return {"format": "tweed ladder", "version": 1, "ladder": ladder, "unit": "GB/s",
            "where": "gpu", "device": "a card that is not there", "driver": "0", "date": "never",
            "cases": cases}


def sums(**changed):
    return document("reduction", {**SUMS, **changed}, (1 << 24, 1 << 28), lambda n: 4 * n, "r16")


def products(**changed):
    return document("matmul", {**PRODUCTS, **changed}, (4096,), lambda n: 2 * n ** 3, "m8")


class LadderReport(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def write(self, what, name="result.json"):
        path = self.path / name
        path.write_text(what if isinstance(what, str) else json.dumps(what), encoding="utf-8")
        return path

    def run_report(self, *arguments):
        """Exit code and all output."""
        text, argv = io.StringIO(), sys.argv
        sys.argv = ["ladderReport.py", *map(str, arguments)]
        try:
            with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
                try:
                    code = ladderReport.main()
                except ladderReport.Fault as fault:
                    print(fault)
                    code = 2
        finally:
            sys.argv = argv
        return code, text.getvalue()

    def check(self, what):
        return self.run_report("--check", self.write(what))

    def expect_failure(self, what, text):
        code, output = self.check(what)
        self.assertEqual(code, 1, output)
        self.assertRegex(output, f"FAILS .*{text}")

    def test_all_holds(self):
        for what, count in ((sums(), 12), (products(), 4)):
            code, output = self.check(what)
            self.assertEqual(code, 0, output)
            self.assertEqual(output.count("holds  "), count)
            self.assertNotIn("FAILS", output)

    def test_each_assertion_can_fail(self):
        for name, speed, text in (
                ("r1", 1.5, "r2 / r1 = 0.67"), ("r2", 900, "r3 / r2 = 1.00"),
                ("r10", 280, "r10 / r9 = 0.93"), ("r11", 250, "r11 / r9"),
                ("r13c", 450, "r13c / r11 = 0.90"), ("r15", 4200, "r15 / r16 = 0.95")):
            self.expect_failure(sums(**{name: speed}), text)
        for name, speed, text in (("m1", 3000, "m2 / m1 = 1.00"), ("m2", 40000, "m5 / m2"),
                                  ("m5", 29000, "m5 / m8 = 0.58"), ("m7", 51000, "m7 / m8 = 1.02")):
            self.expect_failure(products(**{name: speed}), text)

    def test_at_least_allows_equal_and_greater_does_not(self):
        self.assertEqual(self.check(sums(r10=300, r15=4400))[0], 0)
        self.expect_failure(sums(r2=0.1), "r2 / r1 = 1.00")

    def test_one_size_is_not_the_other(self):
        what = sums()
        what["cases"][0]["bars"][2] = bar("r3", 0.5, 1 << 24, 4 << 24)
        code, output = self.check(what)
        self.assertEqual(code, 1)
        self.assertEqual(output.count("FAILS"), 1, output)
        del what["cases"][0]
        self.expect_failure(what, r"n = 2\^24: not measured")

    def test_spread_counts(self):
        """Half the rounds say so, half the contrary: not greater, but not less either."""
        what = sums()
        for case in what["cases"]:
            for entry in case["bars"]:
                if entry["name"].split()[0] in ("r3", "r10"):
                    other = 1.3 if entry["name"][1] == "3" else 310
                    fast, slow = (case["n"] * 4e-9 / x for x in (other, 0.8 * other))
                    entry["seconds"] = [fast if i % 2 else slow for i in range(12)]
        code, output = self.check(what)
        self.assertEqual(code, 1, output)
        self.assertRegex(output, "FAILS .*r3 / r2")
        self.assertRegex(output, "holds .*r10 / r9 = 0.9")

    def test_missing_few_rounds_and_wrong(self):
        what = sums()
        for case in what["cases"]:
            case["bars"] = [b for b in case["bars"] if not b["name"].startswith("r9")]
        self.expect_failure(what, "r10 / r9: r9 is not measured")
        self.expect_failure(document("reduction", SUMS, (1 << 24, 1 << 28), lambda n: 4 * n, "r16",
                                     rounds=9), "9 rounds; at least 10 are needed")
        what = sums()
        del what["cases"][1]["bars"][6]["seconds"]
        what["cases"][1]["bars"][6]["error"] = "the sum is 1, the host's is 2"
        self.expect_failure(what, "r12 name: the sum is 1")
        what = products()
        what["cases"][0]["bars"][3].update(type="half")
        self.expect_failure(what, "m7 / m8: m7 is not measured")

    def test_smaller_size_counts_by_speed(self):
        what = sums()
        what["cases"][1]["bars"][0] = bar("r1", 0.1, 1 << 22, 4 << 22)
        self.assertEqual(self.check(what)[0], 0)
        code, output = self.run_report(self.write(what))
        self.assertEqual(code, 0)
        self.assertIn("(n = 2^22)", output)

    def test_of_several_forms_the_fastest(self):
        what = products()
        what["cases"][0]["bars"].insert(0, bar("m7", 100, 4096, 2 * 4096 ** 3))
        self.assertEqual(self.check(what)[0], 0)

    def test_table(self):
        code, output = self.run_report(self.write(sums()))
        self.assertEqual(code, 0)
        line = next(x for x in output.splitlines() if x.startswith("  r10 "))
        for text in ("330.0", "1.10 ± 0.00", "3.67 %", "7.5 %", "some idea"):
            self.assertIn(text, line)
        self.assertIn("0.33 ± 0.00 (r3)", output)  # r9

    def test_forms_that_go_on_from_a_form(self):
        what = products()
        named = []
        for name, speed in (("m2 sharedTile", 8000), ("m3 unpadded", 5000), ("m3 padded", 6000),
                            ("m3 m2 padded", 7600), ("m4 vectorised", 12000)):
            named.append({**bar(name, speed, 4096, 2 * 4096 ** 3), "name": name})
        what["cases"][0]["bars"] = named
        output = self.run_report(self.write(what))[1]
        for text in ("0.95 ± 0.00 (m2)", "2.00 ± 0.00 (m3 padded)", "1.20 ± 0.00 "):
            self.assertIn(text, output)

    def test_sentences_have_figures_of_the_run(self):
        readme = self.path / "README.md"
        marks = "<!-- table:{0} -->\nstale\n<!-- /table:{0} -->\n"
        readme.write_text("".join(map(marks.format, ("reduction.said", "matmul.said"))))
        run = self.path / "run"
        run.mkdir()
        what = sums(r4=1800, r5=2000, r6=2010, r7=2100, r8=2000, r13a=700, r13b=720, r14=400)
        for case in what["cases"]:
            case["bars"][6]["name"] = "r12 unrolled 8"
        (run / "sums.json").write_text(json.dumps(what))
        (run / "model.divergence.json").write_text(json.dumps(
            {"experiment": "divergence", "device": "some card", "rows": [
                {"work": "long, if and else", "split": "by lane", "times by warp": 1.75}]}))
        arguments = ["--results", self.path / "results", "--readme", readme]
        code, output = self.run_report("--adopt", run, *arguments)
        self.assertEqual(code, 0, output)
        text = " ".join(readme.read_text().split())
        self.assertIn("Not measured yet. <!-- /table:matmul.said -->", text)
        self.assertNotIn("Not measured yet. <!-- /table:reduction.said -->", text, output)
        for sentence in ("one by one, every 4.0 ns", "r10 is 1.10 and 1.10 times as fast as r9",
                         "at 2^28 gets 23 % of the ceiling", "take 1.75 times the time of one",
                         "r8 takes 33.55 µs for r7's 31.96 µs** at 2^24, and 536.9 µs for 511.3 µs",
                         "r15 reaches 50 % of the ceiling at 2^24, and 50 % at 2^28",
                         "here that of `ceiling name`: it"):
            self.assertIn(sentence, text)

    def test_refusals(self):
        for what, text in (("{", "not complete JSON"), ("[]", "not of ./tweed.sh ladder"),
                           ({"format": "x"}, "not of ./tweed.sh ladder"),
                           ({**sums(), "ladder": "scan"}, "known are version 1 of reduction"),
                           ({"format": "tweed ladder"}, "version None of 'None'"),
                           ({**sums(), "where": "loom"}, "counted on the loom")):
            code, output = self.check(what)
            self.assertEqual(code, 2)
            self.assertIn(text, output)
        self.assertEqual(self.run_report("--check", self.path / "none")[0], 2)
        self.assertEqual(self.run_report()[0], 2)
        self.assertEqual(self.run_report("--adopt", self.path, "x")[0], 2)

    def test_adopt(self):
        results, readme = self.path / "results", self.path / "README.md"
        run = self.path / "run"
        run.mkdir()
        marks = "start\n<!-- table:{0} -->\nstale\n<!-- /table:{0} -->\nafter\n"
        readme.write_text("".join(map(marks.format, ("reduction.gpu", "matmul.gpu", "model"))))
        arguments = ["--adopt", run, "--results", results, "--readme", readme]
        self.assertEqual(self.run_report(*arguments)[0], 2)  # nothing is there
        (run / "a.json").write_text(json.dumps(sums()))
        rows = [{"warps": 1, "us": 2.5}, {"warps": 2, "us": None}, {"what": "other"}]
        for name, device in (("x", "some card"), ("y", "the loom (CPU)")):
            (run / f"model.{name}.json").write_text(
                json.dumps({"experiment": name, "device": device, "date": "now",
                            "driverCuda": 12090, "runtimeCuda": 13000, "rows": rows}))
        code, output = self.run_report(*arguments)
        self.assertEqual(code, 0, output)
        self.assertEqual(sorted(p.name for p in results.glob("*.json")),
                         ["model.x.json", "reduction.gpu.json"])
        text = readme.read_text()
        self.assertRegex(text, r"\| r15 name \| some idea \| 14.91 µs \| .* \| 4500 \|")
        slower = "Slower than the one before: r9 name (0.333 ± 0.000 times r3 name)."
        self.assertEqual(text.count(slower), 2)
        self.assertIn("Not measured yet.", text)  # the other one
        self.assertNotIn("stale", text)
        self.assertIn("- n = 2^28: r11 / r9 = 1.67 ± 0.00 in speed, asserted >= 1: holds", text)
        self.assertEqual(text.count("start\n"), 3)
        self.assertIn("`x` on some card, driver of CUDA 12.9, now:\n\n"
                      "| warps | us |\n| --- | --- |\n| 1 | 2.50 |\n| 2 | - |\n\n"
                      "| what |\n| --- |\n| other |\n", text)
        if (results / "reduction.gpu.png").exists():
            self.assertGreater((results / "reduction.gpu.svg").stat().st_size, 10000)
            self.assertIn("](results/reduction.gpu.png)", text)
        self.assertEqual(self.run_report("--current", *arguments[2:])[0], 0)
        readme.write_text(text.replace("4500", "4501"))
        code, output = self.run_report("--current", *arguments[2:])
        self.assertEqual(code, 1, output)

        wrong = copy.deepcopy(sums())
        wrong["cases"][0]["bars"][0]["error"] = "wrong"
        (run / "a.json").write_text(json.dumps(wrong))
        code, output = self.run_report(*arguments)
        self.assertEqual(code, 2, output)
        self.assertIn("nothing of it is taken over", output)


if __name__ == "__main__":
    unittest.main()
