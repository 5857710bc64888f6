"""The names of an environment: its module, its ids in Gymnasium and PettingZoo, and its title."""

VERSION = "_v0"  # the end of the names of modules
TITLES = {"tictactoe": "Tic-tac-toe"}  # where the name of the game does not give it


def title(game: str) -> str:
    """The title of a game: "Chinese checkers"."""
    return TITLES.get(game, game.capitalize().replace("_", " "))


def gymnasium_id(game: str) -> str:
    """The id of a game in Gymnasium: "amoba/ChineseCheckers-v0"."""
    words = title(game).replace("-", " ").split()
    return f"amoba/{''.join(word[0].upper() + word[1:] for word in words)}-v0"


def pettingzoo_id(game: str) -> str:
    """The id of a game in PettingZoo: "amoba/chinese-checkers-v0"."""
    return f"amoba/{game.replace('_', '-')}-v0"


def ids(game: str) -> set[str]:
    """Both ids of a game, which no other game may have."""
    return {gymnasium_id(game), pettingzoo_id(game)}
