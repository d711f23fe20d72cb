"""A file of lines that several processes append to while something else rotates it."""

from __future__ import annotations

import contextlib
import math
import os
import stat
import time
from os import PathLike
from typing import Final

__all__ = ["LineFile"]

_LOOK_S: Final = 1.0


class LineFile:
    """Appends whole lines to the file that a path names, also after that was renamed or removed.

    The caller holds a lock.

    Args:
        path: The file; made with mode 0640 when it is missing.

    Raises:
        OSError: It can't be opened.
        TypeError, ValueError: The path is none.

    Attributes:
        path: The file, from the root of the file system.
        fd: What lines are written to.
        torn: Whether the file ends in the midst of a line.
        looked: When the path was looked at last, in seconds since the epoch; infinity while the file is closed.
        look_again: When it is to be looked at again.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_identity", "fd", "look_again", "looked", "path", "torn")

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = os.path.abspath(os.fsdecode(path))  # noqa: PTH100  # links may be changed by rotation
        self._identity = (0, 0)
        self.fd = -1
        self.torn = False
        self.looked = self.look_again = math.inf
        self._open()

    def write(self, line: bytes) -> None:
        """Write a line.

        Args:
            line: With its line feed.

        Raises:
            OSError: It isn't in the file, or not the whole of it.
        """
        if self.fd < 0:
            self._open()
        elif not self.looked <= time.time() < self.look_again:
            self._follow()
        # After a write that broke off, the next line must not be glued to the half one.
        self.finish(b"\n" + line if self.torn else line, 0)

    def finish(self, line: bytes, written: int) -> None:
        """Write what is left of a line.

        Args:
            line: With its line feed.
            written: How many bytes of it are in the file.

        Raises:
            OSError: The rest isn't in the file.
        """
        try:
            while written < len(line):
                written += os.write(self.fd, line[written:])
        except OSError:
            self.torn = self.torn or written > 0
            raise
        self.torn = False

    def close(self) -> None:
        """Close the file; a line that comes later opens it again."""
        if self.fd >= 0:
            with contextlib.suppress(OSError):
                # Nothing is buffered here, so a failing close loses nothing.
                os.close(self.fd)
            self.fd = -1
            self.looked = math.inf

    def _open(self) -> None:
        fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o640)
        self.close()
        self.fd = fd
        status = os.fstat(fd)
        self._identity = (status.st_dev, status.st_ino)
        self.torn = stat.S_ISREG(status.st_mode) and status.st_size > 0 and not self._ends_in_line_feed()
        self._looked_now()

    def _ends_in_line_feed(self) -> bool:
        try:
            # Not open(), which is gone when the interpreter ends.
            fd = os.open(self.path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
            try:
                os.lseek(fd, -1, os.SEEK_END)
                return os.read(fd, 1) == b"\n"
            finally:
                os.close(fd)
        except OSError:
            # It may be written but not read: a blank line between two others does no harm.
            return False

    def _looked_now(self) -> None:
        self.looked = time.time()
        self.look_again = self.looked + _LOOK_S

    def _follow(self) -> None:
        """Open the path anew if it names another file by now."""
        self._looked_now()
        try:
            status = os.stat(self.path)  # noqa: PTH116  # a third of the time of a Path
        except FileNotFoundError:
            pass
        else:
            if (status.st_dev, status.st_ino) == self._identity:
                return
        try:
            self._open()
        except OSError:
            # Whoever renamed it makes the new one in a moment, and until then the old one takes records.
            if os.fstat(self.fd).st_nlink == 0:
                raise
