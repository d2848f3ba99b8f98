"""Part one: `new URL` against `webviewguard url`."""

from chromium import Chromium
from known_differences import Tally, name_of, of_part
from url_cases import corpus, known, mutated
from url_classes import CLASSES
from url_parts import Pair
from url_readings import Case, URLDifference, differences

NAME = "url"
TITLE = "new URL"
FLAGS = ()


def run(browser: Chromium) -> Tally:
    """Compares all groups of URLs. A web URL with two hosts is shouted about: that is a way past every rule."""
    tally = Tally(NAME, of_part(NAME, CLASSES))
    page = browser.page()
    real, hostile = corpus(), known()
    for group, cases in (("corpus", real), ("known", hostile), ("mutated", mutated(real, hostile))):
        tally.compared[group] = len(cases)
        for difference in differences(page, cases):
            _count(tally, group, difference)
    for name, known_class in tally.classes.items():
        example = known_class["example"]
        case = Case(example["url"].encode(), example["base"].encode() if "base" in example else None)
        found = list(differences(page, [case]))
        tally.example(name, _explained_by(found[0]) if found else None)
    return tally


def _count(tally: Tally, group: str, difference: URLDifference) -> None:
    names = _explained_by(difference)
    if names is not None:
        tally.explained(group, names)
    elif _leads_elsewhere(difference):
        tally.unexplained(f"ANOTHER HOST IS CONTACTED THAN WE READ: {difference}")
    else:
        tally.unexplained(difference)


def _explained_by(difference: URLDifference) -> list[str] | None:
    """The names of the classes that explain all of it; None when something is left."""
    pair, names = Pair(difference), []
    for function in CLASSES:
        if not pair.is_explained and function(pair):
            names.append(name_of(function))
    return names if pair.is_explained else None


def _leads_elsewhere(difference: URLDifference) -> bool:
    return Pair(difference).is_web and not {"protocol", "hostname", "port"}.isdisjoint(difference.members)
