"""Ten published numbers and what explains them: ``python -m benchmarks.published_numbers FOLDER [--write]``.

FOLDER has qrels.txt and runs/ of the TREC Deep Learning track 2019, passages: data/dl2019/2019qrels-pass.txt and
trec-dl-2019/runs-compressed/deep/input.* of https://github.com/naghmefarzi/llmjudge, decompressed.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import idealrank as ir
from benchmarks.which_measure import between_markers
from idealrank.results import PublishedExplanation

PAGE = Path(__file__).parents[1] / "docs" / "faq.md"
START, END = "<!-- published_numbers: table -->", "<!-- end of published_numbers -->"
ANSERINI = "[Anserini](https://github.com/castorini/anserini/blob/master/docs/regressions/regressions-dl19-passage.md)"
NIST = "[NIST](https://pages.nist.gov/trec-browser/trec28/deep/results/)"
TORCHMETRICS = "[TorchMetrics](https://lightning.ai/docs/torchmetrics/v1.0.0/retrieval/normalized_dcg.html)"


@dataclass(frozen=True)
class Published:
    """A number, where it was published, and the measure that a reader computes."""

    source: str
    system: str
    measure: str
    number: str

    def explained(self, folder: Path) -> PublishedExplanation:
        """Return the explanation of the number."""
        if self.source == TORCHMETRICS:
            return ir.explain([10, 0, 0, 1, 5], [0.1, 0.2, 0.3, 4, 70], self.measure, published=self.number)
        paths = folder / "qrels.txt", folder / "runs" / self.system
        return ir.explain(*paths, self.measure, published=self.number)


NUMBERS = (
    Published(ANSERINI, "bm25base_p", "ap", "0.3013"),
    Published(ANSERINI, "bm25tuned_p", "ap", "0.2903"),
    Published(ANSERINI, "bm25tuned_p", "recall@1000", "0.7450"),
    Published(NIST, "TUA1-1", "ap(rel=2)", "0.4723"),
    Published(NIST, "TUA1-1", "rr", "0.8702"),
    Published(NIST, "TUA1-1", "bpref", "0.4858"),
    Published(NIST, "TUW19-p3-f", "p@10", "0.5977"),
    Published(NIST, "ICT-CKNRM_B", "recall@100", "0.3017"),
    Published(NIST, "runid3", "ndcg", "0.6975"),
    Published(TORCHMETRICS, "its example", "ndcg", "0.6957"),
)


def table(folder: Path) -> str:
    """Return the table in Markdown."""
    lines = [
        "| published by | run | number | you compute | and get | explanation | by chance |",
        "| --- | --- | ---: | --- | ---: | --- | ---: |",
    ]
    for each in NUMBERS:
        result = each.explained(folder)
        best = result.best
        why, chance = ("none", "") if best is None else ("; ".join(best.changes), f"{best.chance:.1%}")
        cells = [each.source, each.system, each.number, f"`{each.measure}`", f"{result.mean:.4f}", why, chance]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    options = parser.parse_args()
    text = table(options.folder)
    if options.write:
        PAGE.write_text(between_markers(PAGE.read_text(encoding="utf-8"), START, END, text), encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
