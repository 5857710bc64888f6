"""The command for the data of a study with people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from amoba_env.extras import needs
from amoba_experiments.cli.command import Argument, Flag
from amoba_experiments.cli.shared import app, example, out, refuse, written


@app.command(epilog=example("amoba study amoba-data --out results"))
def study(
    data: Annotated[Path, Argument(metavar="DIR", help="The folder that `amoba serve --study FILE --data DIR` keeps.")],
    links: Annotated[
        str | None, Flag(metavar="URL", help="Print the link of each participant, for a server at this address.")
    ] = None,
    folder: Annotated[
        Path | None,
        Flag("--out", metavar="FOLDER", help="Write the tables into this folder, as Parquet and CSV."),
    ] = None,
    withdraw: Annotated[
        str | None, Flag(metavar="ID", help="Remove the data of this participant, for good. Stop the server first.")
    ] = None,
) -> None:
    """Show how far the participants of a study are, list their links, export their data, or remove it."""
    with needs("web", "studies with people"):
        from amoba_experiments.web import participants, study_tables
    from amoba_experiments.analysis.text_tables import print_rows

    if withdraw is not None:
        refuse("with --withdraw", "links", "folder")
        out.say(participants.withdraw(data, withdraw))
    elif links is not None:
        refuse("with --links", "folder")
        for id, link in participants.Participants.read(data).links(links).items():
            out.say(f"{id},{link}")
    elif folder is not None:
        written(*study_tables.export(data, folder))
    else:
        print_rows(study_tables.tables_of(data)["participants"].to_pylist(), out)
        asked = participants.Participants.read(data)
        for id in asked.study.participants:
            if asked.answer(id) == participants.WITHDREW:
                out.say(f"{id} has withdrawn")
