"""The formats of files: what is known of each before its module is imported."""

from typing import NamedTuple


class Listing(NamedTuple):
    """Facts about a format that are known before its module is imported.

    Parameters
    ----------
    module : str
        The module of this package that defines the `Format`, as a constant with the name of the format in capitals.
    title : str
        Name of the format in a sentence.
    endings : tuple of str
        Endings of file names, before one such as ".gz", that suggest the format.
    word : str, optional
        A word in file names that suggests the format; it takes precedence over the endings .txt and .dat.

    Examples
    --------
    >>> FORMATS["qrels"].title
    'TREC judgments'
    """

    module: str
    title: str
    endings: tuple[str, ...]
    word: str | None = None


#: Every format by its name, in the order in which the content of a file is compared with them.
FORMATS = {
    "letor": Listing("letor", "LETOR text", (".letor", ".svm", ".svmlight", ".libsvm", ".txt", ".dat")),
    "subtopics": Listing("trec", "TREC judgments by subtopic", (".diversity",), word="diversity"),
    "qrels": Listing("trec", "TREC judgments", (".qrels",), word="qrels"),
    "msmarco": Listing("msmarco", "an MS MARCO run", ()),
    "run": Listing("trec", "a TREC run", (".run", ".results"), word="run"),
    "parquet": Listing("parquet_csv", "Parquet", (".parquet", ".pq")),
    "rank_eval": Listing("rank_eval", "JSON of _rank_eval", ()),
    "json": Listing("nested_json", "JSON", (".json",)),
    "csv": Listing("parquet_csv", "CSV", (".csv",)),
}
