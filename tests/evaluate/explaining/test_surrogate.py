import numpy as np
import pytest

from memeloc.errors import InputError
from memeloc.evaluate.explaining.surrogate import draw_masks, fit_surrogate

WEIGHTS = np.array([[0.4, 0.0, -0.3, 0.1, 0.0], [-0.4, 0.0, 0.3, -0.1, 0.0]])
INTERCEPTS = np.array([0.3, 0.7])


def linear(masks):
    return masks @ WEIGHTS.T + INTERCEPTS


def test_weights_of_a_linear_model_are_recovered():
    surrogate = fit_surrogate(linear, 5, samples=400, seed=1, ridge=1e-6)
    assert surrogate.weights == pytest.approx(WEIGHTS, abs=1e-6)
    assert surrogate.intercepts == pytest.approx(INTERCEPTS, abs=1e-6)
    assert surrogate.fits == pytest.approx(1)
    assert surrogate.scores == pytest.approx(linear(np.ones((1, 5)))[0])


def test_the_default_penalty_shrinks_weights_little():
    surrogate = fit_surrogate(linear, 5, seed=1)
    assert surrogate.weights == pytest.approx(WEIGHTS, abs=0.02)


def test_weights_are_those_of_weighted_ridge_regression():
    from sklearn.linear_model import Ridge

    def curved(masks):
        return np.column_stack([(masks @ WEIGHTS[0]) ** 2, np.sin(masks[:, 0] + masks[:, 1])])

    surrogate = fit_surrogate(curved, 5, samples=200, seed=4)
    masks = draw_masks(5, 200, 4)
    distance = 1 - masks.sum(1) / np.sqrt(masks.sum(1).clip(1) * 5)
    closeness = np.sqrt(np.exp(-(distance**2) / 0.25**2))
    ridge = Ridge(alpha=1.0).fit(masks, curved(masks), sample_weight=closeness)
    assert surrogate.weights == pytest.approx(ridge.coef_)
    assert surrogate.intercepts == pytest.approx(ridge.intercept_)
    fit = [
        1
        - np.average((y - p) ** 2, weights=closeness)
        / np.average((y - np.average(y, weights=closeness)) ** 2, weights=closeness)
        for y, p in zip(curved(masks).T, ridge.predict(masks).T, strict=True)
    ]
    assert surrogate.fits == pytest.approx(fit)


def test_the_first_sample_has_all_parts_the_others_lack_some():
    masks = draw_masks(7, 50, 0)
    assert masks[0].all()
    assert not masks[1:].all(axis=1).any()
    assert (masks == draw_masks(7, 50, 0)).all()
    assert (masks != draw_masks(7, 50, 1)).any()


def test_a_model_that_never_changes_has_no_fit():
    surrogate = fit_surrogate(lambda masks: np.full((len(masks), 1), 0.5), 3, samples=20)
    assert np.isnan(surrogate.fits).all()
    assert surrogate.weights == pytest.approx(0)


def test_no_part_to_leave_out_is_an_error():
    with pytest.raises(InputError, match="a part to leave out"):
        fit_surrogate(linear, 0)
