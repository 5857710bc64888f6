"""The notebook of the pages runs in a kernel, its values are pictures, and a kernel can be interrupted."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import KernelManager

pytestmark = pytest.mark.filterwarnings("ignore")  # of Jupyter's libraries

NOTEBOOK = Path(__file__).parents[2] / "docs" / "start" / "notebook.ipynb"
ENDLESS = """\
from amoba_experiments import Match, play_match
match = Match("tictactoe", ("greedy", "random"), 10_000_000)
play_match(match, progress=lambda count: print("running", flush=True))
"""


def test_the_notebook_and_an_interrupt(tmp_path_factory: pytest.TempPathFactory) -> None:
    book: Any = nbformat.read(NOTEBOOK, as_version=4)
    sockets = tmp_path_factory.mktemp("k") / "kernel"  # no ports, which others might take first
    manager = KernelManager(transport="ipc", ip=str(sockets))
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=600)
        shown: list[Any] = []
        for cell in book.cells:
            if cell.cell_type == "code":
                told: list[Any] = []
                reply = client.execute_interactive(cell.source, timeout=600, output_hook=told.append)
                assert reply["content"]["status"] == "ok"
                shown.append([each["content"]["data"] for each in told if "data" in each["content"]][-1])
        kinds = ["image/svg+xml", "text/plain", "text/html", "image/svg+xml"]
        assert all(kind in data for kind, data in zip(kinds, shown, strict=True))
        assert "<iframe" in shown[2]["text/html"]
        asked = client.execute(ENDLESS)
        while "running" not in client.get_iopub_msg(timeout=600)["content"].get("text", ""):
            pass
        manager.interrupt_kernel()
        while (reply := client.get_shell_msg(timeout=600))["parent_header"]["msg_id"] != asked:
            pass
        assert reply["content"]["status"] == "error"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
