"""What of the package's metadata is made when it is built: the links, and the README with absolute links and pictures.

The address of the repository is in pyproject.toml, under tool.hatch.metadata.hooks.custom, and nowhere else.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Metadata(MetadataHookInterface):
    """See above."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in the dynamic fields."""
        repository, tag = self.config["repository"], f"v{metadata['version']}"
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, repository, tag)}
        metadata["urls"] = {
            "Source": repository,
            "Documentation": f"{repository}/tree/{tag}/docs",
            "Changelog": f"{repository}/blob/{tag}/CHANGELOG.md",
            "Issues": f"{repository}/issues",
        }


def absolute(text: str, repository: str, tag: str) -> str:
    """A page in which links to files lead to the repository, as the files are at this tag."""
    text = re.sub(r"\]\((?!https?:|#)", f"]({repository}/blob/{tag}/", text)
    return re.sub(r'src="(?!https?:)', f'src="{repository}/raw/{tag}/', text)
