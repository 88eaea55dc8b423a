"""Files and frames to data, and back: one file per format."""

from typing import NamedTuple

__all__ = ["FORMATS", "Listing"]


class Listing(NamedTuple):
    """What is known of a format before its module is imported.

    Parameters
    ----------
    module : str
        The module of this package that defines the `Format`, under the name of the format in capitals.
    title : str
        What the format is called in a sentence.
    endings : tuple of str
        Endings of names, before ".gz" or ".xz", that suggest the format.
    word : str, optional
        A word in names that suggests the format, stronger than the endings .txt and .dat.

    Examples
    --------
    >>> FORMATS["qrels"].title
    'TREC judgments'
    """

    module: str
    title: str
    endings: tuple[str, ...]
    word: str | None = None


#: Every format by its name; the first whose content looks like a file's is the file's.
FORMATS = {
    "letor": Listing("letor", "LETOR text", (".letor", ".svm", ".svmlight", ".libsvm", ".txt", ".dat")),
    "qrels": Listing("trec", "TREC judgments", (".qrels",), word="qrels"),
    "run": Listing("trec", "a TREC run", (".run", ".results"), word="run"),
    "parquet": Listing("tables", "Parquet", (".parquet", ".pq")),
    "csv": Listing("tables", "CSV", (".csv",)),
}
