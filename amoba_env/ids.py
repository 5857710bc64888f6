"""The names of an environment: its module, its ids in Gymnasium and PettingZoo, and its name for people."""

VERSION = "_v0"  # with which the names of modules end
TITLES = {"tictactoe": "Tic-tac-toe"}  # where it is not the name of the game


def title(game: str) -> str:
    """The name of a game for people: "Chinese checkers"."""
    return TITLES.get(game, game.capitalize().replace("_", " "))


def gymnasium_id(game: str) -> str:
    """The id of a game in Gymnasium: "amoba/ChineseCheckers-v0"."""
    words = title(game).replace("-", " ").split()
    return f"amoba/{''.join(word[0].upper() + word[1:] for word in words)}-v0"


def pettingzoo_id(game: str) -> str:
    """The id of a game in PettingZoo: "amoba/chinese-checkers-v0"."""
    return f"amoba/{game.replace('_', '-')}-v0"
