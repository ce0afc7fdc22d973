#!/usr/bin/env python3
"""Compiler launcher for device code: runs the compiler it is given and keeps what ptxas said.

Beside each object FILE.o it writes FILE.o.ptxas: one line with the seconds of this call and
whether ccache answered, then the output of ptxas -v (ccache replays it on a hit, so the record is
complete either way). device_report.py reads these. Warnings and errors pass through; the
page-long ptxas listing does not, unless the call fails.
"""

import os
import resource
import subprocess
import sys
import time

import ptxas_listing


def output_of(command):
    """The object that a compiling command writes, or None for any other use of the compiler."""
    if "-c" not in command or "-o" not in command[:-1]:
        return None
    return command[command.index("-o") + 1]


def answered_by_ccache(stats_path):
    try:
        with open(stats_path, encoding="utf-8") as stats:
            words = set(stats.read().split())
    except OSError:
        return False
    return bool(words & {"direct_cache_hit", "preprocessed_cache_hit"})


def compile_object(command, output):
    record, stats = output + ".ptxas", output + ".ccache"
    for stale in (record, stats):
        if os.path.exists(stale):
            os.remove(stale)
    start = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            errors="replace", check=False,
                            env=dict(os.environ, CCACHE_STATSLOG=os.path.abspath(stats)))
    wall_s = time.monotonic() - start
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cached = answered_by_ccache(stats)
    if os.path.exists(stats):
        os.remove(stats)
    if result.returncode != 0:
        sys.stdout.write(result.stdout)
        sys.stderr.write(result.stderr)
        return result.returncode
    listing, other = ptxas_listing.split((result.stdout + result.stderr).splitlines())
    with open(record, "w", encoding="utf-8") as out:
        out.write(ptxas_listing.header(wall_s, usage.ru_utime + usage.ru_stime, cached))
        out.writelines(line + "\n" for line in listing)
    for line in other:
        print(line, file=sys.stderr)
    return 0


def main(command):
    output = output_of(command)
    if output is None:
        return subprocess.run(command, check=False).returncode
    return compile_object(command, output)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
