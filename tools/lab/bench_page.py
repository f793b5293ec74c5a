# SPDX-License-Identifier: GPL-2.0
"""Pieces of an HTML page: tables that fold on a phone, figures with units and commands, words."""

import html
import os

STYLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report.css")


def text(words):
    return html.escape(str(words))


def tag(name, inner, **attributes):
    """An element; its inside is HTML already. is_ stands for data-is, and cls for class."""
    names = {"cls": "class", "is_": "data-is"}
    given = "".join(f' {names.get(k, k)}="{text(v)}"' for k, v in attributes.items() if v)
    return f"<{name}{given}>{inner}</{name}>"


def number(value, unit=""):
    """A figure as people write it, its thousands apart"""
    if value is None:
        return "none"
    shown = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return f"{shown.replace(',', chr(0x202f))} {unit}".rstrip()


def word(judged):
    """better, worse or what else, by word and by colour; and how much"""
    verdict, how = judged
    chip = tag("span", "no difference" if verdict == "same" else verdict, cls=f"word {verdict}")
    return chip if how == "no difference" else f"{chip} {text(how)}"


def share(ratio):
    """Patched beside stock, as two bars of one length at most"""
    if not ratio or ratio < 0:
        return ""
    widths = 100 / max(ratio, 1), 100 * min(ratio, 1)
    return tag("span", "".join(f'<i class="{name}" style="width:{width:.1f}%"></i>'
                               for name, width in zip(("stock", "patched"), widths)), cls="share")


def table(heads, rows, numbers=()):
    """Rows are of HTML; columns whose heads are in numbers stand to the right."""
    head = "".join(tag("th", text(h), cls="n" if h in numbers else "") for h in heads)
    body = "".join(tag("tr", "".join(
        tag("td", cell, cls="n" if h in numbers else "", is_=h if i else "")
        for i, (h, cell) in enumerate(zip(heads, row)))) for row in rows)
    return tag("table", tag("thead", tag("tr", head)) + tag("tbody", body), cls="cards")


def folded(title, inner):
    return tag("details", tag("summary", text(title)) + inner)


def figure(inner, caption, command):
    """What is seen, with its unit, and what makes it anew"""
    made = f"{text(caption)} Made by {tag('code', text(command))}."
    return tag("figure", inner + tag("figcaption", made))


def legend(series):
    """What the marks of a figure stand for: [(a mark, its colour's name, what it is)]"""
    shown = "".join(tag("span", tag("b", mark, style=f"color:var({colour})") + " " + text(name))
                    for mark, colour, name in series)
    return tag("div", shown, cls="legend")


def missing(what, command):
    """In the place of a figure that has no data"""
    return tag("p", f"{text(what)} Not measured yet: {tag('code', text(command))} does it, then "
                    f"{tag('code', 'make report')}.", cls="missing")


def section(name, title, inner):
    return tag("section", tag("h2", text(title)) + inner, id=name)


def page(title, inner):
    with open(STYLE, encoding="utf-8") as f:
        style = f.read()
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            f"<title>{text(title)}</title><style>\n{style}</style></head>\n"
            f"<body>{inner}</body></html>\n")
