"""WebRTC, which no hook of this engine sees: what the example closes, and what stays open."""

import socket

from engine import QtCase
from rig.driver import WORK_VIEWER


class TestWebRTC(QtCase):
    def test_udp_is_closed(self) -> None:
        with socket.socket(type=socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.1", 0))
            server.setblocking(False)
            self.connect(f"stun:127.0.0.1:{server.getsockname()[1]}")
            gathered = "window.peer.iceGatheringState == 'complete'"
            self.driver.wait(lambda: self.driver.script(WORK_VIEWER, gathered), "the engine has tried")
            with self.assertRaises(BlockingIOError):
                server.recv(1)

    def test_a_relay_by_tcp_is_a_known_leak(self) -> None:
        """When this fails the engine is cured: say so in the README."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.setblocking(False)
            self.connect(f"turn:127.0.0.1:{server.getsockname()[1]}?transport=tcp")
            connection, _ = self.driver.wait(lambda: accepted(server), "the relay is reached")
            connection.close()

    def connect(self, relay: str) -> None:
        self.show("/")
        server = f"{{ urls: '{relay}', username: 'u', credential: 'c' }}"
        self.driver.script(
            WORK_VIEWER,
            f"void(window.peer = new RTCPeerConnection({{ iceServers: [{server}] }}), peer.createDataChannel('d'),"
            f" peer.createOffer().then(offer => peer.setLocalDescription(offer)))",
        )


def accepted(server: socket.socket) -> tuple[socket.socket, object] | None:
    try:
        return server.accept()
    except BlockingIOError:
        return None
