"""The syntax of SGF: trees of nodes, nodes of properties, values with escapes. sgf.py has the meaning.

https://red-bean.com/sgf/sgf4.html
"""

import re
from collections.abc import Sequence

Node = dict[str, list[str]]  # values as they stand in the file

PROPERTY = r"([A-Za-z]+)((?:\s*\[(?:\\.|[^]\\])*\])+)"
TOKEN = re.compile(rf"\s*(?:([();])|{PROPERTY})", re.DOTALL)
VALUE = re.compile(r"\[((?:\\.|[^]\\])*)\]", re.DOTALL)
BREAK = r"(?:\r\n|\n\r|\r|\n)"
MOVES_A_LINE = 10


def main_lines(text: str) -> list[list[Node]]:
    """The nodes of each tree of a collection, following the first branch at each node.

    Raises:
        ValueError: a syntax error, with the number of the line or the game.
    """
    lines: list[list[Node]] = []
    text, at, depth, first = text.rstrip(), 0, 0, False
    while at < len(text):
        token = TOKEN.match(text, at)
        sign = token[1] if token else None
        if token is None or (depth == 0 and sign != "("):
            rest = text[at:].lstrip()
            line = text.count("\n", 0, len(text) - len(rest)) + 1
            raise ValueError(f"line {line}: expected {'a property, ; ( or )' if depth else '('}, got {rest[:20]!r}")
        at = token.end()
        if sign == "(":
            if depth == 0:
                lines.append([])
                first = True
            depth += 1
        elif sign == ")":
            depth -= 1
            first = False  # the main line ends with the first branch that ends
        elif first and sign == ";":
            lines[-1].append({})
        elif first:
            if not lines[-1]:
                raise ValueError(f"game {len(lines)}: expected a node, got a property")
            name = re.sub("[a-z]", "", token[2]) or token[2]  # older files have lower-case letters too
            lines[-1][-1].setdefault(name, []).extend(VALUE.findall(token[3]))
    if depth:
        raise ValueError(f"game {len(lines)}: expected ), got the end of the file")
    return lines


def written(nodes: Sequence[Node]) -> str:
    """A tree of one branch."""
    texts = [
        ";" + "".join(name + "".join(f"[{value}]" for value in values) for name, values in node.items())
        for node in nodes
    ]
    rows = [texts[:1], *(texts[i : i + MOVES_A_LINE] for i in range(1, len(texts), MOVES_A_LINE))]
    return "(" + "\n".join("".join(row) for row in rows) + ")\n"


def plain(value: str) -> str:
    """The text of a value, without escapes and with \\n for all line breaks."""
    value = re.sub(rf"\\{BREAK}", "", value)
    value = re.sub(BREAK, "\n", value)
    value = re.sub(r"[\t\v\f]", " ", value)
    return re.sub(r"\\(.)", r"\1", value)


def quoted(text: str) -> str:
    """A text as a value."""
    return re.sub(r"([]\\])", r"\\\1", text)


def raw(value: str) -> str:
    """The value unchanged if it is a valid value, else quoted."""
    return value if VALUE.fullmatch(f"[{value}]") else quoted(value)
