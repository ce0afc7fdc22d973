"""What the tool starts for report --pictures; `tilewright report --help` is for people.

    python3 -m tilewright_pictures FILE FOLDER < rows

`rows` is what `tilewright report FILE --format json` prints: figures are computed in one place only.
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")  # no display is needed
from matplotlib import pyplot  # noqa: E402

from . import pictures  # noqa: E402


def main(path, folder):
    rows = json.load(sys.stdin)
    run = json.loads(pathlib.Path(path).read_text())
    folder = pathlib.Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, draw in pictures.ALL.items():
            figure = draw(run, rows)
            if figure is None:
                print(f"{name}: the file holds nothing to draw")
                continue
            for ending in ("svg", "png"):
                figure.savefig(folder / f"{name}.{ending}", dpi=120, bbox_inches="tight")
            pyplot.close(figure)
            print(folder / f"{name}.svg")
    except OSError as error:
        print(f"tilewright: --pictures: '{folder}' cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    return 0


sys.exit(main(*sys.argv[1:]))
