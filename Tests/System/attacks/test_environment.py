"""What the environment of the programs may name."""

import hashlib
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from daemon import PROGRAM

RECORD = '{"v":1,"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"repeats","id":"d-0","count":2,"prev":"%s"}'


class Environments(unittest.TestCase):
    """`OPENSSL_CONF` may name a file that loads code into whoever uses libcrypto."""

    def test_the_configuration_of_libcrypto_is_not_read(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            here = Path(place)
            trace = here / "loaded"
            (here / "evil.c").write_text(
                '#include <stdio.h>\n__attribute__((constructor)) static void load(void) {\n'
                f'  FILE *file = fopen("{trace}", "w");\n  if (file) fclose(file);\n}}\n'
            )
            subprocess.run(["gcc", "-shared", "-fPIC", "-o", here / "evil.so", here / "evil.c"], check=True, timeout=120)
            settings = here / "openssl.cnf"
            settings.write_text(
                "openssl_conf = start\n[start]\nproviders = providers\n[providers]\nevil = evil\n"
                f"[evil]\nmodule = {here}/evil.so\nactivate = 1\n"
            )
            environment = os.environ | {"OPENSSL_CONF": str(settings)}
            text = {"input": "text", "text": True, "capture_output": True, "timeout": 120, "env": environment}
            subprocess.run(["openssl", "dgst", "-sha256"], **text)
            self.assertTrue(trace.exists(), "the trap works")
            trace.unlink()
            line = RECORD % ("0" * 64)
            (here / "decisions.jsonl").write_text(line + "\n")
            read = subprocess.run([PROGRAM, "log", "head", here], **text)
            self.assertIn(hashlib.sha256(line.encode()).hexdigest(), read.stdout, f"a hash was made; {read.stderr}")
            self.assertFalse(trace.exists())
