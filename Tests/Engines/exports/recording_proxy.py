"""A proxy that leads every host to an empty page, and remembers what was asked for, also inside TLS.

`/go?URL` of any host redirects to a URL.
"""

import socket
import ssl
import subprocess
import threading
from pathlib import Path

HEAD_LIMIT = 65_536
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n"
    b"Access-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n<p>"
)
REDIRECT = "HTTP/1.1 302 Found\r\nLocation: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
CONNECTED = b"HTTP/1.1 200 OK\r\n\r\n"
PORTS = {"http": 80, "https": 443}


class RecordingProxy:
    """Listens on loopback. `take` gives back the URLs of all requests since it was asked last.

    They are written as `classify` writes what it judged: no user name, no default port, no dot behind the host; those
    of WebSockets begin with `http`.
    """

    def __init__(self, directory: Path) -> None:
        self._tls = self._context(directory)
        self._asked: set[str] = set()
        self._lock = threading.Lock()
        self._server = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port: int = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @staticmethod
    def _context(directory: Path) -> ssl.SSLContext:
        key, certificate = directory / "key.pem", directory / "certificate.pem"
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"]
        subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context

    def take(self) -> set[str]:
        with self._lock:
            asked, self._asked = self._asked, set()
        return asked

    def close(self) -> None:
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        try:
            with peer:
                peer.settimeout(30)
                self._answer(peer)
        except (OSError, ValueError):
            return

    def _answer(self, peer: socket.socket) -> None:
        target, host = self._head(peer)
        if not target.startswith("CONNECT "):
            self._reply(peer, "http", host, target)
            return
        peer.sendall(CONNECTED)
        if peer.recv(1, socket.MSG_PEEK) == b"\x16":
            with self._tls.wrap_socket(peer, server_side=True) as secure:
                target, host = self._head(secure)
                self._reply(secure, "https", host, target)
        else:
            target, host = self._head(peer)
            self._reply(peer, "http", host, target)

    def _reply(self, peer: socket.socket, scheme: str, host: str, first: str) -> None:
        target = first.split(" ")[1]
        self._note(scheme, host, target)
        _, mark, there = target.partition("/go?")
        peer.sendall(REDIRECT.format(there).encode() if mark else ANSWER)

    @staticmethod
    def _head(peer: socket.socket) -> tuple[str, str]:
        """The first line, and the header `Host`."""
        data = b""
        while b"\r\n\r\n" not in data:
            chunk = peer.recv(4096)
            if not chunk or len(data) > HEAD_LIMIT:
                raise ValueError("no request")
            data += chunk
        lines = data.decode("latin-1").split("\r\n")
        hosts = [line.split(":", 1)[1].strip() for line in lines[1:] if line.lower().startswith("host:")]
        return lines[0], hosts[0] if hosts else ""

    def _note(self, scheme: str, host: str, target: str) -> None:
        path = "/" + target.split("://", 1)[1].split("/", 1)[1] if "://" in target.split("?")[0] else target
        name, mark, port = host.rpartition(":")
        if not mark or not port.isdigit() or host.endswith("]"):
            name, port = host, ""
        rest = f":{port}" if port and int(port) != PORTS[scheme] else ""
        with self._lock:
            self._asked.add(f"{scheme}://{name.removesuffix('.')}{rest}{path}")
