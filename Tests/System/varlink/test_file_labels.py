"""The owners of files through the varlink package: each answer and each refusal of `FileCreated`, `ReadLabel`, `SetOwner`."""

from configuration import APP, PERSONAL, WORK
from session import DaemonCase, Handler
from wire import ACCOUNTS, GUARD

FACTS = "5ca1ab1e:1:00ff00ff:1700000000.000000001"


class LabelCase(DaemonCase):
    def program(self, account: str | None) -> Handler:
        guard = self.attached(app=APP)
        if account is not None:
            self.call(guard, "SetIdentity", level="process", account=account)
        return Handler(self.daemon.guard_socket, ACCOUNTS, guard.connection)


class Labels(LabelCase):
    def test_a_file_gets_a_label_and_is_known_by_it(self) -> None:
        app, home = self.program(WORK), self.program(PERSONAL)
        new = self.call(app, "FileCreated")
        self.assertEqual((new["standing"], new["owner"], new["mustEncrypt"], new["mustSeal"]), ("mine", WORK, True, False))
        for reader, standing in ((app, "mine"), (home, "managed")):
            self.assertEqual(self.call(reader, "ReadLabel", label=new["label"])["standing"], standing)
        self.assertEqual(self.call(home, "FileCreated")["standing"], "unmanaged")
        self.assertEqual(self.call(home, "FileCreated", directory=new["label"])["owner"], WORK)
        self.assertEqual(self.call(app, "SetOwner", account=WORK, label=new["label"])["standing"], "mine")
        self.assertEqual(self.call(app, "SetOwner", account=PERSONAL)["standing"], "unmanaged")

    def test_the_table_and_no_store_at_all(self) -> None:
        app = self.program(WORK)
        self.assertNotIn("label", {name for name, value in self.call(app, "FileCreated", store="table", file=FACTS).items() if value})
        self.assertEqual(self.call(app, "ReadLabel", file=FACTS)["owner"], WORK)
        self.assertIs(self.call(app, "FileCreated", store="none")["mustSeal"], True)


class Refusals(LabelCase):
    def test_a_managed_owner_stays(self) -> None:
        label = self.call(self.program(WORK), "FileCreated")["label"]
        home = self.program(PERSONAL)
        self.assertEqual(self.refused(f"{GUARD}.OwnerStays", home, "SetOwner", account=PERSONAL, label=label), {"account": WORK})
        self.assertEqual(self.refused(f"{GUARD}.OwnerStays", home, "SetOwner", account="", label="00"), {"account": ""})

    def test_an_account_that_nobody_knows(self) -> None:
        self.refused(f"{GUARD}.UnknownAccount", self.program(WORK), "SetOwner", account="stranger@contoso.com")

    def test_a_table_without_facts(self) -> None:
        self.refused("org.varlink.service.InvalidParameter", self.program(WORK), "FileCreated", store="table")

    def test_a_program_that_is_not_attached(self) -> None:
        app = Handler(self.daemon.guard_socket, ACCOUNTS, self.guard().connection)
        self.refused(f"{GUARD}.NotAttached", app, "FileCreated")
        self.refused(f"{GUARD}.NotAttached", app, "ReadLabel")


class WithoutKeys(LabelCase):
    def test_a_secret_that_others_may_read_makes_no_label(self) -> None:
        label = self.call(self.program(WORK), "FileCreated")["label"]
        self.daemon.stop()
        (self.daemon.directory / "state/keys.secret").chmod(0o644)
        self.daemon.start()
        app = self.program(WORK)
        self.refused(f"{GUARD}.KeysUnavailable", app, "FileCreated")
        self.assertEqual(self.call(app, "ReadLabel", label=label)["standing"], "unknown")
