"""The table `What keeps a label` of docs/labels.md: the tools that people use, and what they leave of a label."""

import os

from file_case import DATA, FileCase

AS_BEFORE = "s/figures/figures/"


class Copies(FileCase):
    def test_copies_moves_archives(self) -> None:
        target = self.folder / "target"
        target.mkdir()
        self.copies(self.folder, target)

    def test_another_name_is_the_same_files(self) -> None:
        path = self.made(self.working())
        self.run_tool("ln", path, "second")
        self.run_tool("mv", path, "moved")
        self.expect(self.folder / "second", "mine", "ln")
        os.removexattr(self.folder / "moved", "user.webviewguard.owner")
        self.expect(self.folder / "second", "unmanaged", "who takes the label from one name takes it from both")

    def test_a_compressed_file_comes_back_without(self) -> None:
        path = self.made(self.working())
        self.run_tool("gzip", path)
        self.run_tool("gunzip", "report.gz")
        self.expect(path, "unmanaged", "gzip")

    def test_what_writes_in_place_keeps_it(self) -> None:
        path = self.made(self.working())
        self.run_tool("dd", "if=/dev/null", f"of={path}", "conv=notrunc")
        self.run_tool("tee", path, text=DATA.decode())
        self.run_tool("sort", path, "-o", path)
        self.run_tool("sh", "-c", f"printf figures >> {path}")
        self.run_tool("truncate", "-s", len(DATA), path)
        self.expect(path, "mine", "written in place")


class Editors(FileCase):
    def test_ed_writes_in_place(self) -> None:
        path = self.made(self.working())
        self.run_tool("ed", "-s", path, text="s/figures/numbers/\nw\nq\n")
        self.assertEqual(path.read_bytes(), DATA.replace(b"figures", b"numbers") + b"\n")
        self.assertEqual(self.standing(path), "mine")

    def test_nano_writes_in_place(self) -> None:
        path = self.made(self.working())
        keys = ((b"GNU nano", b"x"), (b"x", b"\x0f"), (b"File Name", b"\r"), (b"Wrote", b"\x18"))
        self.typed("nano", "--ignorercfiles", path, keys=keys)
        self.assertEqual(path.read_bytes(), b"x" + DATA + b"\n")
        self.assertEqual(self.standing(path), "mine")

    def test_sed_and_perl_replace_the_file(self) -> None:
        for tool, *words in (("sed", "-i", AS_BEFORE), ("perl", "-pi", "-e", AS_BEFORE)):
            path = self.made(self.working())
            self.run_tool(tool, *words, path)
            self.expect(path, "unmanaged", tool)

    def test_vim_replaces_the_file_unless_it_is_told_to_copy(self) -> None:
        """Where the file has another name, vim writes in place by itself, and newer ones copy attributes."""
        copies = "+xattr" in self.run_tool("vim.tiny", "--version").stdout
        replaced = "mine" if copies else "unmanaged"
        for how, standing in (("auto", replaced), ("no", replaced), ("yes", "mine")):
            path = self.made(self.working())
            self.edit_by_vim(f"set backupskip= writebackup backupcopy={how}")
            self.assertEqual(self.standing(path), standing, how)
            path.unlink()
        path = self.made(self.working())
        os.link(path, self.folder / "second")
        self.edit_by_vim("set backupskip= writebackup backupcopy=auto")
        self.assertEqual(self.standing(path), "mine")

    def edit_by_vim(self, setting: str) -> None:
        path = self.folder / "report"
        self.run_tool("vim.tiny", "-u", "NONE", "-N", "-es", "-c", setting, "-c", "s/figures/numbers/", "-c", "wq", path)
        self.assertEqual(path.read_bytes(), DATA.replace(b"figures", b"numbers") + b"\n")
