"""The state of a stage that may be stopped at any moment: its file is whole, or it is not there."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import torch

from amoba_agents.networks.architecture import Architecture, saved
from amoba_agents.networks.checksum import check_zip
from amoba_experiments.runs.files import replace


def save(file: Path, state: dict[str, Any]) -> None:
    """Write tensors, numbers and texts, in dictionaries and lists; never pickled objects."""
    data = io.BytesIO()
    torch.save(state, data)
    replace(file, data.getbuffer())


def load(file: Path) -> dict[str, Any] | None:
    """What `save` wrote; None if there is no file. Raises ValueError if it cannot be read."""
    if not file.exists():
        return None
    try:
        check_zip(file)
        found: dict[str, Any] = torch.load(file, weights_only=True, map_location="cpu")
    except Exception as error:  # whatever a damaged file leads to
        raise ValueError(f"{file} cannot be read: {' '.join(str(error).split())[:200]}; remove it") from None
    return found


def save_policy(policy: Any, what: Architecture, file: Path) -> None:
    """Write a policy.pt, see amoba_agents.networks.architecture."""
    save(file, saved(policy, what))
