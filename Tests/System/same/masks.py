"""What may differ between two runs of the same conversation, and why. Nothing else may.

A member is named by its name, or by `PARENT.NAME`, which counts first. PARENT is the member that it stands in, the type of
its record, the table of the kept state, or the method that was called. A value that does not have the shape that stands
here is compared as it is, so that one side cannot leave it out, or write it otherwise, without being found.
"""

import re
from dataclasses import dataclass

MILLISECONDS = r"1[0-9]{12}"
SECONDS = r"1[0-9]{9}(\.[0-9]{1,3})?"
RFC3339 = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
COUNT = r"\d+"


@dataclass(frozen=True)
class Mask:
    """A value of one shape that says nothing: it becomes the name of what it is."""

    shape: str
    reason: str


@dataclass(frozen=True)
class Known:
    """An id that each daemon draws for itself: it becomes its kind and the number of its first appearance."""

    kind: str
    shape: str
    reason: str


CLIP = Known("clip", r"clip-[0-9a-f]{16}-\d+", "a random part for each start of the daemon")
PROPOSAL = Known("proposal", r"proposal-[0-9a-f]{16}-\d+", "the same")
REQUEST = Known("request", r"switch-[0-9a-f]{16}-\d+", "the same")
DECISION = Known("decision", r"\d{8,20}", "counted from a number that each start draws")
EXCEPTION = Known("exception", r"[a-z0-9]{8}", "drawn at random")
INSTANCE = Known("instance", r"[0-9a-f]{16}([0-9a-f]{16})?", "a random token; only its first half is shown to others")
EPOCH = Known("epoch", r"-?\d{10,20}", "the random part of clips and proposals, as the state file has it")
MOMENT = Mask(MILLISECONDS, "the clock")
MOMENT_TEXT = Mask(RFC3339, "the clock")

MEMBERS: dict[str, Mask | Known] = {
    # Ids
    "decision.id": DECISION,
    "id": DECISION,
    "decision": DECISION,
    "exception.id": EXCEPTION,
    "exceptions.id": EXCEPTION,
    "exception": EXCEPTION,
    "UnknownException.id": EXCEPTION,
    "ExceptionNotKept.id": EXCEPTION,
    "RemoveException.id": EXCEPTION,
    "clip": CLIP,
    "newClip": CLIP,
    "proposal": PROPOSAL,
    "newProposal": PROPOSAL,
    "request": REQUEST,
    "switchRequest": REQUEST,
    "instance": INSTANCE,
    "token": INSTANCE,
    "epoch": EPOCH,
    "madeEpoch": EPOCH,
    # Times
    "time": Mask(f"{MILLISECONDS}|{RFC3339}", "the clock"),
    "since": Mask(f"{MILLISECONDS}|{RFC3339}", "the clock"),
    "loadedAt": MOMENT,
    "lastSeen": MOMENT,
    "endedAt": MOMENT,
    "ended": MOMENT,
    "prunedEarly": MOMENT,
    "nextExceptionEnd": MOMENT,
    "latest": MOMENT,
    "lists.modified": Mask(MILLISECONDS, "when the test wrote the file"),
    "until": Mask(f"{MILLISECONDS}|{RFC3339}", "a number of seconds from now"),
    "minute": Mask(r"\d{8}", "the clock, in minutes"),
    "mark.clock": Mask(
        rf"{MILLISECONDS} 00000000000040008000000000000001", "the boot by the clock, read a moment apart; the boot's id is the rig's"
    ),
    "durationMicros": Mask(COUNT, "how long it took"),
    # The log's chain holds times and ids
    "prev": Mask(r"[0-9a-f]{64}", "the hash of a line with times and ids"),
    "logHead.hash": Mask(r"[0-9a-f]{64}", "the same"),
    "logHead": Mask(
        r"\d+:[0-9a-f]{64} [0-9a-f]{32} <directory>/log/decisions\.jsonl", "the same, as the state file marks it"
    ),
    "seq": Mask(COUNT, "counts what is told of repetitions, which the daemon does at its own times"),
    "sequence": Mask(COUNT, "the same"),
    "written": Mask(COUNT, "the same"),
    "synced": Mask(COUNT, "the same"),
    "record": Mask(COUNT, "the same: the number of a record"),
    "log.bytes": Mask(COUNT, "the same, and durations have more digits or fewer"),
    "sealed.bytes": Mask(COUNT, "how much a kill left of a record"),
    "sealed.sha256": Mask(r"[0-9a-f]{64}", "the same"),
    # The process
    "Status.pid": Mask(COUNT, "two daemons are two processes"),
    "start.pid": Mask(COUNT, "the same"),
    "stop.pid": Mask(COUNT, "the same"),
}

METRICS: dict[str, str] = {
    "webviewguard_start_time_seconds": "the clock",
    "webviewguard_policy_loaded_time_seconds": "the clock",
    "webviewguard_resident_memory_bytes": "the memory of the process",
    "webviewguard_open_fds": "what the libraries have open",
    "webviewguard_deciding_seconds_bucket": "how long it took",
    "webviewguard_deciding_seconds_sum": "how long it took",
    "webviewguard_answering_seconds_bucket": "how long it took",
    "webviewguard_answering_seconds_sum": "how long it took",
    "webviewguard_held_replies": "how fast the log was written",
    "webviewguard_held_replies_most": "how fast the log was written",
    "webviewguard_round_work_most": "how many calls one look at the sockets found",
    "webviewguard_log_records": "counts what is told of repetitions, which the daemon does at its own times",
    "webviewguard_log_lag_records": "how fast the log was written",
    "webviewguard_log_lag_bytes": "how fast the log was written",
    "webviewguard_log_lag_seconds": "how fast the log was written",
    "webviewguard_log_bytes": "durations have more digits or fewer",
}

# Sets that the state file keeps as bytes in the order of a hash table: how long each member is.
SETS = {"instance.windows": 8}

# Within texts for people, whatever member they stand in.
TEXTS: tuple[tuple[re.Pattern[str], Mask | Known], ...] = (
    (re.compile(RFC3339), MOMENT_TEXT),
    (re.compile(rf"\b{CLIP.shape}\b"), CLIP),
    (re.compile(rf"\b{PROPOSAL.shape}\b"), PROPOSAL),
    (re.compile(rf"\b{REQUEST.shape}\b"), REQUEST),
    (re.compile(r"(?<=head=)\d+:[0-9a-f]{64}"), Mask(r"\d+:[0-9a-f]{64}", "the head of the log")),
    (re.compile(r"(?<=exception )[a-z0-9]{8}(?= )"), EXCEPTION),
    (re.compile(r"^[a-z0-9]{8}(?=  +(host|domain) )"), EXCEPTION),
    (re.compile(r"(?<=\bid=)[a-z0-9]{8}(?=\s|$)"), EXCEPTION),
    (re.compile(r"(?<=/policy/)\d{20}(?=-[0-9a-f]{64})"), Mask(r"\d{20}", "when a kept policy came into force")),
)

# The daemon tells these at its own times, so that they stand anywhere in the log; their members that count are added up.
UNORDERED_RECORDS = {"repeats", "counts", "limited"}
COUNTERS = {"count", "repeats", "refused", "restricted", "changes"}

# The journal tells so many refused calls a second, and then their number. The replies and `webviewguard_refused_calls_total`
# tell of each, and are compared. It tells the log's head every ten seconds of the daemon's life.
JOURNAL_AT_ITS_OWN_RATE = re.compile(r"^notice: (calls? refused|log head )")
