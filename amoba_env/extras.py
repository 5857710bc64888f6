"""How the extras of this package are installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGE = "amoba"


def install(extra: str) -> str:
    """The command that adds an extra to this install, from where it came: an index, a checkout, a file or a repository.

    >>> install("web")  # in the checkout itself
    "pip install '.[web]'"
    """
    from importlib.metadata import PackageNotFoundError, distribution  # slow to import, and for errors alone

    checkout = Path(__file__).parent.parent
    try:
        origin = json.loads(distribution(PACKAGE).read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {"url": checkout.as_uri(), "dir_info": {}}
    url, vcs, folder = origin.get("url", ""), origin.get("vcs_info"), origin.get("dir_info")
    if folder is not None:
        here = Path.cwd().as_uri() == url
        edit = "-e " if folder.get("editable") else ""
        return f"pip install {edit}'{'.' if here else _path(url)}[{extra}]'"
    if vcs is not None:
        url = f"{vcs['vcs']}+{url}@{vcs['commit_id']}"
    return f"pip install '{PACKAGE}[{extra}]{url and f' @ {url}'}'"


@contextmanager
def needs(extra: str, who: str) -> Iterator[None]:
    """For imports of an extra's packages: an ImportError says `who` needs them ("reports") and how to install them."""
    try:
        yield
    except ImportError as error:
        raise ImportError(f"{who} need more ({error}): {install(extra)}") from None


def _path(url: str) -> str:
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    return url2pathname(urlsplit(url).path)
