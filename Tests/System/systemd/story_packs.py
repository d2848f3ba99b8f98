"""What the packages give to programs that show web views: libraries, introspection data, modules, sources."""

from rig import Case

# Where this machine's node is not Debian's it does not look there by itself.
NODE = "NODE_PATH=/usr/share/nodejs"
GUARDS = r"""
#include <stdio.h>
#include <webviewguard-webkit.h>
int main(void) { printf("%s\n", g_type_name(wvg_webkit_guard_get_type())); }
"""
IMPORTS = "import gi; gi.require_version('WvgWebKit', '{api}'); from gi.repository import WvgWebKit as w; print(w.Guard.__gtype__.name)"
BLOCKS = """
const { Guard } = require("webviewguard");
const { notice } = require("webviewguard-notice");
require("webviewguard-sealing");
console.log(typeof Guard, notice({ outcome: "block", reason: "noAnswer", id: "" }, {}).includes("<html"));
"""


class Packs(Case):
    def test_c_programs_guard_webkitgtk(self) -> None:
        wpe = ["wpe-1.1"] if next(self.packages.glob("libwebviewguard-webkit-wpe-dev_*"), None) else []
        for api in self.apis() + wpe:
            with self.subTest(api=api):
                flags = self.machine.must("pkg-config", "--cflags", "--libs", f"webviewguard-webkit-{api}").split()
                self.machine.write("/tmp/guards.c", GUARDS)
                self.machine.must("cc", "-o", "/tmp/guards", "/tmp/guards.c", *flags)
                self.assertEqual(self.machine.must("/tmp/guards"), "WvgWebKitGuard\n")

    def test_python_programs_guard_webkitgtk(self) -> None:
        for api in self.apis():
            with self.subTest(api=api):
                said = self.machine.must("/usr/bin/python3", "-c", IMPORTS.format(api=api))
                self.assertEqual(said, "WvgWebKitGuard\n")

    def apis(self) -> list[str]:
        """The versions whose packages were made: of a machine that cannot build with WebKitGTK none."""
        found = [api for api in ("4.1", "6.0") if next(self.packages.glob(f"gir1.2-wvgwebkit-{api}_*"), None)]
        if not found:
            self.skipTest("there are no packages for WebKitGTK")
        return found

    def test_node_finds_the_client_and_the_notice(self) -> None:
        self.assertEqual(self.machine.must("env", NODE, "node", "-e", BLOCKS), "function true\n")

    def test_every_c_library_has_what_programs_need(self) -> None:
        for name in ("webviewguard", "webviewguard-files", "webviewguard-sealed", "webviewguard-stored"):
            with self.subTest(name=name):
                flags = self.machine.must("pkg-config", "--cflags", "--libs", name).split()
                self.machine.write("/tmp/uses.c", f"#include <{name}.h>\nint main(void) {{ return 0; }}\n")
                self.machine.must("cc", "-o", "/tmp/uses", "/tmp/uses.c", "-Wl,--no-as-needed", *flags)
                self.machine.must("/tmp/uses")

    def test_the_sources_for_cef_are_named(self) -> None:
        place = self.machine.must("pkg-config", "--variable=sourcedir", "webviewguard-cef").strip()
        self.assertIn("notice.c", self.machine.must("ls", place).split())

    def test_python_programs_have_the_guard_of_qt(self) -> None:
        find = "import importlib.util as u; print(u.find_spec('webviewguard.qt._page') is not None)"
        self.assertEqual(self.machine.must("/usr/bin/python3", "-c", find), "True\n")
