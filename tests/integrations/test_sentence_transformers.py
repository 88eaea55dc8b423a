"""Losses and an evaluator on the real CrossEncoder of sentence-transformers."""

from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.errors import DataError

pytest.importorskip("sentence_transformers", reason="pip install sentence-transformers")
torch = pytest.importorskip("torch")
from idealrank.integrations import sentence_transformers as ours  # noqa: E402

QUERIES = ["red apple", "blue sky", "old book"]
DOCUMENTS = [
    ["a red apple on a tree", "an apple", "the train to town", "a red car"],
    ["the sky is blue today", "blue paint", "bread and butter"],
    ["an old book of maps", "a new phone", "book a table", "old friends", "rain"],
]
LABELS = [[2, 1, 0, 0], [2, 1, 0], [2, 0, 1, 1, 0]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model with random weights, so that nothing is downloaded."""
    transformers = pytest.importorskip("transformers")
    path: Path = tmp_path_factory.mktemp("model")
    words = sorted({word for text in [*QUERIES, *(doc for docs in DOCUMENTS for doc in docs)] for word in text.split()})
    (path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]), encoding="utf-8")
    transformers.BertTokenizer(vocab=str(path / "vocab.txt")).save_pretrained(path)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words) + 5, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        num_labels=1, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(path)
    return path


@pytest.fixture
def model(folder: Path) -> Any:
    from sentence_transformers import CrossEncoder

    return CrossEncoder(str(folder), device="cpu")


@pytest.mark.parametrize("loss", ["cross_entropy", "lambda_rank", "approx_ndcg"])
def test_a_loss_trains_the_model(model: Any, loss: str) -> None:
    criterion = ours.CrossEncoderLoss(model, loss, mini_batch_size=5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    evaluator = ours.RankingEvaluator(
        [{"query": q, "documents": d, "labels": label} for q, d, label in zip(QUERIES, DOCUMENTS, LABELS, strict=True)]
    )
    before = evaluator(model)
    labels = [torch.tensor(each) for each in LABELS]
    for _ in range(40):
        optimizer.zero_grad()
        criterion([QUERIES, DOCUMENTS], labels).backward()
        optimizer.step()
    after = evaluator(model)
    assert after["ndcg@10"] > max(before["ndcg@10"], 0.95)
    assert evaluator.primary_metric == "ndcg@10"


@pytest.mark.parametrize("loss", ["cross_entropy", "lambda_rank", "list_mle", "approx_ndcg"])
def test_the_value_does_not_depend_on_the_length_of_other_lists(model: Any, loss: str) -> None:
    criterion = ours.CrossEncoderLoss(model, loss)
    with torch.no_grad():
        alone = [
            criterion([[query], [docs]], [torch.tensor(labels)]).item()
            for query, docs, labels in zip(QUERIES, DOCUMENTS, LABELS, strict=True)
        ]
        together = criterion([QUERIES, DOCUMENTS], [torch.tensor(each) for each in LABELS]).item()
    assert_allclose(together, sum(alone) / 3, rtol=1e-5, atol=1e-6)


def test_the_evaluator_gives_the_numbers_of_evaluate(model: Any) -> None:
    samples = [{"query": "red apple", "positive": ["an apple", "a red car"], "negative": ["rain"]}]
    found = ours.RankingEvaluator(samples, ["ndcg@2", "rr"], name="dev", like="sklearn")(model)
    scores = model.predict([("red apple", doc) for doc in ("an apple", "a red car", "rain")])
    expected = ir.evaluate([1, 1, 0], scores, ["ndcg@2", "rr"], like="sklearn").mean
    assert_allclose(list(found.values()), list(expected.values()), rtol=1e-6, atol=1e-6)
    assert list(found) == ["dev_ndcg@2", "dev_rr"]


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ({"documents": ["a"], "labels": [1]}, "no 'query'"),
        ({"query": "q", "documents": ["a"]}, "needs 'documents' and 'labels'"),
        ({"query": "q", "documents": ["a"], "labels": [1, 0]}, "1 document and 2 labels"),
    ],
)
def test_samples_that_are_not_complete(sample: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        ours.RankingEvaluator([sample])


def test_labels_that_do_not_fit(model: Any) -> None:
    with pytest.raises(DataError, match="one label per document"):
        ours.CrossEncoderLoss(model)([["a"], [["x", "y"]]], [torch.tensor([1])])
