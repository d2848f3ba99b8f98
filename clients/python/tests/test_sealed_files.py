"""Sealed streams and files: any size, any place, and files that are replaced whole."""

import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import tracemalloc
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import sealed_vectors
from test_sealing import Always, outcome
from webviewguard import Sealing, SealingError, _sealed_streams
from webviewguard._sealed_format import LONGEST_DATA, sealed_ids
from webviewguard._sealed_keys import new_chunks
from webviewguard.sealing import DataKey, KeyRequest, file_protection_info

SEED = int(os.environ.get("WEBVIEWGUARD_SEED", "0")) or random.randrange(1 << 32)
MEBIBYTE = 1 << 20
CHUNK = 1 << 16
# Four GiB at night, when the variable says 100 (percent).
EFFORT = int(os.environ.get("WEBVIEWGUARD_EFFORT", "10"))
LARGE = 48 * MEBIBYTE if EFFORT <= 10 else (4 << 30) * EFFORT // 100
SEALING = Sealing(Always())
WORK = "work@contoso.com"


class Zeros:
    """A sealed file of zeros as long as one likes, which lies nowhere: each chunk is made when it is read."""

    def __init__(self, length: int) -> None:
        object_id = bytes(32)
        key = Always()(KeyRequest("read", "", object_id.hex()))
        ids = sealed_ids(bytes.fromhex(key.account_id), bytes.fromhex(key.key_id), object_id)
        self._header, self._chunks = new_chunks(key, ids)
        self._length, self._place, self.reads = length, 0, 0
        self._count = max(1, -(-length // CHUNK))

    def seek(self, place: int, whence: int = 0) -> int:
        self._place = place + (112 + self._length + 16 * self._count if whence == 2 else 0)
        return self._place

    def read(self, size: int) -> bytes:
        self.reads += 1
        found = self._header[self._place :] or self._chunk(*divmod(self._place - 112, CHUNK + 16))
        found = found if size < 0 else found[:size]
        self._place += len(found)
        return found

    def _chunk(self, number: int, within: int) -> bytes:
        if number >= self._count:
            return b""
        is_last = number == self._count - 1
        return self._chunks.seal(number, is_last, bytes(self._length - number * CHUNK if is_last else CHUNK))[within:]


class Nothing:
    """Takes everything, and keeps nothing."""

    length = 0

    def write(self, data: Any, /) -> int:
        self.length += len(data)
        return len(data)


class FolderCase(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="wvg-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = self.folder / "report"

    def create(self, data: bytes) -> bytes:
        with SEALING.create(self.file, WORK) as file:
            file.write(data)
        return self.file.read_bytes()


class SealedPlaces(FolderCase):
    def test_reads_at_any_place_are_those_of_a_plain_file(self) -> None:
        chance = random.Random(SEED)
        for length in (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 200_000):
            data = sealed_vectors.filled("places", length)
            self.create(data)
            plain = io.BytesIO(data)
            with SEALING.open(self.file) as sealed, SEALING.open(self.file) as other, io.BufferedReader(other) as buffered:
                self.assertEqual(sealed.size, length)
                for _ in range(300):
                    whence = chance.choice((0, 0, 1, 2))
                    place = chance.choice((0, CHUNK, length, chance.randrange(length + 2)))
                    place -= (0, plain.tell(), length)[whence]
                    size = chance.choice((0, 1, 10, CHUNK, CHUNK + 1, chance.randrange(length + 1), -1))
                    for each in (sealed, buffered):
                        each.seek(place, whence)
                    plain.seek(place, whence)
                    wanted = plain.read(size)
                    found = buffered.read(size)
                    self.assertTrue(found == wanted, (SEED, length, place, whence, size))
                    # A raw file may give less, but something, and goes on where it stopped.
                    raw = b""
                    while piece := sealed.read(size if size < 0 else size - len(raw)):
                        raw += piece
                    self.assertTrue(raw == wanted, (SEED, length, place, whence, size))
                    self.assertEqual(sealed.tell(), plain.tell())
                for wrong in ((-1, 0), (-length - 1, 2), (0, 7)):
                    self.assertRaises(ValueError, sealed.seek, *wrong)
            self.assertRaises(ValueError, sealed.read)

    def test_text_is_read_by_lines(self) -> None:
        lines = [f"Zeile {number} ü\n" for number in range(20_000)]
        self.create("".join(lines).encode())
        with io.TextIOWrapper(io.BufferedReader(SEALING.open(self.file)), encoding="utf-8") as file:
            self.assertEqual(list(file), lines)

    def test_the_longest_object_is_read_at_its_ends(self) -> None:
        """16 TiB, of which a few chunks are looked at."""
        file = Zeros(LONGEST_DATA)
        with SEALING.reader(file) as reader:  # type: ignore[arg-type]
            self.assertEqual(reader.size, LONGEST_DATA)
            for place in (0, 1 << 43, LONGEST_DATA - 1):
                reader.seek(place)
                self.assertEqual(reader.read(1), b"\0")
        self.assertLess(file.reads, 8)
        self.assertEqual(outcome(SEALING.reader, Zeros(LONGEST_DATA + 1)), (103, "damaged"))

    def test_a_file_that_changes_while_it_is_read_is_damaged(self) -> None:
        whole = self.create(bytes(3 * CHUNK))
        for changed in (whole[:-1], whole[: 112 + CHUNK], b"", whole[:500] + b"x" + whole[501:]):
            self.file.write_bytes(whole)
            with SEALING.open(self.file) as reader:
                self.file.write_bytes(changed)
                self.assertEqual(outcome(lambda reader: reader.read(), reader), (103, "damaged"))

    def test_a_chunk_that_failed_is_not_given_later(self) -> None:
        whole = self.create(bytes(2 * CHUNK))
        file = io.BytesIO(whole)
        with SEALING.reader(file) as reader:
            file.getbuffer()[200] ^= 1
            for _ in range(2):
                reader.seek(0)
                self.assertEqual(outcome(lambda reader: reader.read(), reader), (103, "damaged"))
            file.getbuffer()[200] ^= 1
            reader.seek(0)
            self.assertEqual(reader.read(), bytes(2 * CHUNK))

    def test_what_is_no_envelope_is_not_opened(self) -> None:
        for content, error in ((b"", 105), (b"hello", 104), (b"\x89WVG", 103)):
            self.file.write_bytes(content)
            self.assertEqual(outcome(SEALING.open, self.file)[0], error)
        self.assertRaises(FileNotFoundError, SEALING.open, self.folder / "none")

    def test_an_owner_is_told_without_a_key(self) -> None:
        self.create(bytes(5000))
        info = file_protection_info(self.file)
        assert info
        self.assertEqual((info.is_sealed, info.account_id), (True, "cd" * 16))
        self.file.write_bytes(b"plain")
        self.assertIsNone(file_protection_info(self.file))


class Streams(unittest.TestCase):
    def test_memory_is_constant(self) -> None:
        """Sealing, reading and passing on take the memory of a few chunks, whatever the length."""
        peaks = {name: self.peak(run) for name, run in (("write", self.write), ("stream", self.stream), ("read", self.read))}
        self.assertLess(max(peaks.values()), MEBIBYTE, peaks)

    def peak(self, run: Any) -> int:
        run(CHUNK)
        tracemalloc.start()
        try:
            run(LARGE)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def write(self, length: int) -> None:
        target, piece = Nothing(), bytes(100_000)
        with SEALING.writer(target, WORK) as writer:
            for _ in range(length // len(piece)):
                writer.write(piece)
        self.assertGreater(target.length, length - len(piece))

    def stream(self, length: int) -> None:
        file = Zeros(length)
        sequence = io.BufferedReader(Sequence(file), CHUNK)
        self.assertEqual(sum(len(piece) for piece in SEALING.stream(sequence)), length)

    def read(self, length: int) -> None:
        with SEALING.reader(Zeros(length)) as reader:  # type: ignore[arg-type]
            count, buffer = 0, bytearray(CHUNK)
            while size := reader.readinto(buffer):
                count += size
            self.assertEqual(count, length)

    def test_a_stream_that_was_cut_off_says_so_at_its_end(self) -> None:
        whole = SEALING.protect(bytes(3 * CHUNK), WORK)
        unit = CHUNK + 16
        for end, chunks in ((112 + 2 * unit, 1), (112 + 2 * unit + 5, 2), (len(whole) - 1, 2), (112, 0), (112 + unit, 0)):
            pieces: list[bytes] = []
            with self.assertRaises(SealingError) as raised:
                pieces.extend(noted(SEALING.stream(io.BytesIO(whole[:end])), pieces))
            self.assertEqual((raised.exception.code, len(pieces)), (103, chunks), end)

    def test_foreign_streams_pass_unchanged(self) -> None:
        data = sealed_vectors.filled("foreign", 300_000)
        self.assertEqual(b"".join(SEALING.stream(io.BytesIO(data))), data)

    def test_a_stream_through_a_pipe(self) -> None:
        data = sealed_vectors.filled("pipe", 500_000)
        program = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
        with tempfile.TemporaryFile() as file:
            with SEALING.writer(file, WORK) as writer:
                writer.write(data)
            file.seek(0)
            with subprocess.Popen([sys.executable, "-c", program], stdin=file, stdout=subprocess.PIPE, bufsize=0) as process:
                assert process.stdout
                self.assertEqual(b"".join(SEALING.stream(process.stdout)), data)

    def test_a_target_that_takes_little_gets_all(self) -> None:
        class Slow(Nothing):
            def __init__(self) -> None:
                self.taken = bytearray()

            def write(self, data: Any, /) -> int:
                self.taken += data[:777]
                return min(777, len(data))

        target, data = Slow(), sealed_vectors.filled("slow", 150_000)
        with SEALING.writer(target, WORK) as writer:
            writer.write(data)
        self.assertEqual(SEALING.unprotect(target.taken), data)

    def test_a_writer_that_failed_seals_nothing_more(self) -> None:
        """Else a second try would seal other data under a nonce that was used."""
        with open("/dev/full", "wb", buffering=0) as full:
            self.assertRaises(OSError, SEALING.writer, full, WORK)
        for size in (10, 3 * CHUNK):
            target = Failing()
            writer = SEALING.writer(target, WORK)
            target.fails = True
            with self.assertRaises(OSError):
                writer.write(bytes(size))
                writer.finish()
            target.fails = False
            for again in (lambda _: writer.write(b"x"), lambda _: writer.finish()):
                self.assertEqual(outcome(again, None), (101, ""))
            self.assertFalse(writer.is_finished)

    def test_a_writer_that_ended_takes_no_more(self) -> None:
        target = io.BytesIO()
        with SEALING.writer(target, WORK) as writer:
            pass
        self.assertEqual((SEALING.unprotect(target.getvalue()), writer.is_finished), (b"", True))
        self.assertEqual(outcome(lambda _: writer.write(b"x"), None), (101, ""))
        with self.assertRaises(KeyError), SEALING.writer(target := io.BytesIO(), WORK) as writer:
            writer.write(b"x")
            raise KeyError
        self.assertEqual(outcome(SEALING.unprotect, target.getvalue()), (103, "damaged"))

    def test_more_than_an_object_may_have_is_refused(self) -> None:
        with patch.object(_sealed_streams, "LONGEST_DATA", 100_000), SEALING.writer(Nothing(), WORK) as writer:
            writer.write(bytes(100_000))
            self.assertEqual(outcome(lambda _: writer.write(b"x"), None), (102, "tooLong"))


class Replacing(FolderCase):
    def test_a_file_is_replaced_whole_or_not_at_all(self) -> None:
        self.create(b"old")
        with self.assertRaises(KeyError), SEALING.create(self.file, WORK) as file:
            file.write(bytes(200_000))
            self.assertEqual(self.read(), b"old")
            raise KeyError
        self.assertEqual((self.read(), self.names()), (b"old", ["report"]))
        with SEALING.create(self.file, WORK) as file:
            file.write(b"new")
            self.assertEqual(self.read(), b"old")
        self.assertEqual((self.read(), self.names()), (b"new", ["report"]))

    def test_an_error_that_the_program_passes_over_replaces_nothing(self) -> None:
        self.create(b"old")
        with self.assertRaises(SealingError), SEALING.create(self.file, WORK) as file:
            file.abandon()
        self.assertEqual((self.read(), self.names()), (b"old", ["report"]))

    def test_without_a_key_the_old_file_stays(self) -> None:
        self.create(b"old")

        def none(request: KeyRequest) -> DataKey | None:
            raise SealingError(102, "noKey")

        with self.assertRaises(SealingError), Sealing(none).create(self.file, WORK):
            self.fail("it began")
        self.assertEqual((self.read(), self.names()), (b"old", ["report"]))

    def test_a_program_that_is_killed_leaves_the_old_file(self) -> None:
        self.create(b"old")
        program = (
            "import sys, os, signal; from webviewguard import *\n"
            "s = Sealing(lambda said: DataKey(bytes(32), '00' * 16, '00' * 16))\n"
            f"with s.create({str(self.file)!r}, 'a') as file:\n"
            "  file.write(bytes(1 << 20)); os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        source = Path(_sealed_streams.__file__).parents[1]
        ended = subprocess.run([sys.executable, "-c", program], cwd=source, check=False)
        self.assertEqual(ended.returncode, -signal.SIGKILL)
        self.assertEqual(self.read(), b"old")
        (left,) = (name for name in self.names() if name != "report")
        self.assertRegex(left, r"\A\.report\.[0-9a-f]{16}\.new\Z")
        zero = Sealing(lambda request: DataKey(bytes(32), "00" * 16, "00" * 16))
        self.assertEqual(outcome(zero.open, self.folder / left), (103, "damaged"))

    def test_permissions_and_links_stay(self) -> None:
        self.create(b"old")
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o666 & ~umask())
        self.file.chmod(0o640)
        link = self.folder / "link"
        link.symlink_to("report")
        with SEALING.create(link, WORK) as file:
            file.write(b"new")
        self.assertTrue(link.is_symlink())
        self.assertEqual((self.read(), self.file.stat().st_mode & 0o777), (b"new", 0o640))

    def test_a_name_as_long_as_the_file_system_takes(self) -> None:
        for name in ("x" * 255, "ü" * 127, "\N{GRINNING FACE}" * 63):
            file = self.folder / name
            with SEALING.create(file, WORK) as sealed:
                sealed.write(b"new")
            self.assertEqual(self.names(), [name])
            file.unlink()

    def read(self) -> bytes:
        with SEALING.open(self.file) as file:
            return file.readall()

    def names(self) -> list[str]:
        return sorted(os.listdir(self.folder))


class Sequence(io.RawIOBase):
    """The chunks of `Zeros`, one after the other."""

    def __init__(self, file: Zeros) -> None:
        self._file, self._place, self._left = file, 0, b""
        self._end = file.seek(0, os.SEEK_END)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if not self._left and self._place < self._end:
            self._file.seek(self._place)
            self._left = self._file.read(-1)
            self._place += len(self._left)
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


class Failing(Nothing):
    fails = False

    def write(self, data: Any, /) -> int:
        if self.fails:
            raise OSError("the disk is full")
        return super().write(data)


def noted(pieces: Iterator[bytes], into: list[bytes]) -> Iterator[bytes]:
    """Keeps what came before an error."""
    for piece in pieces:
        into.append(piece)
    yield from ()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
