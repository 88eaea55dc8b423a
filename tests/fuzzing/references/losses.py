"""Values of losses by their definitions, with 60 digits, for one query; gradients are differences of such values.

The definitions are those of the papers and of the documentation; no kernel of the package is used. Only the names of
options are read from the loss.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import oracles
from mpmath import mp, mpf

from fuzzing.references.noisy_rankings import noisy_rankings
from idealrank import gains, measures
from idealrank.losses import Loss

__all__ = ["VALUES", "gradients", "value"]

mp.dps = 60
_STEP = mpf(10) ** -25

Numbers: TypeAlias = Sequence[Any]


def value(loss: Loss, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    """Return the loss of one query."""
    return VALUES[type(loss).__name__](loss, labels, [mpf(s) for s in scores], [mpf(w) for w in weights])


def gradients(loss: Loss, labels: Numbers, scores: Numbers, weights: Numbers) -> list[tuple[Any, Any]]:
    """Return the slope to the left and to the right by each score; they differ only at a kink."""
    exact = [mpf(s) for s in scores]
    fixed = _Fixed(loss, labels, scores)
    here = fixed.value(exact, weights)
    found = []
    for i in range(len(exact)):
        slopes = []
        for step in (-_STEP, _STEP):
            moved = [*exact[:i], exact[i] + step, *exact[i + 1 :]]
            slopes.append((fixed.value(moved, weights) - here) / step)
            if not _has_kinks(loss):
                slopes.append(slopes[0])
                break
        found.append((min(slopes), max(slopes)))
    return found


def _has_kinks(loss: Any) -> bool:
    has_kink = getattr(loss, "surrogate", "") == "hinge" or getattr(loss, "activation", "") in ("atan", "relu")
    return has_kink or type(loss).__name__ in ("Hinge", "NeuralNDCG", "SoftmaxAtK")


class _Fixed:
    """A loss whose weights stay those of the scores given, as those of LambdaRank and LambdaLoss do."""

    def __init__(self, loss: Loss, labels: Numbers, scores: Numbers) -> None:
        self.loss, self.labels = loss, labels
        self.held = [mpf(s) for s in scores]

    def value(self, scores: Numbers, weights: Numbers) -> Any:
        if type(self.loss).__name__ in _OF_ORDERS:
            return _OF_ORDERS[type(self.loss).__name__](self.loss, self.labels, scores, weights, self.held)
        return VALUES[type(self.loss).__name__](self.loss, self.labels, scores, [mpf(w) for w in weights])


def _gains(gain: Any, labels: Numbers, weights: Numbers) -> list[Any]:
    match gain:
        case None | gains.Exp2():
            worth = [mpf(2) ** mpf(label) - 1 for label in labels]
        case gains.Linear():
            worth = [mpf(label) for label in labels]
        case gains.Binary(rel):
            worth = [mpf(1 if label >= rel else 0) for label in labels]
        case _:
            raise NotImplementedError(f"no reference for the gain {gain!r}: write one here")
    return [g * w for g, w in zip(worth, weights, strict=True)]


def _discount(discount: Any, position: Any, n: int) -> Any:
    match str(discount).split(":"):
        case ["log"]:
            return mp.log(2) / mp.log(1 + position)
        case ["log", base]:
            return mp.log(mpf(base)) / mp.log(1 + position)
        case ["zipf"]:
            return 1 / mpf(position)
        case ["power", beta]:
            return mpf(position) ** -mpf(beta)
        case ["geometric"]:
            return mpf(2) ** -position
        case ["geometric", base]:
            return mpf(base) ** -position
        case ["linear"]:
            return mpf(n) - position
    raise NotImplementedError(f"no reference for the discount {discount!r}: write one here")


def _norm(worth: Numbers, discount: Any, k: int | None, n: int) -> Any:
    return mp.fsum(g * _discount(discount, mpf(r), n) for r, g in enumerate(sorted(worth, reverse=True)[:k], 1))


def _log_sum_exp(terms: Numbers) -> Any:
    return mp.log(mp.fsum(mp.exp(term) for term in terms))


def _pairs(labels: Numbers) -> list[tuple[int, int]]:
    n = range(len(labels))
    return [(i, j) for i in n for j in n if labels[i] > labels[j]]


# Listwise


def _targets(loss: Any, labels: Numbers, weights: Numbers) -> list[Any] | None:
    """Return gains over their norm; None if the query is not ranked."""
    worth = _gains(loss.gain, labels, weights)
    if loss.normalizer is None:
        return worth
    k = None if loss.normalizer == "dcg" else oracles.depth_of(loss.normalizer, len(labels))
    norm = _norm(worth, loss.discount, k, len(labels))
    if norm <= 0 or len(labels) < 2:
        return None
    return [g / norm for g in worth]


def _dot(a: Numbers, b: Numbers) -> Any:
    return mp.fsum(x * y for x, y in zip(a, b, strict=True))


def _least_squares(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    target = _targets(loss, labels, weights)
    return mpf(0) if target is None else mp.fsum((s - u) ** 2 for s, u in zip(scores, target, strict=True))


def _cosine(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    target = _targets(loss, labels, weights)
    if target is None or (loss.normalizer is None and (not any(target) or len(labels) < 2)):
        return mpf(0)
    size = mpf(1) if loss.normalizer is not None else mp.sqrt(_dot(target, target))
    length = mp.sqrt(_dot(scores, scores))
    return 1 - (_dot(scores, target) / (length * size) if length else 0)


def _cross_entropy(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    if not labels:
        return mpf(0)
    if loss.normalizer is None:
        ones = [mpf(1)] * len(labels)
        logits = [mpf(label) for label in labels] if loss.gain is None else _gains(loss.gain, labels, ones)
        raw = [w * mp.exp(t) for t, w in zip(logits, weights, strict=True)]
        total = mp.fsum(raw)
        if not total:
            return mpf(0)
        target, logs = [t / total for t in raw], [s - _log_sum_exp(scores) for s in scores]
    else:
        found = _targets(loss, labels, weights)
        if found is None:
            return mpf(0)
        target, logs = found, list(scores)
    return mp.fsum((p * (mp.log(p) - q) if p else 0) - p + mp.exp(q) for p, q in zip(target, logs, strict=True))


def _length(numbers: Numbers, q: Any) -> Any:
    total = mp.fsum(abs(x) ** q for x in numbers)
    return total ** (1 / mpf(q)) if total else mpf(0)


def _q_norm(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    target = _targets(loss, labels, weights)
    if target is None or not labels:
        return mpf(0)
    q = mp.log(len(labels)) + 2 if loss.q == "auto" else mpf(loss.q)
    length = _length(scores, q)
    if loss.form == "penalized":
        return length**2 - 2 * _dot(scores, target)
    return -_dot(scores, target) / length if length else mpf(0)


def _bregman(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    target = _targets(loss, labels, weights)
    if target is None or not labels:
        return mpf(0)
    scale = mpf(1) if loss.link is None else mpf(str(loss.link).split(":")[1])
    moved = [scale * s for s in scores]
    match str(loss.psi).split(":"):
        case ["squared"]:
            psi, conjugate = _dot(target, target) / 2, _dot(moved, moved) / 2
        case ["kl"]:
            psi = mp.fsum((u * mp.log(u) if u else 0) - u for u in target)
            conjugate = mp.fsum(mp.exp(t) for t in moved)
        case ["pnorm", p]:
            psi, conjugate = _length(target, mpf(p)) ** 2, _length(moved, mpf(p) / (mpf(p) - 1)) ** 2 / 4
        case _:
            raise NotImplementedError(f"no reference for the potential {loss.psi!r}: write one here")
    return psi + conjugate - _dot(moved, target)


def _list_mle(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    order = sorted(range(len(labels)), key=lambda i: -labels[i])
    total = mpf(0)
    for place, i in enumerate(order):
        later = order[place:] if loss.ties == "stable" else [j for j in order if labels[j] <= labels[i]]
        total += weights[i] * (_log_sum_exp([scores[j] for j in later]) - scores[i])
    return total


def _push(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    p = mpf(loss.p)
    top = bottom = mpf(0)
    for k in range(len(labels)):
        above = [i for i in range(len(labels)) if labels[i] > labels[k]]
        top += mp.fsum(weights[i] * mp.exp(scores[k] - scores[i]) for i in above) ** p
        bottom += mp.fsum(weights[i] for i in above) ** p
    return mp.log(top / bottom) / p if bottom else mpf(0)


# Pairwise


def _pairwise(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    kind = type(loss).__name__
    total, count = mpf(0), mpf(0)
    for i, j in _pairs(labels):
        d = scores[i] - scores[j]
        if kind == "PairwiseLogistic":
            each = mp.log1p(mp.exp(-mpf(loss.sigma) * d))
        elif kind == "Hinge":
            each = max(mpf(0), mpf(loss.margin) - d)
        elif kind == "SquaredHinge":
            each = max(mpf(0), mpf(loss.margin) - d) ** 2
        else:
            scale, gap = mpf(loss.scale), mpf(labels[i]) - mpf(labels[j])
            each = gap * (max(mpf(0), scale - d) if loss.surrogate == "hinge" else mp.log1p(mp.exp(-scale * d)))
        total += weights[i] * each
        count += 1  # weights multiply pairs, and do not count them
    if loss.normalize == "pairs":
        return total / count if count else mpf(0)
    return total


def _order(scores: Numbers) -> list[int]:
    return sorted(range(len(scores)), key=lambda i: -scores[i])


def _lambda_rank(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers, held: Numbers) -> Any:
    order = _order(held)
    worth = _gains(_gain_of(loss.measure), labels, [mpf(1)] * len(labels))
    if not any(worth):
        return mpf(0)
    ranked = [labels[i] for i in order]
    base = oracles.measure_value(loss.measure, ranked)
    total = lambdas = mpf(0)
    for a, i in enumerate(order):
        for b, j in enumerate(order):
            if worth[i] <= worth[j] or _is_truncated(loss, a, b):
                continue
            swapped = list(ranked)
            swapped[a], swapped[b] = swapped[b], swapped[a]
            change = abs(oracles.measure_value(loss.measure, swapped) - base)
            if loss.score_offset is not None and held[order[0]] != held[order[-1]]:
                change /= mpf(loss.score_offset) + abs(held[i] - held[j])
            odds = mp.exp(-mpf(loss.sigma) * (scores[i] - scores[j]))
            total += weights[i] * change * mp.log1p(odds)
            odds = mp.exp(-mpf(loss.sigma) * (held[i] - held[j]))
            lambdas += 2 * weights[i] * change * mpf(loss.sigma) * odds / (1 + odds)
    if loss.normalize == "lambdas":
        return total * mp.log1p(lambdas) / mp.log(2) / lambdas if lambdas else total
    return total / max(len(_pairs(worth)), 1) if loss.normalize == "pairs" else total


def _smoothed_lambda_rank(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers, held: Numbers) -> Any:
    n, gain = len(labels), _gain_of(loss.measure)
    worth = _gains(gain, labels, [mpf(1)] * n)
    if not any(worth):
        return mpf(0)
    filled = loss.measure.with_convention()
    k = oracles.depth_of(filled.cutoff, n)
    at = [_discount(filled.discount, mpf(r), n) if k is None or r <= k else mpf(0) for r in range(1, n + 1)]
    last = n - 1 if loss.truncation is None else min(loss.truncation, n - 1)
    at = [*at[:last], *[at[last]] * (n - last)]
    n_top = sum(each != at[last] for each in at)
    given = (gain or gains.Exp2())(labels).tolist()
    rankings = noisy_rankings(given, [float(s) for s in held], loss.sigma, n_top, loss.n_rankings, loss.seed)
    total = lambdas = mpf(0)
    for i, j in _pairs(worth):
        gaps = [abs(at[order.index(i)] - at[order.index(j)]) for order in rankings]
        change = (worth[i] - worth[j]) * mp.fsum(gaps) / len(gaps) / _norm(worth, filled.discount, k, n)
        total += weights[i] * change * mp.log1p(mp.exp(-mpf(loss.sigma) * (scores[i] - scores[j])))
        odds = mp.exp(-mpf(loss.sigma) * (held[i] - held[j]))
        lambdas += 2 * weights[i] * change * mpf(loss.sigma) * odds / (1 + odds)
    if loss.normalize == "lambdas":
        return total * mp.log1p(lambdas) / mp.log(2) / lambdas if lambdas else total
    return total / max(len(_pairs(worth)), 1) if loss.normalize == "pairs" else total


def _is_truncated(loss: Any, *places: int) -> bool:
    """Return whether the pair at these places, counted from 0, is left out."""
    return loss.truncation is not None and (max if loss.truncate_both else min)(places) >= loss.truncation


def _lambda_loss(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers, held: Numbers) -> Any:
    order = _order(held)
    worth, n = _gains(loss.gain, labels, [mpf(1)] * len(labels)), len(labels)
    ideal = _norm(worth, loss.discount, None, n)
    if ideal <= 0:
        return mpf(0)
    rank = {i: r for r, i in enumerate(order, 1)}
    at = [_discount(loss.discount, mpf(r), n) for r in range(1, n + 2)]
    total, count = mpf(0), 0
    for i, j in _pairs(worth):
        count += 1
        if _is_truncated(loss, rank[i] - 1, rank[j] - 1):
            continue
        apart = abs(rank[i] - rank[j])
        step, change = at[apart - 1] - at[apart], abs(at[rank[i] - 1] - at[rank[j] - 1])
        gap = worth[i] - worth[j]
        weight = {
            "loss1": worth[i] * at[rank[i] - 1],
            "loss2": gap * step,
            "loss2pp": gap * (change + mpf(loss.mu) * step),
        }[loss.kind]
        total += weights[i] * weight / ideal * mp.log1p(mp.exp(-mpf(loss.sigma) * (scores[i] - scores[j])))
    return total / count if loss.normalize == "pairs" and count else total


# Softmax


def _shares_of(worth: Numbers) -> list[Any] | None:
    total = mp.fsum(worth)
    return [g / total for g in worth] if total else None


def _softmax_of(target: Numbers | None, scores: Numbers) -> Any:
    return (
        mpf(0)
        if target is None
        else mp.fsum(p * (_log_sum_exp(scores) - s) for p, s in zip(target, scores, strict=True))
    )


def _softmax(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    worth = _gains(loss.gain, labels, weights)
    return _softmax_of(worth if loss.normalize == "none" else _shares_of(worth), scores)


def _xe_ndcg(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    raw = [(mpf(2) ** mpf(label) - mpf(loss.gamma)) * w for label, w in zip(labels, weights, strict=True)]
    return _softmax_of(_shares_of(raw), scores)


def _softmax_at_k(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers, held: Numbers | None = None) -> Any:
    target = _shares_of(_gains(loss.gain, labels, weights))
    if target is None:
        return mpf(0)
    last = sorted(held if loss.hold and held else scores, reverse=True)[min(len(scores), loss.cutoff) - 1]
    near = [1 / (1 + mp.exp(-mpf(loss.slope) * (s - last))) for s in scores]
    return _softmax_of([p * w for p, w in zip(target, near, strict=True)], scores)


def _activation(kind: str, d: Any) -> Any:
    """Return a of Yang et al. 2024, section 4.1; "atan" as 0 where it would be negative."""
    if kind == "tanh":
        return 1 + mp.tanh(d)
    return max(mpf(0), 1 + (mp.atan(d) if kind == "atan" else d))


def _psl(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    worth = _gains(loss.gain, labels, weights)
    target = worth if loss.normalize == "none" else _shares_of(worth)
    if target is None:
        return mpf(0)
    power = 1 / mpf(loss.temperature)
    sums = [mp.fsum(_activation(loss.activation, s - own) ** power for s in scores) for own in scores]
    return mp.fsum(p * mp.log(total) for p, total in zip(target, sums, strict=True) if p)


def _gain_of(measure: Any) -> Any:
    filled = measure.with_convention()
    return filled.gain if hasattr(filled, "gain") else gains.Binary(filled.rel)


# Soft ranks


def _soft_ndcg(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    worth, n = _gains(loss.gain, labels, weights), len(labels)
    k = oracles.depth_of(loss.cutoff, n)
    ideal = _norm(worth, loss.discount, k, n)
    if ideal <= 0 or n < 2:
        return mpf(0)
    expected = mpf(0)
    for i in range(n):
        ranks = [mpf(1)] + [mpf(0)] * (n - 1)
        for j in range(n):
            if j != i:
                # Phi(d / (sqrt(2) sigma)) = erfc(-d / (2 sigma)) / 2
                beats = mp.erfc((scores[i] - scores[j]) / (2 * mpf(loss.sigma))) / 2
                ranks = [ranks[r] * (1 - beats) + (ranks[r - 1] * beats if r else 0) for r in range(n)]
        expected += worth[i] * mp.fsum(p * _discount(loss.discount, mpf(r), n) for r, p in enumerate(ranks[:k], 1))
    return 1 - expected / ideal


def _neural_ndcg(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    worth, n = _gains(loss.gain, labels, weights), len(labels)
    k = oracles.depth_of(loss.cutoff, n)
    ideal = _norm(worth, loss.discount, k, n)
    if ideal <= 0 or n < 2:
        return mpf(0)
    apart = [mp.fsum(abs(s - other) for other in scores) for s in scores]
    total = mpf(0)
    for r in range(1, (n if k is None else min(k, n)) + 1):
        logits = [((n + 1 - 2 * r) * s - a) / mpf(loss.temperature) for s, a in zip(scores, apart, strict=True)]
        highest = max(logits)
        shares = [mp.exp(logit - highest) for logit in logits]
        total += _discount(loss.discount, mpf(r), n) * _dot(shares, worth) / mp.fsum(shares)
    return 1 - total / ideal


def _sigmoid(kind: str, z: Any) -> Any:
    if kind == "arctan":
        return mpf(1) / 2 + mp.atan(z) / mp.pi
    if kind == "erf":
        return mp.erfc(-z) / 2
    return 1 / (1 + mp.exp(-z))


def _positions(loss: Any, scores: Numbers) -> list[Any]:
    alpha, n = mpf(loss.alpha), range(len(scores))
    return [1 + mp.fsum(_sigmoid(loss.sigmoid, alpha * (scores[y] - scores[x])) for y in n if y != x) for x in n]


def _kendall(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    alpha, total, count = mpf(loss.alpha), mpf(0), mpf(0)
    for x, y in _pairs(labels):
        total += weights[x] * (2 * _sigmoid(loss.sigmoid, alpha * (scores[x] - scores[y])) - 1)
        count += weights[x]
    return 1 - total / count if count else mpf(0)


def _approx(loss: Any, labels: Numbers, scores: Numbers, weights: Numbers) -> Any:
    measure = loss.measure if type(loss).__name__ == "Approx" else loss.target()
    if isinstance(measure, measures.KendallTau):
        return _kendall(loss, labels, scores, weights)
    n, beta, filled = len(labels), mpf(loss.beta), measure.with_convention()
    worth = _gains(_gain_of(measure), labels, weights)
    if not any(worth):
        return mpf(0)
    relevant = mp.fsum(worth)
    k = oracles.depth_of(filled.cutoff, n)
    if isinstance(measure, measures.RPrecision):
        k = sum(g > 0 for g in worth)
    at = _positions(loss, scores)
    kept = [mpf(1) if k is None else 1 / (1 + mp.exp(beta * (p - k - mpf(1) / 2))) for p in at]
    found = [x for x in range(n) if worth[x] > 0]
    depth = mpf(n if k is None else k)
    match measure:
        case measures.NDCG() | measures.LinearNDCG():
            discount = getattr(filled, "discount", "linear")
            ideal = _norm(worth, discount, k, n)
            total = mp.fsum(worth[x] * _discount(discount, at[x], n) * kept[x] for x in range(n))
            return 1 - (total / ideal if ideal > 0 else 0)
        case measures.DCG():
            return 1 - mp.fsum(worth[x] * _discount(filled.discount, at[x], n) * kept[x] for x in range(n))
        case measures.RBP():
            p = mpf(filled.p)
            return 1 - mp.fsum(worth[x] * (1 - p) * p ** (at[x] - 1) * kept[x] for x in range(n))
        case measures.Precision() | measures.Recall() | measures.F1() | measures.RPrecision():
            divisor = {"Precision": depth, "F1": (depth + relevant) / 2}.get(type(measure).__name__, relevant)
            return 1 - mp.fsum(worth[x] * kept[x] for x in range(n)) / divisor
        case measures.AP():
            total = mp.fsum(
                worth[y]
                * kept[y]
                / at[y]
                * (worth[y] + mp.fsum(worth[x] / (1 + mp.exp(-beta * (at[y] - at[x]))) for x in found if x != y))
                for y in found
            )
            return 1 - total / relevant
        case measures.RR():
            total = mpf(0)
            for x in found:
                first = mp.fprod(1 / (1 + mp.exp(-beta * (at[y] - at[x]))) for y in found if y != x)
                total += worth[x] * kept[x] / at[x] * first
            return 1 - total
        case measures.HitRate():
            return mp.fprod((1 - kept[x]) ** worth[x] for x in found)
    raise NotImplementedError(f"no reference for the measure {measure!r}: write one here")


#: Losses with weights that depend on scores, and are constants to the gradient: those of the last argument.
_OF_ORDERS: dict[str, Callable[..., Any]] = {
    "LambdaLoss": _lambda_loss,
    "LambdaRank": _lambda_rank,
    "SmoothedLambdaRank": _smoothed_lambda_rank,
    "SoftmaxAtK": _softmax_at_k,
}
#: The value of a loss for the labels, scores and weights of one query.
VALUES: dict[str, Callable[[Any, Numbers, Numbers, Numbers], Any]] = {
    "Approx": _approx,
    "ApproxAP": _approx,
    "ApproxKendall": _kendall,
    "ApproxNDCG": _approx,
    "ApproxPrecision": _approx,
    "ApproxRR": _approx,
    "Bregman": _bregman,
    "Cosine": _cosine,
    "CrossEntropy": _cross_entropy,
    "Hinge": _pairwise,
    "LambdaLoss": lambda loss, labels, scores, weights: _Fixed(loss, labels, scores).value(scores, weights),
    "LambdaRank": lambda loss, labels, scores, weights: _Fixed(loss, labels, scores).value(scores, weights),
    "LeastSquares": _least_squares,
    "ListMLE": _list_mle,
    "NeuralNDCG": _neural_ndcg,
    "PSL": _psl,
    "PairwiseLinear": _pairwise,
    "PairwiseLogistic": _pairwise,
    "Push": _push,
    "QNorm": _q_norm,
    "SmoothedLambdaRank": lambda loss, labels, scores, weights: _Fixed(loss, labels, scores).value(scores, weights),
    "SoftNDCG": _soft_ndcg,
    "Softmax": _softmax,
    "SoftmaxAtK": _softmax_at_k,
    "SquaredHinge": _pairwise,
    "XENDCG": _xe_ndcg,
}
