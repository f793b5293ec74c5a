# SPDX-License-Identifier: GPL-2.0
"""Figures drawn by gnuplot, as SVG that stands in a page: its colours are the page's variables.

The palette is Okabe and Ito's, which colour-blind people can tell apart; no two series differ by
colour alone. Without gnuplot there is no figure, and the page says so.
"""

import html
import re
import shutil
import subprocess

ORANGE, BLUE, VERMILLION = "#E69F00", "#0072B2", "#D55E00"
# As gnuplot writes them, and what the page calls them
VARIABLES = {"rgb(230, 159,   0)": "--stock", "rgb(  0, 114, 178)": "--patched",
             "rgb(213,  94,   0)": "--worse", "rgb(128, 128, 128)": "--rule",
             "black": "--ink", "gray": "--rule"}
# points: a large square, a circle that fits into it, a triangle
SERIES = {"stock": f"lc rgb '{ORANGE}' pt 4 ps 1.3 lw 2 dt 2",
          "patched": f"lc rgb '{BLUE}' pt 7 ps 0.7 lw 2",
          "fault": f"lc rgb '{VERMILLION}' pt 9 ps 1 lw 1.5 dt 3"}
# and as the page's legend shows them
GLYPHS = {"stock": ("\u25a1", "--stock"), "patched": ("\u25cf", "--patched"),
          "fault": ("\u25b2", "--worse")}
STYLE = """\
set terminal svg size {width},{height} dynamic font 'sans-serif,15' noenhanced
set border 3
set tics nomirror scale 0.5
set grid ytics lc rgb '#808080' lw 0.5
set style data linespoints
unset key
"""
SIZE = 400, 290


def there_is():
    return shutil.which("gnuplot") is not None


def in_page(svg, label, prefix):
    """gnuplot's SVG without what only a file of its own needs"""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<title>.*?</title>|<desc>.*?</desc>|<filter.*?</filter>", "", svg,
                 flags=re.DOTALL)
    empty = re.compile(r"<g [^<>]*>\s*</g>")
    while empty.search(svg):
        svg = empty.sub("", svg)
    svg = re.sub(r"(id=['\"]|href=['\"]#)(?=gp|gnuplot)", rf"\g<1>{prefix}-", svg)
    for colour, variable in VARIABLES.items():
        svg = re.sub(rf"(['\"]){re.escape(colour)}\1", f'"var({variable})"', svg)
    svg = re.sub(r"\n\s*", "\n", svg).replace("\n\n", "\n")
    return svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(label)}"', 1)


def draw(commands, label, prefix, size=SIZE):
    """What gnuplot makes of these commands"""
    style = STYLE.format(width=size[0], height=size[1])
    done = subprocess.run(["gnuplot", "-"], input=style + commands, capture_output=True, text=True,
                          check=False)
    if done.returncode or "<svg" not in done.stdout:
        raise RuntimeError(f"gnuplot: {done.stderr.strip()}")
    return in_page(done.stdout, label, prefix)


def lines(series, labels, axes, prefix, log=False):
    """Values by label: {name of SERIES: [value or None]}; axes are (x, y)"""
    data = [" ".join((f'"{label}"', *("NaN" if values[i] is None else f"{values[i]:g}"
                                      for values in series.values())))
            for i, label in enumerate(labels)]
    plots = ", ".join(f"$data using 0:{column}:xtic(1) {SERIES[name]}"
                      for column, name in enumerate(series, 2))
    top = max((v for values in series.values() for v in values if v is not None), default=1)
    scale = "set logscale y\nset yrange [0.8:*]\n" if log else f"set yrange [0:{top * 1.1:g}]\n"
    commands = (f"$data << EOD\n{chr(10).join(data)}\nEOD\n{scale}"
                f"set xlabel '{axes[0]}'\nset ylabel '{axes[1]}'\n"
                f"set xrange [-0.4:{len(labels) - 0.6}]\nset offsets 0, 0, graph 0.05, 0\n"
                f"plot {plots}\n")
    return draw(commands, f"{axes[1]} by {axes[0]}: {', '.join(series)}", prefix)
