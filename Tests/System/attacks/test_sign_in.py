"""Credentials for sign-in pages: the daemon says for which navigation, and the session's agent has them made.

The sign-in service may be away, hang and lie, and a program of the person may ask the agent for anything.
"""

import json
import socket
import struct
from typing import Any

from attack_case import APP
from configuration import Configuration
from daemon import eventually
from test_session import ADA, OBJECT_ID, SECOND, SessionCase
from wire import GUARD

SESSION = "org.webviewguard.Session"
LOGIN = "https://login.microsoftonline.com/common/oauth2/authorize?client_id=a&sso_nonce=AwAB.n-1_x"
NAME = "x-ms-RefreshTokenCredential"
SECRET = "eyJ0eXAiOiJKV1Qi.c2VjcmV0.c2lnbmF0dXJl"
GOOD = json.dumps({"cookieName": NAME, "cookieContent": SECRET})

PORTAL = f"""\
apps:
  {APP}:
    peers: [{{ uid: $uid }}]
    identityMode: multi
    accounts: {{ source: [broker] }}
    classes:
      documents: {{ policy: currentIdentity, signIn: [login.microsoftonline.com] }}
      quiet: {{ policy: currentIdentity }}
      free: {{ policy: unmanaged, signIn: [login.microsoftonline.com] }}
      open: {{ signIn: [login.microsoftonline.com] }}
"""


class SignInCase(SessionCase):
    configuration = Configuration(PORTAL)

    def setUp(self) -> None:
        super().setUp()
        self.home.chmod(0o700)
        self.variables["XDG_RUNTIME_DIR"] = str(self.home)
        self.socket = self.home / "webviewguard-session.sock"

    def begin(self, *accounts: dict[str, Any], cookie: list[Any] | None = None) -> None:
        self.order("accounts", list(accounts))
        self.order("cookie", cookie or ["text", GOOD])
        self.session()
        eventually(self.socket.exists, "the agent listens")
        # The question of who is signed in.
        self.question()

    def ask(self, url: Any = LOGIN, account: Any = "work@contoso.com") -> dict[str, Any]:
        return self.call(f"{SESSION}.SignIn", {"url": url, "account": account})

    def call(self, method: str, parameters: Any) -> dict[str, Any]:
        return self.send(json.dumps({"method": method, "parameters": parameters}).encode() + b"\0")

    def send(self, frame: bytes, seconds: float = 60) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(seconds)
            line.connect(str(self.socket))
            line.sendall(frame)
            received = b""
            while not received.endswith(b"\0"):
                part = line.recv(65536)
                self.assertTrue(part, "the agent hung up")
                received += part
        answer: dict[str, Any] = json.loads(received[:-1])
        return answer

    def is_refused(self, word: str, **call: Any) -> None:
        self.assertEqual(self.ask(**call).get("error"), f"{SESSION}.{word}", call)


