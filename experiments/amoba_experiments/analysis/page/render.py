"""The contents of a report as a page and as Markdown, by the templates beside this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import jinja2
from markupsafe import Markup

from amoba_env import draw
from amoba_env.draw import page
from amoba_env.draw.palette import PAGE, variables
from amoba_env.draw.picture import Sheet
from amoba_experiments.analysis.match_text import game_text, match_lines, seat_name
from amoba_experiments.analysis.page import charts
from amoba_experiments.analysis.page.content import OPENINGS_SHOWN, Content, CrossTable, FirstMoves, Run, Sample
from amoba_experiments.analysis.summary import interval_text, percent_text, points_text, seeds_text, shown
from amoba_experiments.analysis.text_tables import cell
from amoba_experiments.analysis.tournament.text import unknown_elo
from amoba_experiments.arena.code import digest_of


def to_html(content: Content, title: str | None = None) -> str:
    """One page that needs no other files. It is light or dark as the reader's system is set, and prints light."""
    return (
        _environment(True)
        .get_template("page.html")
        .render(
            content=content,
            title=title or _title(content),
            light=Markup(variables("light")),
            dark=Markup(variables("dark")),
            text=Markup(page.ink(PAGE)),
            game_style=Markup(page.style(PAGE)),
            script=Markup(page.script()),
        )
    )


def to_markdown(content: Content, title: str | None = None) -> str:
    """Tables in Markdown."""
    return _environment(False).get_template("page.md").render(content=content, title=title or _title(content))


def _environment(html: bool) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("amoba_experiments.analysis.page", "templates"),
        autoescape=html,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    if not html:
        environment.finalize = _plain
    environment.filters |= {"percent": percent_text, "interval": interval_text, "number": cell}
    environment.filters |= {"elo": "{:+.0f}".format}
    environment.globals |= {
        "about": _about,
        "colors": charts.SERIES,
        "figures_of": _figures,
        "game_text": game_text,
        "points": points_text,
        "cross_note": _cross_note,
        "seeds": seeds_text,
        "shown": shown,
        "heat": _heat,
        "histogram": lambda run: Markup(charts.histogram(run.lengths)),
        "ladder": lambda standing, table: Markup(charts.ladder(standing, table)),
        "interval": lambda row, par: Markup(charts.interval(row, par)),
        "sample": _sample,
        "seat": lambda run, seat: seat_name(run.game, seat),
        "series": charts.series,
        "zip": zip,
    }
    return environment


def _plain(value: Any) -> Any:
    """Text that cannot end a cell of a Markdown table or be read as HTML."""
    return " ".join(value.replace("|", "\\|").replace("<", "&lt;").split("\n")) if isinstance(value, str) else value


def _title(content: Content) -> str:
    if len(content.runs) == 1:
        return f"{content.runs[0].match.game}: {', '.join(content.runs[0].match.agents)}"
    return f"{len(content.runs)} runs of {', '.join(dict.fromkeys(run.match.game for run in content.runs))}"


def _options(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in options.items())


def _figures(run: Run) -> dict[str, str]:
    """The figures of a run that stand below its tables."""
    found = run.stats["match"]
    return {"games": f"{found['games']:,}", **{_alone(name): text for name, text in match_lines(found).items()}}


def _alone(name: str) -> str:
    """The name of a figure that may stand, indented, below another one in the terminal."""
    return name.replace("  on seat", "first mover on seat").strip()


def _cross_note(table: CrossTable) -> str:
    """The note that explains a cross table."""
    two = table.game.players == 2
    row = "The row's points" if two else "Games in which the row's agent finished ahead (a tie is a half),"
    model = "Bradley and Terry" if two else "Plackett and Luce"
    unknown = f" {unknown_elo(table.groups)}." if table.groups else ""
    return (
        f"{row} against the column's agent, with 95 % intervals clustered by opening (by game, if none are given). "
        f"Elo is by the model of {model}; "
        f"0 is the mean of the agents that can be compared.{unknown}"
    )


def _about(run: Run) -> dict[str, str]:
    """What was played, and with which versions: the run's manifest, with long lists cut short."""
    match, versions = asdict(run.match), run.manifest["versions"]  # older manifests lack newer fields
    openings = match["openings"]
    more = f" and {len(openings) - OPENINGS_SHOWN:,} more" if len(openings) > OPENINGS_SHOWN else ""
    return {
        "game": match["game"],
        "options": _options(match["options"]) or "none",
        "agents": ", ".join(match["agents"]),
        "games": f"{match['games']:,}, {run.manifest['shard']:,} a file",
        "seed": seeds_text(match).partition(" ")[2],
        "who begins": match["start"],
        "seats": "every order, paired" if match["paired"] else "in turn" if match["rotate"] else "as listed",
        **{name: match[name] for name in ("adjudicate", "until") if match[name]},
        "openings": ("; ".join(openings[:OPENINGS_SHOWN]) + more) or "none",
        "versions": ", ".join(f"{name} {number}" for name, number in versions.items() if number),
        "commit": run.manifest["commit"] or "unknown",
        "code": digest_of(run.manifest["code"]),
        **{f"{agent} has": _parts(parts) for agent, parts in run.manifest["fingerprints"].items()},
    }


def _parts(parts: dict[str, str]) -> str:
    return ", ".join(f"{name}: {digest}" for name, digest in parts.items())


def _heat(run: Run, first: FirstMoves) -> Markup:
    """First moves on the board."""
    return Markup(draw.svg(run.game, run.game.start(), heat=first.heat, theme=PAGE))


def _sample(run: Run, sample: Sample) -> Markup:
    """A game with its slider."""
    states = [position.state for position in sample.positions]
    return Markup(page.fragment(Sheet(run.game, PAGE), states, sample.moves))
