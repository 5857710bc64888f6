"""The syntax of SGF: trees of nodes, nodes of properties, values with escapes. sgf.py has the meaning.

https://red-bean.com/sgf/sgf4.html. Text around games, as in e-mails, is skipped, and so is a surplus ). A missing ) is
tolerated: the game then ends with the file, or where the next root node begins.
"""

import re
from collections.abc import Iterator, Sequence

Node = dict[str, list[str]]  # values as they stand in the file

PROPERTY = r"([A-Za-z]+)((?:\s*\[(?:\\.|[^]\\])*\])+)"
TOKEN = re.compile(rf"\s*(?:([();])|{PROPERTY})", re.DOTALL)
VALUE = re.compile(r"\[((?:\\.|[^]\\])*)\]", re.DOTALL)
GAME = re.compile(r"\(\s*;")
ROOT = re.compile(r"\s*\(\s*;\s*(?:FF|GM|SZ|CA|AP)\s*\[")
BREAK = r"(?:\r\n|\n\r|\r|\n)"
MOVES_A_LINE = 10


def main_lines(text: str) -> Iterator[tuple[int, list[Node] | ValueError]]:
    """For each tree the number of its line and its nodes, following the first branch at each node.

    After a syntax error: the line of the error, and the error. Reading goes on at the next tree that ROOT matches.
    """
    text, line, at = text.rstrip(), 0, 0
    begin = GAME.search(text)
    while begin:
        lines: list[list[Node]] = []
        line, at = line + text.count("\n", at, begin.start()), begin.start()
        try:
            after = GAME.search(text, _tree(text, at, lines, 1))
            yield line + 1, lines[0]
        except _SyntaxError as error:
            after = ROOT.search(text, begin.end())
            yield line + 1 + text.count("\n", at, error.at), error
        begin = after


class _SyntaxError(ValueError):
    def __init__(self, text: str, at: int, wanted: str) -> None:
        rest = text[at:].lstrip()
        self.at = len(text) - len(rest)
        super().__init__(f"expected {wanted}, got {rest[:20]!r}")


def all_lines(text: str, most: int) -> list[list[Node]]:
    """All lines of the first tree, from its root to each end, the main line first; at most `most` of them.

    Raises:
        ValueError: a syntax error, with its line.
    """
    text, lines = text.rstrip(), list[list[Node]]()
    begin = GAME.search(text)
    try:
        if begin:
            _tree(text, begin.start(), lines, most)
    except _SyntaxError as error:
        raise ValueError(f"line {1 + text.count(chr(10), 0, error.at)}: {error}") from None
    return lines


def _tree(text: str, at: int, lines: list[list[Node]], most: int) -> int:
    """Add the first `most` lines of the tree that begins here. Returns the place of its end."""
    nodes: list[Node] = []  # from the root to here
    forks: list[int] = []  # the number of nodes before each branch that is open
    ended = True
    while at < len(text):
        if forks and ROOT.match(text, at):
            break
        token = TOKEN.match(text, at)
        if token is None:
            raise _SyntaxError(text, at, "a property, ; ( or )")
        sign, at, begin = token[1], token.end(), at
        if sign == "(":
            forks.append(len(nodes))
        elif sign == ")":
            if not ended and len(lines) < most:
                lines.append(nodes[:])
            ended = True
            del nodes[forks.pop() :]
            if not forks:
                return at
        elif len(lines) < most and sign == ";":
            nodes.append({})
            ended = False
        elif len(lines) < most:
            name = re.sub("[a-z]", "", token[2])  # older files have lower-case letters too
            if not name:
                raise _SyntaxError(text, begin, "a property in capitals such as B[hh]")
            nodes[-1].setdefault(name, []).extend(VALUE.findall(token[3]))
    if not ended and len(lines) < most:
        lines.append(nodes)
    return at


def branched(lines: Sequence[Sequence[Node]]) -> str:
    """A tree of these lines, which begin with the same root and branch where they differ."""
    return f"({_branches([_texts(nodes) for nodes in lines], 0)})\n"


def _branches(lines: Sequence[Sequence[str]], depth: int) -> str:
    same = ""
    while True:
        found: dict[str, list[Sequence[str]]] = {}
        for line in lines:
            if depth < len(line):
                found.setdefault(line[depth], []).append(line)
        depth += 1
        if len(found) != 1:
            return same + "".join(f"\n({text}{_branches(each, depth)})" for text, each in found.items())
        ((text, lines),) = found.items()
        same += text


def _texts(nodes: Sequence[Node]) -> list[str]:
    return [
        ";" + "".join(name + "".join(f"[{value}]" for value in values) for name, values in node.items())
        for node in nodes
    ]


def written(nodes: Sequence[Node]) -> str:
    """A tree of one branch."""
    texts = _texts(nodes)
    rows = [texts[:1], *(texts[i : i + MOVES_A_LINE] for i in range(1, len(texts), MOVES_A_LINE))]
    return "(" + "\n".join("".join(row) for row in rows) + ")\n"


def plain(value: str) -> str:
    """The text of a value, without escapes and with \\n for all line breaks."""
    value = re.sub(r"[\t\v\f]", " ", value)
    return re.sub(rf"\\(?:{BREAK}|(.))|{BREAK}", lambda found: found[1] or "\n" * (found[0][0] != "\\"), value)


def quoted(text: str) -> str:
    """A text as a value."""
    return re.sub(r"([]\\])", r"\\\1", text)


def raw(value: str) -> str:
    """The value unchanged if it is a valid value, else quoted."""
    return value if VALUE.fullmatch(f"[{value}]") else quoted(value)
