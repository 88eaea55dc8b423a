"""sentence-transformers: losses for a CrossEncoder, and an evaluator with any measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from idealrank._core.extras import needs
from idealrank._present.printable import counted
from idealrank.errors import DataError
from idealrank.evaluation.evaluate import evaluate
from idealrank.evaluation.inputs import Measures, named_measures
from idealrank.integrations.torch import RankingLoss
from idealrank.losses import Loss
from idealrank.measures.conventions import Convention, convention

with needs("torch"):
    import torch
with needs("sentence_transformers"):
    from sentence_transformers.base.evaluation.evaluator import BaseEvaluator
    from sentence_transformers.util import batch_to_device

__all__ = ["CrossEncoderLoss", "RankingEvaluator"]


class CrossEncoderLoss(torch.nn.Module):
    """Any ranking loss for a CrossEncoder and its trainer.

    The inputs are the same as for the listwise losses of sentence-transformers: queries, a list of documents for each
    query, and a list of labels for each query. Lists of different lengths are not padded, so that the value of a query
    does not depend on the other queries in its batch.

    Parameters
    ----------
    model : sentence_transformers.CrossEncoder
        A model with one output.
    loss : str or Loss
        A loss of `idealrank.losses`, or its name.
    mini_batch_size : int
        The number of (query, document) pairs that the model processes at a time.

    Examples
    --------
    >>> from datasets import Dataset  # doctest: +SKIP
    >>> from idealrank.integrations.sentence_transformers import CrossEncoderLoss
    >>> from sentence_transformers.cross_encoder import CrossEncoder, CrossEncoderTrainer  # doctest: +SKIP
    >>> columns = {"query": ["capital of France"], "docs": [["Paris", "Rome"]], "labels": [[1, 0]]}
    >>> dataset = Dataset.from_dict(columns)  # doctest: +SKIP
    >>> model = CrossEncoder("cross-encoder/ms-marco-MiniLM-L6-v2")  # doctest: +SKIP
    >>> loss = CrossEncoderLoss(model, "lambda_rank")  # doctest: +SKIP
    >>> CrossEncoderTrainer(model=model, train_dataset=dataset, loss=loss).train()  # doctest: +SKIP
    """

    def __init__(self, model: Any, loss: str | Loss = "approx_ndcg", *, mini_batch_size: int = 64) -> None:
        super().__init__()
        if model.num_labels != 1:
            raise DataError(f"a ranking loss needs a model with one output, got one with {model.num_labels}")
        self.model, self.loss, self.mini_batch_size = model, RankingLoss(loss), mini_batch_size

    def forward(
        self,
        inputs: Sequence[Sequence[Any]],
        labels: Sequence[torch.Tensor] | torch.Tensor,
        prompt: str | None = None,
        task: str | None = None,
    ) -> torch.Tensor:
        """Compute the mean loss over the queries of a batch.

        Parameters
        ----------
        inputs : sequence of two sequences
            The queries, and the list of documents of each query.
        labels : sequence of Tensor
            One tensor of labels per query.
        prompt, task : str, optional
            Passed to the model's preprocessing.

        Returns
        -------
        Tensor
            The loss, a scalar.

        Raises
        ------
        DataError
            If the numbers of documents and labels do not match.
        """
        if len(inputs) != 2:
            raise DataError(f"expected queries and lists of documents, got {len(inputs)} inputs")
        queries, documents = inputs
        sizes = [len(docs) for docs in documents]
        if isinstance(labels, torch.Tensor) or [len(each) for each in labels] != sizes:
            raise DataError(f"expected one label per document: lists of {sizes} documents")
        pairs = [(query, doc) for query, docs in zip(queries, documents, strict=True) for doc in docs]
        options = {name: value for name, value in (("prompt", prompt), ("task", task)) if value is not None}
        parts = []
        for start in range(0, len(pairs), self.mini_batch_size):
            tokens = self.model.preprocess(pairs[start : start + self.mini_batch_size], **options)
            parts.append(self.model(batch_to_device(tokens, self.model.device))["scores"].view(-1))
        offsets = torch.tensor([0, *sizes]).cumsum(0)
        flat = torch.cat([torch.as_tensor(each).float() for each in labels])
        value: torch.Tensor = self.loss(flat, torch.cat(parts).float(), offsets)
        return value

    def get_config_dict(self) -> dict[str, Any]:
        """Return the parameters, for model cards.

        Returns
        -------
        dict
            The parameters by name.
        """
        return {"loss": str(self.loss.loss), "mini_batch_size": self.mini_batch_size}


class RankingEvaluator(BaseEvaluator):  # type: ignore[misc]
    """Evaluate a CrossEncoder with any measures and graded labels.

    Parameters
    ----------
    samples : iterable of mapping
        Mappings with the key "query", and either "documents" and "labels", or "positive" and "negative" documents.
    measures : str, Measure or iterable of these
        The measures to compute; the first one selects models.
    name : str
        A prefix of the names of metrics.
    like : str or Convention
        The convention for options that the measures leave unset.
    batch_size : int
        The number of (query, document) pairs that the model processes at a time.

    Examples
    --------
    >>> from idealrank.integrations.sentence_transformers import RankingEvaluator
    >>> class Model:
    ...     def predict(self, pairs, **_):
    ...         return [len(document) for _, document in pairs]
    >>> samples = [{"query": "a", "documents": ["x", "long"], "labels": [1, 0]}]
    >>> RankingEvaluator(samples, "rr", name="dev")(Model())
    {'dev_rr': 0.5}
    """

    def __init__(
        self,
        samples: Iterable[Mapping[str, Any]],
        measures: Measures = ("ndcg@10", "rr@10", "ap"),
        *,
        name: str = "",
        like: str | Convention = "idealrank",
        batch_size: int = 64,
    ) -> None:
        super().__init__()
        self.name, self.batch_size, self.convention = name, batch_size, convention(like)
        self.measures = named_measures(measures)
        self.samples = [_labeled(place, sample) for place, sample in enumerate(samples)]
        if not self.samples:
            raise DataError("there are no samples to evaluate on")
        first, own = next(iter(self.measures.items()))
        self.greater_is_better = not own.lower_is_better
        self.primary_metric = f"{name}_{first}" if name else first

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """Return {metric: mean over queries}.

        Parameters
        ----------
        model : sentence_transformers.CrossEncoder
            The model.
        output_path, epoch, steps
            Passed by trainers.

        Returns
        -------
        dict
            The values.
        """
        pairs = [(query, doc) for query, docs, _ in self.samples for doc in docs]
        scores = np.asarray(model.predict(pairs, batch_size=self.batch_size, show_progress_bar=False), np.float64)
        labels = np.concatenate([labels for _, _, labels in self.samples])
        sizes = [len(docs) for _, docs, _ in self.samples]
        evaluation = evaluate(
            labels, scores.reshape(-1), list(self.measures.values()), like=self.convention, group=sizes
        )
        means = dict(zip(self.measures, evaluation.mean.values(), strict=True))
        metrics = {f"{self.name}_{name}" if self.name else name: value for name, value in means.items()}
        if hasattr(model, "model_card_data"):
            self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return metrics


def _labeled(place: int, sample: Mapping[str, Any]) -> tuple[str, list[Any], np.ndarray[Any, np.dtype[np.float64]]]:
    """Return the query, the documents and their labels."""
    if "query" not in sample:
        raise DataError("a sample has no 'query'", row=place)
    if "documents" in sample and "labels" in sample:
        documents, labels = list(sample["documents"]), np.asarray(sample["labels"], np.float64)
    elif "positive" in sample and "negative" in sample:
        positive, negative = (
            [given] if isinstance(given, str) else list(given) for given in (sample["positive"], sample["negative"])
        )
        documents, labels = positive + negative, np.repeat([1.0, 0.0], [len(positive), len(negative)])
    else:
        raise DataError("a sample needs 'documents' and 'labels', or 'positive' and 'negative'", row=place)
    if len(documents) != labels.size or not documents:
        raise DataError(
            f"a sample has {counted(len(documents), 'document')} and {counted(labels.size, 'label')}", row=place
        )
    return str(sample["query"]), documents, labels
