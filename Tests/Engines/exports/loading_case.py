"""Engines that are judged by what reaches the network."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import cases
from cases import Request
from engine_case import EngineCase
from recording_proxy import RecordingProxy

END_SECONDS = 30


class LoadingCase(EngineCase):
    """A browser that loads the requests through a proxy. What the proxy never saw was stopped."""

    proxy: ClassVar[RecordingProxy]

    @classmethod
    def setUpClass(cls) -> None:
        if cls is LoadingCase:
            return
        directory = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="wvg-proxy-"))
        cls.proxy = RecordingProxy(Path(directory))
        cls.addClassCleanup(cls.proxy.close)

    def set_rules(self, document: str) -> None:
        """Puts rules in force."""
        raise NotImplementedError

    def load(self, kind: str, urls: list[str]) -> None:
        """Loads URLs and waits until nothing more comes."""
        raise NotImplementedError

    def stopped(self, document: str, requests: list[Request]) -> list[bool]:
        self.set_rules(document)
        judged = cases.judged(requests)
        stopped: dict[Request, bool] = {}
        for batch in _batches(requests, judged):
            self.proxy.take()
            self.load(batch[0].kind, [request.url for request in batch])
            seen = self.proxy.take()
            stopped.update({request: judged[request] not in seen for request in batch})
        return [stopped[request] for request in requests]


def _batches(requests: list[Request], judged: dict[Request, str]) -> list[list[Request]]:
    """Requests of one kind together, none of which looks like another to the proxy."""
    batches: list[tuple[str, set[str], list[Request]]] = []
    for request in requests:
        for kind, seen, batch in batches:
            if kind == request.kind and judged[request] not in seen:
                break
        else:
            kind, seen, batch = request.kind, set(), []
            batches.append((kind, seen, batch))
        seen.add(judged[request])
        batch.append(request)
    return [batch for _, _, batch in batches]


class LineProgram:
    """A program that answers a JSON line with another."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def ask(self, **members: Any) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(members) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the browser has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(END_SECONDS)
