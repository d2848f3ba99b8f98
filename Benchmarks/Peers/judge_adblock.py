#!/usr/bin/env python3
"""Brave's engine, asked through its Python binding; the rounds of `measure`, without the times of single URLs.

  judge_adblock.py FILTERS URLS DOCUMENT
  -> ready URLS LOAD-NANOSECONDS RESIDENT-BYTES
     round COUNT    ->  NANOSECONDS-PER-URL RULES-THAT-ANSWERED
     answers FILE   ->  COUNT

What calling from Python costs is taken out: each round also makes as many calls that end at once because their URL is
none, and these cross the border with three strings and come back with the same kind of answer. Processor time.
"""

import os
import sys
import time
from itertools import repeat

import adblock

KIND = "script"


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def time_of(calls) -> tuple[int, int]:
    """Nanoseconds that the calls took, and how many found a rule."""
    start = time.thread_time_ns()
    found = sum(result.matched for result in calls)
    return time.thread_time_ns() - start, found


def main() -> None:
    filters, urls_file, document = sys.argv[1:]
    with open(urls_file, encoding="utf-8") as file:
        urls = [line for line in file.read().split("\n") if line]
    before, start = resident(), time.process_time_ns()
    rules = adblock.FilterSet()
    with open(filters, encoding="utf-8") as file:
        rules.add_filter_list(file.read())
    engine = adblock.Engine(rules, optimize=True)
    print("ready", len(urls), time.process_time_ns() - start, resident() - before, flush=True)
    check = engine.check_network_urls
    for command in sys.stdin:
        match command.split():
            case ["round", count]:
                asked = urls[: int(count)]
                total, found = time_of(map(check, asked, repeat(document), repeat(KIND)))
                empty, _ = time_of(map(check, repeat("x", len(asked)), repeat(document), repeat(KIND)))
                print((total - empty) / len(asked), found, empty / len(asked), flush=True)
            case ["answers", path]:
                with open(path, "w", encoding="ascii") as file:
                    file.writelines(f"{int(result.matched)}\n" for result in map(check, urls, repeat(document), repeat(KIND)))
                print(len(urls), flush=True)


if __name__ == "__main__":
    main()
