"""Who is signed in, by the user database's word: names that are accounts, and a database that does not answer."""

import os
import pwd
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from attack_case import APP, CROWD, MALLORY, AttackCase
from configuration import WORK, Configuration
from daemon import Daemon
from wire import GUARD

ACCOUNTS = "org.webviewguard.Accounts"
SECOND = "second@contoso.com"
# Of the machine's users: one whom the policy names, and one whom it does not.
NAMED, UNNAMED = MALLORY, CROWD[0]

APPS = f"""\
apps:
  {APP}:
    peers: [{{ uid: {NAMED} }}, {{ uid: {UNNAMED} }}]
    identityMode: multi
    accounts: {{ source: [user] }}
    classes:
      documents: {{ policy: currentIdentity, externalURLs: contoso }}
"""
ORGANISATION = """\
accounts:
  - {{ upn: work@contoso.com, objectId: 6d5c2f7e-8d1c-4f0a-9b52-3c1f0e7a4d11, protection: contoso-standard, user: "{user}" }}
  - {{ upn: second@contoso.com, protection: contoso-standard }}
protections:
  contoso-standard: {{ send: managed }}
"""

# The user database of a machine: `mode` says whether it fails, or has users whose names are accounts.
DATABASE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
typedef int look(uid_t, struct passwd *, char *, size_t, struct passwd **);
int getpwuid_r(uid_t uid, struct passwd *entry, char *text, size_t size, struct passwd **found) {
  char mode[64] = {0};
  FILE *file = fopen("%s", "r");
  if (file) { if (!fgets(mode, sizeof mode, file)) mode[0] = 0; fclose(file); }
  *found = NULL;
  if (!strcmp(mode, "fails")) return EIO;
  int error = ((look *)dlsym(RTLD_NEXT, "getpwuid_r"))(uid, entry, text, size, found);
  if (*found && strchr(mode, '@')) { static char name[64]; strcpy(name, mode); (*found)->pw_name = name; }
  return error;
}
"""


class UserNames(AttackCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.refuse_without_root()

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.mode = Path(place.name) / "mode"
        os.chmod(place.name, 0o755)
        source = Path(place.name) / "database.c"
        source.write_text(DATABASE % self.mode)
        library = source.with_suffix(".so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True, timeout=120)
        self.begin(pwd.getpwuid(NAMED).pw_name, library)

    def begin(self, user: str, library: Path) -> None:
        configuration = Configuration(APPS, organisation=ORGANISATION.format(user=user))
        daemon = Daemon(configuration, environment={"LD_PRELOAD": str(library)})
        type(self).daemon = daemon
        self.addCleanup(daemon.remove)
        daemon.directory.chmod(0o755)
        daemon.start()

    def restart(self, mode: str) -> None:
        """The daemon after this one meets another database, and remembers no name."""
        self.mode.write_text(mode)
        self.daemon.stop()
        self.daemon.start()

    def listed(self, uid: int) -> dict[str, tuple[str, list[str]]]:
        link = self.link(uid)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        accounts: list[dict[str, Any]] = self.answered(link.call(f"{ACCOUNTS}.List"))["accounts"]
        return {account["account"]: (account["state"], account["sources"]) for account in accounts}

    def test_being_a_user_is_being_signed_in(self) -> None:
        """EN-12: the account of the uid itself; a user whom no account names is signed in with nothing."""
        self.assertEqual(self.listed(NAMED), {WORK: ("enrolled", ["user"])})
        device = self.answered(self.link(NAMED).call(f"{ACCOUNTS}.DeviceAccount"))
        self.assertEqual(device, {"account": WORK})
        self.assertEqual(self.listed(UNNAMED), {})
        self.assertEqual(self.answered(self.link(UNNAMED).call(f"{ACCOUNTS}.DeviceAccount")), {})
        signed = [record for record in self.daemon.records("account") if record["act"] == "signedIn"]
        self.assertEqual([(record["source"], record["person"]) for record in signed], [("user", NAMED)])

    def test_a_name_with_an_at_is_an_account(self) -> None:
        self.restart(SECOND)
        self.assertEqual(self.listed(UNNAMED), {SECOND: ("enrolled", ["user"])})

    def test_a_database_that_does_not_answer_signs_nobody_out(self) -> None:
        self.assertEqual(self.listed(NAMED), {WORK: ("enrolled", ["user"])})
        self.restart("fails")
        self.assertEqual(self.listed(NAMED), {WORK: ("enrolled", ["user"])})
        # It signs nobody in either.
        self.assertEqual(self.listed(UNNAMED), {})
        link = self.link(UNNAMED)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        stated = self.answered(link.call(f"{GUARD}.SetIdentity", level="process", account=WORK))
        self.assertEqual((stated["result"], stated["reason"]), ("failed", "policyRequired"))

    def test_a_user_who_got_another_name_is_signed_out(self) -> None:
        self.assertEqual(self.listed(NAMED), {WORK: ("enrolled", ["user"])})
        self.restart("stranger@example.org")
        self.assertNotEqual(self.listed(NAMED).get(WORK, ("", []))[0], "enrolled")

    def test_a_program_speaks_for_no_name(self) -> None:
        refused = self.link(UNNAMED).call(f"{ACCOUNTS}.SignedIn", source="user", accounts=[{"upn": WORK}])
        self.assertEqual(refused["error"], "org.varlink.service.InvalidParameter")
        self.answered(self.link(UNNAMED).call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[{"upn": WORK}]))
        # The app takes the user database's word alone.
        self.assertEqual({name: state for name, (state, _) in self.listed(UNNAMED).items() if state == "enrolled"}, {})
