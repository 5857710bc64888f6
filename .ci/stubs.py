"""Write the stubs of environments, amoba_env/NAME_v0.pyi: their modules are made from games, which editors cannot see.

make golden
"""

import inspect
from pathlib import Path
from typing import Literal, get_origin

from amoba_env.environments import FUNCTIONS, signature
from amoba_env.games import BUILT_IN
from amoba_env.ids import VERSION

FOLDER = Path(__file__).parent.parent / "amoba_env"
ALIASES = {"on_illegal": "OnIllegal", "render_mode": "RenderMode | None"}
HEAD = '''\
"""Made from amoba_env/games/{game}.py by `make golden`, for editors and type checkers."""

{literal}from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode

'''


def stub(game: str) -> str:
    """The text of a stub."""
    functions = []
    literal = False
    for name, (_, says) in FUNCTIONS.items():
        lines = []
        for key, each in signature(game, name).parameters.items():
            kind = ALIASES.get(key) or inspect.formatannotation(each.annotation).removeprefix("typing.")
            literal |= key not in ALIASES and get_origin(each.annotation) is Literal
            lines.append(f"    {key}: {kind} = {each.default!r},\n".replace("'", '"'))
        functions.append(f'def {name}(\n{"".join(lines)}) -> BoardGameEnv:\n    """{says}"""\n')
    return HEAD.format(game=game, literal="from typing import Literal\n\n" * literal) + "\n".join(functions)


if __name__ == "__main__":
    for built_in in BUILT_IN:
        (FOLDER / f"{built_in}{VERSION}.pyi").write_text(stub(built_in), encoding="utf-8")
