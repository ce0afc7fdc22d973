"""Holds result files to docs/results.schema.json: those of the project, one that the tool writes now, and
broken ones that must be refused.

    validate.py TOOL SOURCE_FOLDER
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

tool, source = sys.argv[1], pathlib.Path(sys.argv[2])
schema = json.loads((source / "docs/results.schema.json").read_text())
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
wrong = []


def strict(text):
    """JSON as the standard has it: no NaN, no Infinity."""
    def refuse(word):
        raise ValueError(f"{word} is not JSON")
    return json.loads(text, parse_constant=refuse)


def check(name, run):
    for error in list(validator.iter_errors(run))[:5]:
        place = "/".join(str(step) for step in error.absolute_path)
        wrong.append(f"{name}: /{place}: {error.message[:300]}")


committed = [path for path in sorted(source.glob("benchmarks/results/*/*.json"))
             if "cells" in strict(path.read_text())]
assert committed, "there is no committed result file"
for path in committed:
    check(path.name, strict(path.read_text()))

# One cell with every kind of entry: timed, missing, unsupported.
with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "run.json"
    words = "compare gemm --device cpu --m 9 --n 8 --k 7 --dtype bf16 --rounds 2 --samples 2 --quiet " \
            "--warmup-ms 1 --first-warmup-ms 1 --rotation 0 --sample-us 10 --triple --only " \
            "tilewright,gemm-cpu-reference,onednn,torch-matmul --out"
    subprocess.run([tool, *words.split(), str(out)], stdout=subprocess.DEVNULL,
                   env={"TILEWRIGHT_PYTHON": "/nonexistent"}, check=True)
    made = strict(out.read_text())
check("a run on the CPU", made)
statuses = [entry["status"] for entry in made["cells"][0]["entries"]]
if len(set(statuses)) < 2:
    wrong.append(f"the run on the CPU has entries of one kind only: {statuses}")

# What must not pass: a schema that takes anything would.
for name, path, value in (("a version of the past", ["schema_version"], 1),
                          ("a word for a number", ["cells", 0, "footprint_bytes"], "12"),
                          ("an unknown regime", ["cells", 0, "regime"], "warm"),
                          ("a field that nobody knows", ["cells", 0, "entries", 0, "speed"], 1),
                          ("a failed entry with a time", ["cells", 0, "entries", 0, "status"], "failed"),
                          ("a figure that is 0 for unknown", ["cells", 0, "entries", 0, "turns"], 0)):
    broken = copy.deepcopy(made)
    place = broken
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    if validator.is_valid(broken):
        wrong.append(f"{name} at {path} passes")

print("\n".join(wrong) or f"{len(committed)} committed files and a new one are valid")
sys.exit(bool(wrong))