class TheAgent(SignInCase):
    def test_it_has_a_credential_made_for_the_page_anew_each_time(self) -> None:
        self.begin(ADA, SECOND)
        for _ in range(2):
            self.assertEqual(self.ask(), {"parameters": {"name": NAME, "value": SECRET}})
            self.question()
            version, _, text = self.question()
            request = json.loads(text)
            self.assertEqual((version, request["ssoUrl"], request["account"]), ("0.0", LOGIN, ADA))
            parameters = request["authParameters"]
            told = [parameters[name] for name in ("ssoUrl", "username", "account", "authorizationType")]
            self.assertEqual(told, [LOGIN, "work@contoso.com", ADA, 8])
        for name, entry in (("WORK@Contoso.com", ADA), (OBJECT_ID, ADA), ("second@contoso.com", SECOND)):
            self.assertEqual(self.ask(account=name)["parameters"]["value"], SECRET)
            self.question()
            self.assertEqual(json.loads(self.question()[2])["account"], entry)
        self.assertNotIn(SECRET, self.said_by_session)
        self.assertNotIn("AwAB", self.said_by_session)
        self.assertEqual(self.socket.stat().st_mode & 0o777, 0o600)

    def test_no_other_page_gets_one(self) -> None:
        self.begin(ADA)
        host = "login.microsoftonline.com"
        pages = [
            f"http://{host}/", f"https://{host}:8443/", f"https://{host}.evil.example/", f"https://evil.example/{host}",
            f"https://{host}@evil.example/", f"https://user@{host}/",
            f"https://evil.example\\@{host}/", f"https://evil.example/\\@{host}/", f"https://x{host}/", f"https://a.{host}/", f"https://{host}./",
            "https://login.microsoftonline.co/", "https://lоgin.microsoftonline.com/", f"wss://{host}/", f"//{host}/",
            f"view-source:https://{host}/", "https://microsoftonline.com/", "", "javascript:1", "about:blank",
            f"{LOGIN}&sso_nonce=other", f"https://{host}/?sso_nonce=", f"https://{host}/?sso_nonce=a!b",
            f"https://{host}/?sso_nonce=a&SSO_NONCE=b", f"https://{host}/?sso%5Fnonce=a", "https://" + "a" * 100_000,
        ]  # fmt: skip
        for page in pages:
            self.is_refused("NotASignInPage", url=page)
        self.assertTrue(self.questions.empty())
        # That a URL is written oddly does not matter, only where it leads.
        odd = (f"HTTPS://LOGIN.MicrosoftOnline.com:443/a#{host}", f"https://{host}\\@evil.example/", f" https:{host}")
        for page in (*odd, "https://login.microsoftonline.us/", "https://login.partner.microsoftonline.cn/a?b=c"):
            self.assertEqual(self.ask(url=page)["parameters"]["value"], SECRET)

    def test_of_another_account_there_is_none(self) -> None:
        twin = {**SECOND, "homeAccountId": "11111111-8d1c-4f0a-9b52-3c1f0e7a4d11.t"}
        self.begin(ADA, SECOND, twin, {"localAccountId": "22222222-8d1c-4f0a-9b52-3c1f0e7a4d11"})
        for name in ("ada@home.example", "work@contoso.co", "*@contoso.com", "work", " work@contoso.com"):
            self.is_refused("NoCredential", account=name)
        # Two accounts of one name, and one that the service cannot be asked for by name.
        self.is_refused("NoCredential", account="second@contoso.com")
        self.is_refused("NoCredential", account="22222222-8d1c-4f0a-9b52-3c1f0e7a4d11")

    def test_a_service_that_lies_gives_none(self) -> None:
        self.begin(ADA)
        contents = ["", "a\r\nX: y", "a\n", "a b", "a\0b", "é", "a" * 12289, 7, None, [SECRET], {}]
        lies = [{"cookieName": NAME, "cookieContent": content} for content in contents]
        names = ("Host", NAME.lower(), NAME + "\r\nX", "", 7)
        lies += [{"cookieName": name, "cookieContent": SECRET} for name in names]
        lies += [{"cookieContent": SECRET}, {"error": {"context": "no"}}]
        for lie in [json.dumps(lie) for lie in lies] + ["", "[]", "no JSON", '"' + SECRET + '"', GOOD + "x"]:
            self.order("cookie", ["text", lie])
            with self.subTest(lie[:70]):
                self.is_refused("NoCredential")
        self.order("cookie", ["error", "a.b.C"])
        self.is_refused("NoCredential")
        self.order("cookie", ["big", 5_000_000])
        self.is_refused("NoCredential")
        # Nothing is kept: not a credential, and not a refusal.
        self.order("cookie", ["text", GOOD])
        self.assertEqual(self.ask()["parameters"]["value"], SECRET)
        self.bus.end(self.broker)
        self.is_refused("NoCredential")

    def test_programs_that_misbehave_hold_up_nobody_for_long(self) -> None:
        self.begin(ADA)
        with socket.socket(socket.AF_UNIX) as silent, socket.socket(socket.AF_UNIX) as rude:
            silent.connect(str(self.socket))
            rude.connect(str(self.socket))
            # It does not stay for the answer.
            rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            call = {"method": f"{SESSION}.SignIn", "parameters": {"url": LOGIN, "account": "work@contoso.com"}}
            rude.sendall(json.dumps(call).encode() + b"\0")
            rude.close()
            self.assertEqual(self.ask()["parameters"]["value"], SECRET)
        for frame in (b"\0", b"[]\0", b"{}\0", b'{"method":7}\0', b"\xff\xfe\0"):
            self.assertEqual(self.send(frame)["error"], "org.varlink.service.InvalidParameter")
        self.assertEqual(self.ask(url=7)["error"], "org.varlink.service.InvalidParameter")
        self.assertEqual(self.ask(account="")["error"], "org.varlink.service.InvalidParameter")
        self.assertEqual(self.call(f"{SESSION}.Other", {})["error"], "org.varlink.service.MethodNotFound")
        info = self.call("org.varlink.service.GetInfo", {})["parameters"]
        self.assertIn(SESSION, info["interfaces"])
        described = self.call("org.varlink.service.GetInterfaceDescription", {"interface": SESSION})
        self.assertIn("method SignIn(", described["parameters"]["description"])

    def test_a_place_that_others_may_write_is_none(self) -> None:
        self.home.chmod(0o777)
        self.order("accounts", [ADA])
        self.session()
        self.hears("apps get no sign-in")
        self.is_listed(work_at_contoso="enrolled")
        self.assertFalse(self.socket.exists())


