"""One function a picture: takes the result file and the report's rows, gives a figure, or None where the
file has nothing for it."""

from matplotlib import pyplot


def method_of(cell):
    return f"{cell['regime']}, {cell['timer']}"


def timed(run, rows):
    """(cell, entry, row) of everything that has a time. Rows stand in the order of cells and entries."""
    places = [(cell, entry) for cell in run["cells"] for entry in cell["entries"]]
    return [(cell, entry, row) for (cell, entry), row in zip(places, rows) if entry["status"] == "ok"]


def colours(found):
    names = list(dict.fromkeys(entry["id"] for _, entry, _ in found))
    return {name: f"C{place % 10}" for place, name in enumerate(names)}


def figure_of(methods, height):
    figure, axes = pyplot.subplots(len(methods), 1, figsize=(10, height * len(methods)), squeeze=False)
    return figure, dict(zip(methods, axes[:, 0]))


def legend(axes, colour):
    marks = [pyplot.Line2D([], [], marker="o", linestyle="", color=each) for each in colour.values()]
    axes.legend(marks, list(colour), fontsize=8, loc="best")


def throughput(run, rows):
    """Speed of every implementation on every problem; whiskers from the slowest to the fastest round."""
    found = timed(run, rows)
    if not found:
        return None
    colour = colours(found)
    methods = list(dict.fromkeys(method_of(cell) for cell, _, _ in found))
    figure, axes = figure_of(methods, 4)
    for method, ax in axes.items():
        mine = [each for each in found if method_of(each[0]) == method]
        problems = list(dict.fromkeys(row["problem"] for _, _, row in mine))
        for cell, entry, row in mine:
            flops = row["tflops"] * row["time_us"]
            middle, low, high = row["tflops"], flops / row["slowest_us"], flops / row["fastest_us"]
            place = (list(colour).index(entry["id"]) + 0.5) / len(colour) - 0.5
            ax.errorbar(problems.index(row["problem"]) + 0.7 * place, middle,
                        yerr=[[max(middle - low, 0)], [max(high - middle, 0)]], fmt="o", markersize=4,
                        capsize=3, color=colour[entry["id"]])
        ax.set_xticks(range(len(problems)), problems, rotation=20, ha="right", fontsize=8)
        ax.set_ylabel("TFLOP/s")
        ax.set_ylim(bottom=0)
        ax.set_title(f"{run['device']['name']}, {method}", fontsize=10)
        ax.grid(axis="y", alpha=0.3)
        legend(ax, colour)
    figure.tight_layout()
    return figure


def roofline(run, rows):
    """Speed over FLOP a byte. The roof of each point is its own: at the clock of its own turns."""
    copy_gbs = run["bandwidths"]["copy_gbs"]
    found = [each for each in timed(run, rows) if each[2]["of_light"]]
    if not found or not copy_gbs:
        return None
    colour = colours(found)
    figure, ax = pyplot.subplots(figsize=(10, 6))
    intensities = []
    for cell, entry, row in found:
        x = row["tflops"] * row["time_us"] * 1e6 / cell["footprint_bytes"]
        intensities.append(x)
        roof = row["tflops"] / row["of_light"]
        ax.plot(x, row["tflops"], "o", markersize=5, color=colour[entry["id"]])
        ax.plot([x, x], [row["tflops"], roof], color=colour[entry["id"]], alpha=0.25)
        ax.plot(x, roof, "_", color="black", markersize=9)
    ends = [min(intensities) / 2, max(intensities) * 2]
    ax.plot(ends, [x * copy_gbs * 1e-3 for x in ends], color="grey")
    ax.set(xscale="log", yscale="log", xlabel="FLOP a byte (each operand once)", ylabel="TFLOP/s",
           title=f"{run['device']['name']}; dashes: speed of light at the clock of the turn; "
                 f"line: {copy_gbs:.0f} GB/s, the measured copy")
    ax.set_ylim(top=2 * max(row["tflops"] / row["of_light"] for _, _, row in found))
    ax.grid(alpha=0.3, which="both")
    legend(ax, colour)
    return figure


def distributions(run, rows):
    """All samples of each implementation over its own median, cell by cell."""
    found = timed(run, rows)
    if not found:
        return None
    colour = colours(found)
    figure, ax = pyplot.subplots(figsize=(10, 0.28 * len(found) + 1.5))
    labels = []
    for place, (cell, entry, row) in enumerate(found):
        samples = [ns / entry["launches_per_sample"] / entry["time_ns"]
                   for samples in entry["rounds_ns"] for ns in samples if entry["time_ns"] > 0]
        ax.plot(samples, [place] * len(samples), "|", markersize=7, alpha=0.4,
                color=colour[entry["id"]])
        labels.append(f"{row['problem']} {entry['id']} ({method_of(cell)})")
    ax.set_yticks(range(len(labels)), labels, fontsize=6)
    ax.invert_yaxis()
    ax.set_xlabel("sample over the median of its rounds")
    ax.grid(axis="x", alpha=0.3)
    return figure


def card(run, rows):
    """Clock, power and temperature of the card over the run; bands are cells."""
    traces = [cell["trace"] for cell in run["cells"] if cell["trace"]]
    series = [("sm_mhz", "SM clock, MHz", 1), ("power_mw", "power, W", 1e-3),
              ("temperature_c", "temperature, C", 1)]
    series = [each for each in series if any(trace[each[0]] for trace in traces)]
    if not series:
        return None
    figure, axes = pyplot.subplots(len(series), 1, figsize=(10, 2.5 * len(series)), squeeze=False)
    for (key, label, scale), ax in zip(series, axes[:, 0]):
        start = 0  # calls follow one another on one axis; each counts from its own start
        for place, trace in enumerate(traces):
            seconds = [(us - trace["at_us"][0]) * 1e-6 + start for us in trace["at_us"]]
            points = [(s, value * scale) for s, value in zip(seconds, trace[key] or [])
                      if value is not None]
            if points:
                ax.plot(*zip(*points), linewidth=0.8, color="C0")
            if place % 2:
                ax.axvspan(seconds[0], seconds[-1], color="grey", alpha=0.12, linewidth=0)
            start = seconds[-1]
        ax.set_ylabel(label)
        ax.grid(alpha=0.3)
    axes[-1, 0].set_xlabel("s, one cell after the other")
    figure.tight_layout()
    return figure


ALL = {"throughput": throughput, "roofline": roofline, "distributions": distributions, "card": card}
