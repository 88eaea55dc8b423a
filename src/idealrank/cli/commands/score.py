"""``idealrank score``: one score per document, by a model that ``idealrank train`` or `learners.save` wrote."""

from __future__ import annotations

import click

from idealrank.cli.support.command import Command
from idealrank.cli.support.shared_options import (
    OUTPUT,
    data_options,
    feature_column_options,
    kind_of_features,
    named_columns,
)


@click.command("score", cls=Command)
@click.argument("model")
@click.argument("data")
@click.option(
    "-o", "--out", type=OUTPUT, default="-", metavar="FILE", help="The file to write; standard output by default."
)
@click.option("--run", "tag", metavar="TAG", help="Write a TREC run with this tag.")
@feature_column_options("query", "doc")
@data_options
def command(
    model: str,
    data: str,
    out: str,
    tag: str | None,
    query: str | None,
    doc: str | None,
    from_kind: str | None,
    group: str | None,
    quiet: bool,
) -> None:
    """Score the documents in DATA by the model in the file MODEL.

    Scores are written one per line, in the order of DATA, as 'idealrank evaluate' reads them; with --run, as a TREC
    run. DATA is LETOR text, Parquet or CSV; its labels are not used. Columns must have the names that they had in
    training.

    \b
    Examples:
      idealrank score model.json test.txt -o scores.txt
      idealrank score model.json test.txt --run mine -o mine.run
    """
    kind = kind_of_features(data, from_kind)
    columns = named_columns(data, [kind], query=query, doc=doc)

    from dataclasses import replace

    from idealrank.cli.support.terminal import note, notes, reading
    from idealrank.io.conversion import as_wide, by_query, read_features, size_of
    from idealrank.io.formats import load as load_format
    from idealrank.io.score_files import write_scores
    from idealrank.learners.files.models import load

    ranker = load(model)
    names = getattr(ranker, "feature_names_in_", None)
    with reading(data, quiet=quiet) as progress:
        documents = read_features(data, kind, columns, group=group, names=names, judged=False, progress=progress)
    notes(documents.problems, quiet=quiet)
    documents = as_wide(documents, kind, ranker.n_features_in_)
    scores = ranker.predict(documents)
    if tag is None:
        write_scores(documents.to_input(scores), out)
    else:
        if documents.doc_ids is None:
            note("documents have no ids: their row numbers, from 0, are used", quiet=quiet)
        load_format("run").write(by_query(replace(documents, labels=scores), tag), out)
    if out != "-":
        what = "scores are" if tag is None else "run is"
        note(f"scored {size_of(documents)}; the {what} in {out}", quiet=quiet)