class TheDaemon(SignInCase):
    """For which navigations it says yes."""

    def setUp(self) -> None:
        super().setUp()
        self.begin(ADA)
        self.is_listed(work_at_contoso="enrolled")
        self.said("SetIdentity", level="process", account="work@contoso.com")
        for viewer in ("documents", "quiet", "free", "open"):
            self.said("RegisterViewer", viewer=viewer, **{"class": viewer})

    def said(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.answered(self.app.call(f"{GUARD}.{method}", **parameters))

    def navigate(self, url: str = LOGIN, viewer: str = "documents", **event: Any) -> dict[str, Any]:
        about = {"frame": "main", "viewer": viewer, "url": url, **event}
        decision: dict[str, Any] = self.said("Navigate", event=about)["decision"]
        return decision

    def test_the_main_frame_of_a_managed_view_may_sign_in(self) -> None:
        decision = self.navigate()
        found = [decision[name] for name in ("outcome", "signIn", "identity")]
        self.assertEqual(found, ["allow", True, "work@contoso.com"])
        self.assertTrue(self.navigate(hop=True)["signIn"])
        host = "login.microsoftonline.com"
        others = [
            self.navigate(viewer="quiet"), self.navigate(viewer="free"), self.navigate(viewer="nobody's"),
            self.navigate(frame="sub"), self.navigate(frame="resource"), self.navigate(frame="unknown"),
            self.navigate(newWindow=True), self.navigate(sameDocument=True), self.navigate(f"http://{host}/"),
            self.navigate(f"https://{host}:444/"), self.navigate(f"https://{host}.evil.example/"),
            self.navigate(f"https://user@{host}/"), self.navigate(f"view-source:https://{host}/"),
            self.navigate(f"blob:https://{host}/1", **{"from": LOGIN}), self.navigate("about:blank", **{"from": LOGIN}),
            self.navigate("https://login.microsoftonline.us/"), self.navigate("https://evil.example/" + host),
        ]  # fmt: skip
        self.assertEqual([place for place, other in enumerate(others) if "signIn" in other], [])

    def test_what_is_not_managed_may_not(self) -> None:
        self.assertTrue(self.navigate(viewer="open")["signIn"])
        self.said("SetWebViewPolicy", viewer="open", policy="unmanaged")
        self.assertNotIn("signIn", self.navigate(viewer="open"))
        self.said("SetIdentity", level="process", account="")
        self.assertNotIn("signIn", self.navigate())
        self.said("SetIdentity", level="process", account="work@contoso.com")
        self.assertTrue(self.navigate()["signIn"])
        # Its person signs out.
        self.tell_nobody()
        self.assertNotIn("signIn", self.navigate())

    def test_the_log_has_no_secret(self) -> None:
        self.navigate()
        self.assertEqual(self.ask()["parameters"]["value"], SECRET)
        texts = [file.read_bytes() for file in self.daemon.directory.rglob("*") if file.is_file()]
        self.assertGreater(len(texts), 1)
        self.assertFalse(any(SECRET.encode() in text for text in texts))
