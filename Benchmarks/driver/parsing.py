"""Reading URLs, against Ada's parser in C++."""

from . import peers
from .places import Places
from .report import Results, Row
from .turns import Contender, take_turns

CORPORA = {
    "parse, mixed URLs": ("urls/mixed-shuffled.txt.gz", 1.5),
    "parse, long request URLs": ("urls/brave-top500-requests.txt.gz", 1.5),
    "parse, file URLs": ("urls/node-files.txt.gz", 1.5),
}


def measure(places: Places, results: Results) -> None:
    for what, (corpus, target) in CORPORA.items():
        urls = places.unpacked(corpus)
        with Contender(places.measure, "parse", urls) as ours, Contender(peers.ada(places), urls) as ada:
            mine, its = take_turns(ours, ada, 5 if places.quick else 31)
            counts = ours.ask("round")[1], ada.ask("round")[1]
        results.add(Row(
            what, "Ada 4.0.0", ours=mine.median, peer=its.median, unit="ns/URL", target=target,
            spread=max(mine.spread, its.spread),
            details={"urls": int(ours.ready[0]), "validOurs": int(counts[0]), "validPeer": int(counts[1])}))
