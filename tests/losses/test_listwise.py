"""Listwise losses against slow, obvious ones, and against the numbers of Ravikumar et al. 2011."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from idealrank import _native, losses
from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.losses import links, potentials
from idealrank.losses.listwise import Cosine, CrossEntropy, LeastSquares, ListMLE, QNorm
from idealrank.losses.segments import maxima, sums

# A point of the paper's section 3: labels, scores, u.
R, S = [2, 0, 1], [0.5, -0.2, 1.0]
U = [0.826234657129, 0, 0.275411552376]


def norm_of(gains: Sequence[float], k: int | None = None) -> float:
    ranked = sorted(gains, reverse=True)[:k]
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(ranked, 1))


def targets(labels: Sequence[float], k: int | None) -> list[float]:
    gains = [2**label - 1 for label in labels]
    return [gain / norm_of(gains, k) for gain in gains]


def kl(p: Sequence[float], q: Sequence[float]) -> float:
    return sum((a * math.log(a / b) if a > 0 else 0) - a + b for a, b in zip(p, q, strict=True))


def softmax(values: Sequence[float]) -> list[float]:
    total = sum(map(math.exp, values))
    return [math.exp(value) / total for value in values]


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def length(values: Sequence[float], q: float = 2) -> float:
    return float(sum(abs(value) ** q for value in values) ** (1 / q))


def slow_value(name: str, labels: Sequence[float], scores: Sequence[float]) -> float:
    """The loss of one query by its formula."""
    gains = [2**label - 1 for label in labels]
    u, u2 = targets(labels, None), targets(labels, 2)
    q = math.log(len(labels)) + 2
    match name:
        case "least_squares":
            return sum((s - g) ** 2 for s, g in zip(scores, gains, strict=True))
        case "least_squares(normalizer=dcg)":
            return sum((s - g) ** 2 for s, g in zip(scores, u, strict=True))
        case "cosine":
            return 1 - dot(scores, gains) / length(scores) / length(gains)
        case "cosine(normalizer=dcg)":
            return 1 - dot(scores, u) / length(scores)
        case "cosine(normalizer=2)":
            return 1 - dot(scores, u2) / length(scores)
        case "cross_entropy":
            return kl(softmax(labels), softmax(scores))
        case "cross_entropy(normalizer=dcg)" | "bregman(psi=kl)":
            return kl(u, list(map(math.exp, scores)))
        case "cross_entropy(normalizer=2)":
            return kl(u2, list(map(math.exp, scores)))
        case "q_norm":
            return length(scores, q) ** 2 - 2 * dot(scores, u)
        case "q_norm(form=normalized)":
            return -dot(scores, u) / length(scores, q)
        case "list_mle":
            return sum(
                math.log(sum(math.exp(s) for s, other in zip(scores, labels, strict=True) if other <= label)) - score
                for score, label in zip(scores, labels, strict=True)
            )
        case "list_mle(ties=stable)":
            order = sorted(range(len(labels)), key=lambda i: -labels[i])
            return sum(
                math.log(sum(math.exp(scores[j]) for j in order[i:])) - scores[order[i]] for i in range(len(order))
            )
    raise NotImplementedError(name)


@pytest.mark.parametrize(
    "name",
    [
        "least_squares",
        "least_squares(normalizer=dcg)",
        "cosine",
        "cosine(normalizer=dcg)",
        "cosine(normalizer=2)",
        "cross_entropy",
        "cross_entropy(normalizer=dcg)",
        "cross_entropy(normalizer=2)",
        "bregman(psi=kl)",
        "q_norm",
        "q_norm(form=normalized)",
        "list_mle",
        "list_mle(ties=stable)",
    ],
)
@given(
    lists=st.lists(
        st.lists(st.tuples(st.integers(0, 4), st.integers(-40, 40)), min_size=2, max_size=7).filter(
            lambda docs: any(label for label, _ in docs) and any(score for _, score in docs)
        ),
        min_size=1,
        max_size=4,
    )
)
def test_values_are_those_of_the_formula(name: str, lists: list[list[tuple[int, int]]]) -> None:
    rows = [(float(label), score / 8) for docs in lists for label, score in docs]
    offsets = np.cumsum([0, *map(len, lists)])
    labels, scores = zip(*rows, strict=True)
    values, _ = losses.loss(name)(labels, scores, offsets)
    expected = [slow_value(name, labels[a:b], scores[a:b]) for a, b in itertools.pairwise(offsets)]
    assert_allclose(values, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("name", "value", "gradient"),
    [
        ("cosine", 0.303942442013, [-0.565479318427, -0.107915900463, 0.261156479121]),
        ("least_squares", 6.29, [-5, -0.4, 0]),
        ("cross_entropy", 0.254172949219, [-0.347306924126, 0.067850794522, 0.279456129604]),
        ("cosine(normalizer=dcg)", 0.393784122745, [-0.492491658421, -0.093986957714, 0.227448437668]),
        ("least_squares(normalizer=dcg)", 0.671457469942, [-0.652469314257, -0.4, 1.449176895248]),
        ("cross_entropy(normalizer=dcg)", 2.882709920271, [0.822486613572, 0.818730753078, 2.442870276083]),
        ("q_norm(q=2)", -0.087057761881, [-0.652469314257, -0.4, 1.449176895248]),
        ("q_norm(q=3)", -0.290248644177, [-1.172853640072, -0.076738507870, 1.367639591989]),
        ("q_norm", -0.298957386623, [-1.204400363926, -0.065497248731, 1.368243720852]),
        ("q_norm(q=6)", -0.371855208712, [-1.590614593400, -0.000633392342, 1.428527962688]),
        ("q_norm(q=2,form=normalized)", -0.606215877255, [-0.492491658421, -0.093986957714, 0.227448437668]),
        ("q_norm(q=3,form=normalized)", -0.660458486857, [-0.646817949705, -0.023317157524, 0.318745543348]),
        ("q_norm(q=6,form=normalized)", -0.686744785264, [-0.802964465009, -0.000216363800, 0.401438959745]),
        ("q_norm(form=normalized)", -0.663120666644, [-0.657945116443, -0.020143105521, 0.324943937118]),
        ("bregman(psi=squared)", 0.335728734971, [-0.326234657129, -0.2, 0.724588447624]),
        ("bregman(psi=pnorm:2)", 0.392486350882, [-0.576234657129, -0.1, 0.224588447624]),
        ("bregman(psi=kl)", 2.882709920271, [0.822486613572, 0.818730753078, 2.442870276083]),
        ("bregman(psi=pnorm:1.5)", 0.446404534438, [-0.706330738582, -0.019184626967, 0.204204121809]),
        # msq is psi = |x|^2 with 2 s in the place of s.
        ("bregman(psi=pnorm:2,link=scale:2)", 0.671457469942, [-0.652469314257, -0.4, 1.449176895248]),
    ],
)
def test_the_papers_losses_at_one_point(name: str, value: float, gradient: list[float]) -> None:
    values, found = losses.loss(name)(R, S)
    assert_allclose(values, [value], rtol=0, atol=1e-11)
    assert_allclose(found, gradient, rtol=0, atol=1e-11)


def test_bregman_divergences_are_not_negative_and_0_at_the_targets_own_scores() -> None:
    labels = [3, 1, 2]
    for psi in (potentials.Squared(), potentials.KL(), potentials.PNorm(1.3)):
        loss = losses.Bregman(psi)
        fit = loss.minimizer([1.0], [labels])
        assert_allclose(loss(labels, fit)[0], [0], rtol=0, atol=1e-12)
        assert_allclose(loss(labels, fit)[1], [0, 0, 0], rtol=0, atol=1e-9)
        assert loss(labels, np.add(fit, [0.1, 0, -0.1]))[0] > 0


@pytest.mark.parametrize(
    "name",
    [
        "least_squares",
        "least_squares(normalizer=dcg)",
        "cosine",
        "cosine(normalizer=dcg)",
        "cross_entropy",
        "cross_entropy(normalizer=dcg)",
        "cross_entropy(normalizer=1)",
        "q_norm(q=3)",
        "q_norm(form=normalized)",
        "bregman(psi=pnorm:1.5,link=scale:2)",
    ],
)
def test_the_minimiser_has_no_slope_and_is_lower_than_its_neighbours(name: str) -> None:
    loss = losses.loss(name)
    probabilities = np.array([0.3, 0.5, 0.2])
    label_vectors = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]])
    best = loss.minimizer(probabilities, label_vectors)  # type: ignore[attr-defined]

    def risk(scores: Floats) -> tuple[float, Floats]:
        values, gradient = loss(label_vectors.ravel(), np.tile(scores, 3), [0, 3, 6, 9])
        return float(probabilities @ values), probabilities @ gradient.reshape(3, 3)

    value, slope = risk(best)
    assert_allclose(slope, [0, 0, 0], rtol=0, atol=1e-12)
    for away in np.random.default_rng(1).normal(size=(20, 3)):
        assert risk(best + 0.1 * away)[0] >= value


def test_minimisers_of_many_problems_at_once_are_those_of_each() -> None:
    rng = np.random.default_rng(2)
    label_vectors = rng.integers(0, 5, (4, 2, 3, 3))
    probabilities = rng.dirichlet(np.ones(3), (4, 2))
    loss = QNorm(q=3)
    together = loss.minimizer(probabilities, label_vectors)
    assert together.shape == (4, 2, 3)
    for place in np.ndindex(4, 2):
        assert_allclose(together[place], loss.minimizer(probabilities[place], label_vectors[place]), rtol=1e-13, atol=0)


def test_the_papers_minimisers() -> None:
    # Section 3.3 on the distributions of Proposition 7: {p: (1, 5), 1 - p: (2, 1)}.
    vectors = [[1, 5], [2, 1]]
    assert_allclose(
        LeastSquares(normalizer="dcg").minimizer([0.38, 0.62], vectors),
        [0.524279045129, 0.543175451468],
        rtol=0,
        atol=1e-11,
    )
    assert_allclose(
        CrossEntropy(normalizer="dcg").minimizer([0.38, 0.62], vectors),
        [-0.645731207532, -0.610322896196],
        rtol=0,
        atol=1e-11,
    )
    assert_allclose(
        CrossEntropy(normalizer="dcg").minimizer([0.35, 0.65], vectors),
        [-0.601265332454, -0.650018351977],
        rtol=0,
        atol=1e-11,
    )
    direction = Cosine(normalizer="dcg").minimizer([0.38, 0.62], vectors)
    assert_allclose(direction / np.linalg.norm(direction), [0.694480553707, 0.719511473518], rtol=0, atol=1e-11)
    direction = Cosine().minimizer([0.38, 0.62], vectors)
    assert_allclose(direction, [0.600435336515, 0.575863658380], rtol=0, atol=1e-11)
    first, second = CrossEntropy().minimizer([0.35, 0.65], vectors)
    assert_allclose(first - second, -0.074100895613, rtol=0, atol=1e-8)  # was found numerically
    q3 = QNorm(q=3)
    assert_allclose(q3.minimizer([1.0], [R]), [0.876160112900, 0, 0.505851277036], rtol=0, atol=1e-11)
    assert_allclose(q3(R, q3.minimizer([1.0], [R]))[0], [-0.863231135952], rtol=0, atol=1e-11)
    turned = QNorm(q=3, form="normalized")
    assert_allclose(turned(R, turned.minimizer([1.0], [R]))[0], [-0.929102328031], rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    "name", ["cosine", "least_squares(normalizer=dcg)", "cross_entropy(normalizer=3)", "q_norm", "bregman(psi=kl)"]
)
@pytest.mark.parametrize(("labels", "scores"), [([3], [0.4]), ([0, 0, 0], [0.1, 0.5, -0.2])])
def test_a_normalised_loss_is_0_where_there_is_nothing_to_rank(
    name: str, labels: list[int], scores: list[float]
) -> None:
    value, gradient = losses.loss(name)(labels, scores)
    assert_array_equal(value, [0])
    assert_array_equal(gradient, np.zeros(len(labels)))
    assert_array_equal(losses.loss(name).hessian_diagonal(labels, scores), np.zeros(len(labels)))


def test_a_weight_multiplies_a_gain() -> None:
    weights = [2, 1, 0.5]
    for name in ("least_squares", "cosine", "cross_entropy(normalizer=dcg)", "q_norm"):
        linear = losses.loss(name.replace(")", ",gain=linear)") if ")" in name else f"{name}(gain=linear)")
        weighted = linear([2, 1, 4], S, weights=weights)
        for mine, expected in zip(weighted, linear([4, 1, 2], S), strict=True):
            assert_allclose(mine, expected, rtol=1e-15, atol=0)


def test_a_weight_multiplies_a_share_of_the_cross_entropy_and_a_step_of_the_likelihood() -> None:
    # exp(label) twice over is the label log 2 higher.
    plain = CrossEntropy()([1 + math.log(2), 0], [0.2, 0.5])
    for mine, expected in zip(CrossEntropy()([1, 0], [0.2, 0.5], weights=[2, 1]), plain, strict=True):
        assert_allclose(mine, expected, rtol=1e-14, atol=0)
    one = ListMLE()([1, 0], [0.2, 0.5])
    for mine, expected in zip(ListMLE()([1, 0], [0.2, 0.5], weights=[3, 7]), one, strict=True):
        assert_allclose(mine, 3 * np.asarray(expected), rtol=1e-14, atol=1e-15)


def test_with_all_scores_0_the_way_down_is_the_target() -> None:
    for loss in (Cosine(normalizer="dcg"), QNorm(form="normalized")):
        value, gradient = loss(R, [0, 0, 0])
        assert_allclose(value, [1 if isinstance(loss, Cosine) else 0], rtol=0, atol=0)
        assert_allclose(gradient, np.negative(U), rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    "loss", [Cosine(), Cosine(normalizer="dcg"), QNorm(q=2.5), QNorm(form="normalized"), QNorm(q=7, form="normalized")]
)
def test_the_curvature_bounds_the_second_derivative(loss: losses.Loss) -> None:
    rng = np.random.default_rng(3)
    step = 1e-5
    for _ in range(100):
        scores = rng.normal(size=4)
        labels = rng.integers(0, 5, 4)
        bound = loss.hessian_diagonal(labels, scores)
        for place in range(4):
            shift = np.where(np.arange(4) == place, step, 0)
            above, below = (loss(labels, scores + sign * shift)[1][place] for sign in (1, -1))
            assert (above - below) / (2 * step) <= bound[place] + 1e-6


@pytest.mark.parametrize(
    "loss", [LeastSquares(), CrossEntropy(), CrossEntropy(normalizer="dcg"), ListMLE(), ListMLE(ties="stable")]
)
def test_the_curvature_of_these_is_the_second_derivative(loss: losses.Loss) -> None:
    rng = np.random.default_rng(4)
    scores, labels = rng.normal(size=5), rng.integers(0, 3, 5)
    weights = rng.uniform(0.5, 2, 5)
    step = 1e-5
    for place in range(5):
        shift = np.where(np.arange(5) == place, step, 0)
        above, below = (loss(labels, scores + sign * shift, weights=weights)[1][place] for sign in (1, -1))
        curvature = loss.hessian_diagonal(labels, scores, weights=weights)[place]
        assert_allclose(curvature, (above - below) / (2 * step), rtol=1e-6, atol=1e-9)


def test_the_likelihood_keeps_its_digits_far_down_a_list() -> None:
    # exp of the last scores is 10^-217 of exp of the first: sums that run over the whole list would lose them.
    scores = np.arange(0, -600, -100.0)
    value, gradient = ListMLE()([5, 4, 3, 2, 1, 0], scores)
    assert_allclose(value, [0], rtol=0, atol=1e-12)
    assert_allclose(gradient, np.zeros(6), rtol=0, atol=1e-12)
    assert_allclose(ListMLE()([0, 5], [-800, -1000])[0], [200], rtol=1e-14, atol=0)


@pytest.mark.parametrize("name", ["cross_entropy", "cross_entropy(normalizer=dcg)", "cosine", "list_mle(ties=stable)"])
def test_values_and_gradients_are_those_of_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    rng = np.random.default_rng(6)
    for _ in range(20):
        labels, drawn = np.sort(rng.integers(0, 5, 9))[::-1] + 0.0, rng.normal(size=9) * 3
        scores = torch.tensor(drawn, requires_grad=True)
        relevance = torch.tensor(labels.copy())
        match name:
            case "cross_entropy":
                log_shares = functional.log_softmax(scores, 0)
                theirs = functional.kl_div(log_shares, functional.softmax(relevance, 0), reduction="sum")
            case "cross_entropy(normalizer=dcg)":
                # The Poisson likelihood is this divergence but for what hangs on the targets alone.
                u = torch.tensor(targets(labels.tolist(), None), dtype=torch.float64)
                theirs = functional.poisson_nll_loss(scores, u, reduction="sum") + (torch.xlogy(u, u) - u).sum()
            case "cosine":
                theirs = 1 - functional.cosine_similarity(scores, 2**relevance - 1, dim=0)
            case _:
                theirs = (torch.logcumsumexp(scores.flip(0), 0).flip(0) - scores).sum()
        theirs.backward()
        value, gradient = losses.loss(name)(labels, drawn)
        assert_allclose(value, [theirs.item()], rtol=1e-12, atol=1e-12)
        assert_allclose(gradient, scores.grad.numpy(), rtol=1e-10, atol=1e-12)


def test_a_negative_gain_is_refused_with_its_place() -> None:
    with pytest.raises(DataError, match=r"got -0.5 for the label -1 \(query 1, row 2\)"):
        LeastSquares()([1, 0, -1, 2], [1, 2, 3, 4], [0, 2, 4])


def test_options_that_cannot_be_are_refused() -> None:
    with pytest.raises(OptionError, match="p must be above 1 and at most 2"):
        potentials.PNorm(1)
    with pytest.raises(OptionError, match="psi: expected a potential such as squared, kl"):
        losses.Bregman(3)
    with pytest.raises(OptionError, match="link: expected a link such as scale:2, or a Link"):
        losses.Bregman("kl", link=3)
    with pytest.raises(OptionError, match="scale: factor: expected a finite number above 0"):
        links.Scale(0)


@given(
    sizes=st.lists(st.integers(0, 5), max_size=6),
    data=st.data(),
)
def test_segments_are_what_a_loop_gives(sizes: list[int], data: st.DataObject) -> None:
    offsets = np.cumsum([0, *sizes])
    drawn = data.draw(st.lists(st.floats(-50, 50), min_size=int(offsets[-1]), max_size=int(offsets[-1])))
    values = np.array(drawn, np.float64)
    parts = [values[a:b] for a, b in itertools.pairwise(offsets)]
    assert_allclose(sums(values, offsets), [part.sum() for part in parts], rtol=1e-14, atol=1e-12)
    assert_array_equal(maxima(values, offsets), [part.max(initial=-np.inf) if part.size else 0 for part in parts])
    expected = [math.log(math.fsum(map(math.exp, part[place:]))) for part in parts for place in range(part.size)]
    greatest, rest = _native.suffix_log_sums(values, None, offsets, 1)
    assert_array_equal(greatest, [part[place:].max() for part in parts for place in range(part.size)])
    assert_allclose(greatest + rest, expected, rtol=1e-13, atol=1e-13)
    decays = np.exp(-np.abs(values))
    loops = []
    for part, decay in zip(parts, [decays[a:b] for a, b in itertools.pairwise(offsets)], strict=True):
        found = [0.0]
        for term, factor in zip(part[::-1], decay[::-1], strict=True):
            found.append(term + factor * found[-1])
        loops += found[:0:-1]
    assert_allclose(_native.decayed_sums(values, decays, offsets, 1), loops, rtol=1e-14, atol=1e-14)
