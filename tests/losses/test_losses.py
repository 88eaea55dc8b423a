"""What every loss must do: a loss is tested here as soon as it is registered."""

import itertools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from every_loss import CLASSES, FORMS, LABELS, NAMES, OFFSETS, SCORES
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import idealrank
from idealrank import losses
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.errors import DataError, OptionError
from idealrank.losses import Loss

pytestmark = pytest.mark.sampled(4)
every_loss = pytest.mark.parametrize("name", NAMES)
every_loss_without_an_order_of_rows = pytest.mark.parametrize("name", [name for name in NAMES if "stable" not in name])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("least_squares(discount=zipf)", "least_squares: discount has no effect without a normalizer"),
        ("lambda_loss(kind=loss2,mu=3)", "lambda_loss: mu has no effect with kind=loss2; leave it out, or choose from"),
    ],
)
def test_an_option_without_effect_is_refused(name: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        losses.loss(name)


def derivative(function: Callable[[Floats], Floats], at: Floats, offsets: npt.NDArray[np.int64]) -> Floats:
    """Central differences of fourth order, for all queries at once: a query's value hangs on its own scores only."""
    step = 1e-4
    found = np.zeros(at.size)
    sizes = np.diff(offsets)
    for place in range(int(sizes.max())):
        queries = np.flatnonzero(sizes > place)
        rows = offsets[queries] + place
        shift = np.zeros(at.size)
        shift[rows] = step
        near = function(at + shift) - function(at - shift)
        far = function(at + 2 * shift) - function(at - 2 * shift)
        found[rows] = ((8 * near - far) / (12 * step))[queries]
    return found


def check_gradient(loss: Loss, scores: Floats, **options: Any) -> None:
    _, gradient = loss(LABELS, scores, OFFSETS, **options)
    expected = derivative(lambda moved: loss(LABELS, moved, OFFSETS, **options)[0], scores, OFFSETS)
    assert_allclose(gradient, expected, rtol=1e-7, atol=1e-7)


def test_every_loss_is_listed_with_its_forms() -> None:
    assert NAMES
    assert FORMS.keys() <= set(CLASSES)
    assert all(getattr(losses, name).__doc__ for name in dir(losses))


@every_loss
@pytest.mark.parametrize("scale", [0.0, 1.0, 30.0])
def test_both_derivatives_together_are_those_of_each(name: str, scale: float) -> None:
    loss = losses.loss(name)
    options: dict[str, Any] = {
        "weights": np.linspace(0.2, 2, LABELS.size),
        "query_weights": [1, 2, 3, 0, 0.5, 1],
        "mask": np.arange(LABELS.size) % 7 != 3,
    }
    for chosen in ({}, options):
        both = loss.gradient_and_hessian(LABELS, scale * SCORES, OFFSETS, **chosen)
        gradient = loss(LABELS, scale * SCORES, OFFSETS, **chosen)[1]
        curvature = loss.hessian_diagonal(LABELS, scale * SCORES, OFFSETS, **chosen)
        for found, expected in zip(both, (gradient, curvature), strict=True):
            assert_allclose(found, expected, rtol=1e-9, atol=1e-10 * max(1.0, float(np.abs(expected).max())))
    of_scores = loss.derivatives_of(Lists.of(LABELS, 0 * SCORES, OFFSETS))
    for scores in (scale * SCORES, SCORES[::-1].copy()):
        for found, expected in zip(of_scores(scores), loss.gradient_and_hessian(LABELS, scores, OFFSETS), strict=True):
            assert_array_equal(found, expected)
    assert {each.dtype for each in loss.gradient_and_hessian(LABELS, SCORES.astype(np.float32), OFFSETS)} == {
        np.dtype(np.float32)
    }


@every_loss
def test_the_gradient_is_the_derivative(name: str) -> None:
    # The weights of LambdaRank hang on the order of scores alone: a small step holds them fixed.
    loss = losses.loss(name)
    check_gradient(loss, SCORES)
    check_gradient(loss, 3 * SCORES)
    check_gradient(loss, SCORES, weights=np.linspace(0.2, 2, LABELS.size), query_weights=[1, 2, 3, 0, 0.5, 1])


@every_loss
def test_values_and_gradients_are_finite_and_a_query_stands_alone(name: str) -> None:
    loss = losses.loss(name)
    values, gradient = loss(LABELS, SCORES, OFFSETS)
    assert values.shape == (OFFSETS.size - 1,)
    assert gradient.shape == SCORES.shape
    for query, (begin, end) in enumerate(itertools.pairwise(OFFSETS)):
        value, own = loss(LABELS[begin:end], SCORES[begin:end])
        assert_allclose(value, values[query : query + 1], rtol=1e-12, atol=1e-13)
        assert_allclose(own, gradient[begin:end], rtol=1e-12, atol=1e-13)
        assert np.isfinite(value).all()
        assert np.isfinite(own).all()


@every_loss
def test_curvatures_are_not_negative_and_somewhere_positive(name: str) -> None:
    for scores in (SCORES, 0 * SCORES, 1e3 * SCORES):
        curvature = losses.loss(name).hessian_diagonal(LABELS, scores / 10, OFFSETS)
        assert np.isfinite(curvature).all()
        assert (curvature >= 0).all()
    assert (losses.loss(name).hessian_diagonal(LABELS, SCORES, OFFSETS) > 0).any()


@every_loss
def test_float32_scores_give_a_float32_gradient(name: str) -> None:
    loss = losses.loss(name)
    scores = SCORES.astype(np.float32)
    values, gradient = loss(LABELS, scores, OFFSETS)
    assert values.dtype == np.float64
    assert gradient.dtype == np.float32
    assert loss.hessian_diagonal(LABELS, scores, OFFSETS).dtype == np.float32
    exact = loss(LABELS, scores.astype(np.float64), OFFSETS)
    assert_array_equal(values, exact[0])
    assert_array_equal(gradient, exact[1].astype(np.float32))


@every_loss
def test_query_weights_multiply(name: str) -> None:
    loss = losses.loss(name)
    factors = np.array([2, 1, 5, 0, 0.5, 3])
    values, gradient = loss(LABELS, SCORES, OFFSETS)
    weighted = loss(LABELS, SCORES, OFFSETS, query_weights=factors)
    assert_allclose(weighted[0], factors * values, rtol=1e-15, atol=0)
    assert_allclose(weighted[1], np.repeat(factors, np.diff(OFFSETS)) * gradient, rtol=1e-15, atol=0)
    plain, scaled = (
        loss.hessian_diagonal(LABELS, SCORES, OFFSETS, query_weights=weights) for weights in (None, factors)
    )
    assert_allclose(scaled, np.repeat(factors, np.diff(OFFSETS)) * plain, rtol=1e-15, atol=0)


@every_loss
def test_document_weights_of_1_change_nothing_and_others_do(name: str) -> None:
    loss = losses.loss(name)
    values, gradient = loss(LABELS, SCORES, OFFSETS)
    same = loss(LABELS, SCORES, OFFSETS, weights=np.ones(LABELS.size))
    assert_allclose(same[0], values, rtol=1e-13, atol=1e-14)
    assert_allclose(same[1], gradient, rtol=1e-13, atol=1e-14)
    other = loss(LABELS, SCORES, OFFSETS, weights=np.linspace(0.2, 2, LABELS.size))
    assert not np.allclose(other[0], values)
    nothing = loss(LABELS, SCORES, OFFSETS, weights=np.zeros(LABELS.size))
    assert np.isfinite(nothing[0]).all()
    assert np.isfinite(nothing[1]).all()


@every_loss
def test_a_masked_document_is_as_if_it_were_not_there(name: str) -> None:
    loss = losses.loss(name)
    mask = np.arange(LABELS.size) % 4 != 2
    broken = np.where(mask, SCORES, np.nan)
    weights = np.linspace(0.2, 2, LABELS.size)
    inner = np.concatenate([[0], np.cumsum(mask)])[OFFSETS]
    values, gradient = loss(LABELS, broken, OFFSETS, mask=mask, weights=weights)
    alone = loss(LABELS[mask], SCORES[mask], inner, weights=weights[mask])
    assert_array_equal(values, alone[0])
    assert_array_equal(gradient[mask], alone[1])
    assert_array_equal(gradient[~mask], 0)
    curvature = loss.hessian_diagonal(LABELS, broken, OFFSETS, mask=mask)
    assert_array_equal(curvature[~mask], 0)


@every_loss_without_an_order_of_rows
def test_rows_of_a_query_may_come_in_any_order(name: str) -> None:
    loss = losses.loss(name)
    if hasattr(loss, "seed"):
        pytest.skip("noise goes by rows")
    order = np.concatenate([np.arange(begin, end)[::-1] for begin, end in itertools.pairwise(OFFSETS)])
    values, gradient = loss(LABELS, SCORES, OFFSETS)
    turned = loss(LABELS[order], SCORES[order], OFFSETS)
    assert_allclose(turned[0], values, rtol=1e-12, atol=1e-13)
    assert_allclose(turned[1], gradient[order], rtol=1e-12, atol=1e-13)


@every_loss
def test_nan_and_infinity_are_refused_with_their_place(name: str) -> None:
    loss = losses.loss(name)
    for bad in (np.nan, np.inf, -np.inf):
        place = np.arange(LABELS.size) == 7
        for labels, scores in ((LABELS, np.where(place, bad, SCORES)), (np.where(place, bad, LABELS), SCORES)):
            for call in (loss, loss.hessian_diagonal):
                with pytest.raises(DataError) as caught:
                    call(labels, scores, OFFSETS)
                assert (caught.value.query, caught.value.row) == (3, 7)


@every_loss
def test_under_a_mask_too_rows_are_the_callers(name: str) -> None:
    loss = losses.loss(name)
    mask = np.arange(LABELS.size) % 4 != 2
    broken = np.where(np.arange(LABELS.size) == 7, np.nan, SCORES)
    for call in (loss, loss.hessian_diagonal):
        with pytest.raises(DataError) as caught:
            call(LABELS, broken, OFFSETS, mask=mask)
        assert (caught.value.query, caught.value.row) == (3, 7)


@every_loss
@pytest.mark.parametrize("scale", [1e308, 1e-320, 0.0])
def test_huge_tiny_and_equal_scores_give_finite_numbers_or_a_typed_error(name: str, scale: float) -> None:
    loss = losses.loss(name)
    scores = scale * np.sign(SCORES)
    for call in (lambda: loss(LABELS, scores, OFFSETS), lambda: [loss.hessian_diagonal(LABELS, scores, OFFSETS)]):
        try:
            columns = call()
        except DataError as error:
            assert error.query is not None  # noqa: PT017
        else:
            assert all(np.isfinite(column).all() for column in columns)


@every_loss
def test_no_queries_and_no_documents_are_no_values(name: str) -> None:
    loss = losses.loss(name)
    values, gradient = loss([], [], [0])
    assert (values.size, gradient.size) == (0, 0)
    values, gradient = loss([], [], [0, 0, 0])
    assert_array_equal(values, [0, 0])
    assert gradient.size == 0


@every_loss
def test_the_name_reads_back(name: str) -> None:
    loss = losses.loss(name)
    assert losses.loss(str(loss)) == loss
    assert losses.loss(loss) is loss
    assert hash(losses.loss(str(loss))) == hash(loss)
    assert idealrank.loss(name) == loss


@every_loss
def test_a_loss_can_be_pickled(name: str) -> None:
    loss = losses.loss(name)
    assert pickle.loads(pickle.dumps(loss)) == loss


@every_loss
@settings(max_examples=25)
@given(data=st.data())
def test_drawn_lists_have_finite_losses_and_true_gradients(name: str, data: st.DataObject) -> None:
    loss = losses.loss(name)
    n = data.draw(st.integers(1, 6))
    labels = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), np.float64)
    # Scores apart from each other and from 0, so that nothing has a kink within the step of a difference.
    places = data.draw(st.lists(st.integers(-8, 8), min_size=n, max_size=n, unique=True))
    scores = np.array(places) * 0.37 + 0.0512
    values, gradient = loss(labels, scores)
    assert np.isfinite(values).all()
    expected = derivative(lambda moved: loss(labels, moved)[0], scores, np.array([0, n]))
    assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cross_entropi", "unknown loss 'cross_entropi'; did you mean 'cross_entropy'?"),
        ("cosine(normalizer=dgc)", "cosine: normalizer: cannot read the cutoff 'dgc'"),
        ("cosine(norm=dcg)", "cosine has no option 'norm'"),
        ("cosine(", "cannot read the loss 'cosine('"),
        ("bregman", "'bregman' lacks an option: write bregman(psi=...)"),
        ("bregman(psi=cube)", "bregman: psi: unknown potential 'cube'"),
        ("q_norm(q=1)", "q_norm: q: expected a number from 2"),
    ],
)
def test_a_name_that_cannot_be_read_says_why(text: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        losses.loss(text)
    assert message in str(caught.value)
