"""Files of openings. Apart from openings.py, as records and files do not determine the games of a match: texts do."""

from pathlib import Path

from amoba_env import checks, records
from amoba_env.files import decoded


def openings_from(text: str) -> tuple[str, ...]:
    """The openings that the command line names: "random:4", a file with one in each line, or a file of games.

    Raises:
        ValueError: the file cannot be read, is empty or not a text file, or has a bad game.
    """
    if checks.text("openings", text).startswith("random:"):
        return (text,)
    if Path(text).suffix.lower().removeprefix(".") in records.FORMATS:
        return tuple(each.text if each.start is None else each.positions[-1].text for each in records.read(text))
    try:
        written = decoded(Path(text).read_bytes()).splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{text}: expected a text file in UTF-8") from None
    except (OSError, ValueError) as error:  # ValueError: no name of a file
        why = error.strerror if isinstance(error, OSError) else "not the name of a file"
        raise ValueError(f"openings: expected random:NUMBER or a file, got {text!r} ({why})") from None
    lines = [" ".join(line.partition("#")[0].split()) for line in written]
    if not any(lines):
        raise ValueError(f"{text} has no openings")
    return tuple(line for line in lines if line)
