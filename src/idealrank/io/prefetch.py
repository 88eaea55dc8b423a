"""Read a run on another core while Python imports the modules that evaluate it."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank.errors import OptionError
from idealrank.io.files import Progress, fed_blocks


class RunAhead(os.PathLike[str]):
    """The path of a file that is probably a TREC run, and that a thread has begun to read.

    `read_run` takes over what the thread has read, and reads the rest. To all other code this is an ordinary path, so
    a file that turns out not to be a run is simply opened again. An error in the thread, which for such a file comes at
    its first line, is raised by `take` only.

    The thread does not need NumPy, whose import is most of what it overlaps with. It uses all cores but one, and is not
    started if there is only one.

    Parameters
    ----------
    path : str
        A regular file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from idealrank.io.trec import read_run
    >>> size = Path("bm25.run").write_text("q1 Q0 d1 1 9.5 bm25")
    >>> read_run(RunAhead("bm25.run"))["q1"]
    {'d1': 9.5}
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._reader: _native.RunReader | None = _native.RunReader(True)
        self._n_threads = 1
        self._steps = fed_blocks(path, self._reader, lambda: self._n_threads)
        self._is_wanted = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._read)
        # `take` raises the error for a wrong number of threads. If the system cannot start a
        # thread, it reads everything itself.
        with suppress(OptionError, RuntimeError):
            self._n_threads = resolve_threads(None) - 1
            if self._n_threads:
                self._thread.start()

    def __fspath__(self) -> str:
        return self._path

    def _read(self) -> None:
        try:
            for _ in self._steps:
                if self._is_wanted:
                    return
        except BaseException as error:
            self._error = error

    def take(self, n_threads: int | None, progress: Progress | None) -> _native.RunReader | None:
        """Read the rest, and return the reader; None if it was taken before.

        Parameters
        ----------
        n_threads : int or None
            The number of threads for the rest, as in `read_run`.
        progress : callable or None
            As in `read_run`.
        """
        reader, self._reader = self._reader, None
        if reader is None:
            return None
        self._stop()
        self._n_threads = resolve_threads(n_threads)
        if self._error is not None:
            raise self._error
        for position, size in self._steps:
            if progress is not None:
                progress(position, size)
        return reader

    def close(self) -> None:
        """Stop reading, and close the file; from then on it is only a path."""
        self._stop()
        self._steps.close()
        self._reader = self._error = None  # an error refers to everything that was read

    def _stop(self) -> None:
        self._is_wanted = True
        if self._thread.ident is not None:
            self._thread.join()
