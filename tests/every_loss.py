"""Every loss that there is, in several forms, and lists to try them on."""

import numpy as np

from idealrank import losses
from idealrank.losses.loss_names import LOSSES

__all__ = ["CLASSES", "FORMS", "HELD", "INCOMPLETE", "LABELS", "NAMES", "OFFSETS", "SCORES"]

#: Forms of a loss beside the one without options.
FORMS: dict[str, list[str]] = {
    "Approx": [
        "approx(measure=ndcg@3,alpha=3)",
        "approx(measure=dcg@2,beta=2)",
        "approx(measure=linear_ndcg,alpha=2)",
        "approx(measure=recall@2,sigmoid=erf,alpha=1)",
        "approx(measure=f1@2,beta=1)",
        "approx(measure=r_precision,alpha=2)",
        "approx(measure=rbp,sigmoid=arctan)",
        "approx(measure=hit_rate@2,alpha=1,beta=1)",
        "approx(measure=kendall_tau)",
    ],
    "ApproxAP": ["approx_ap(alpha=3,beta=2)", "approx_ap(cutoff=3,rel=2)", "approx_ap(sigmoid=arctan,alpha=2)"],
    "ApproxKendall": ["approx_kendall(alpha=1)", "approx_kendall(sigmoid=erf,alpha=0.5)"],
    "ApproxNDCG": [
        "approx_ndcg(alpha=1)",
        "approx_ndcg(cutoff=3,beta=2)",
        "approx_ndcg(gain=linear,discount=zipf)",
        "approx_ndcg(discount=power:0.5,cutoff=50%)",
        "approx_ndcg(discount=geometric:2)",
        "approx_ndcg(sigmoid=erf)",
        "approx_ndcg(sigmoid=tanh)",
    ],
    "ApproxPrecision": ["approx_precision(cutoff=2,alpha=2,beta=1)"],
    "ApproxRR": ["approx_rr(alpha=2,beta=2)", "approx_rr(cutoff=2,alpha=1,beta=1)"],
    "Bregman": ["bregman(psi=squared)", "bregman(psi=kl)", "bregman(psi=pnorm:1.5)", "bregman(psi=kl,link=scale:2)"],
    "Cosine": ["cosine(normalizer=dcg)", "cosine(normalizer=2)", "cosine(gain=linear)"],
    "CrossEntropy": ["cross_entropy(normalizer=dcg)", "cross_entropy(normalizer=2)", "cross_entropy(gain=exp2)"],
    "Hinge": ["hinge(margin=0.3)", "hinge(normalize=pairs)"],
    "LambdaLoss": [
        "lambda_loss(kind=loss1)",
        "lambda_loss(kind=loss1,gain=linear,sigma=2)",
        "lambda_loss(kind=loss2,discount=zipf)",
        "lambda_loss(mu=3,truncation=2,normalize=pairs)",
        "lambda_loss(kind=loss2,truncation=3,truncate_both=true)",
    ],
    "LambdaRank": [
        "lambda_rank(measure=ndcg(gain=linear,discount=zipf)@3,truncation=2)",
        "lambda_rank(measure=ap)",
        "lambda_rank(truncation=3,truncate_both=true)",
    ],
    "LeastSquares": ["least_squares(normalizer=dcg)", "least_squares(normalizer=50%,discount=zipf)"],
    "ListMLE": ["list_mle(ties=stable)"],
    "NeuralNDCG": ["neural_ndcg(temperature=0.3,cutoff=3)", "neural_ndcg(gain=linear,discount=zipf)"],
    "PSL": ["psl(activation=atan,temperature=0.3)", "psl(activation=relu,temperature=0.4,normalize=none,gain=exp2)"],
    "PairwiseLinear": ["pairwise_linear(surrogate=hinge)", "pairwise_linear(scale=3)"],
    "PairwiseLogistic": ["pairwise_logistic(sigma=5)"],
    "Push": ["push(p=1)", "push(p=20)"],
    "QNorm": ["q_norm(form=normalized)", "q_norm(q=3)", "q_norm(q=3,form=normalized)", "q_norm(normalizer=None)"],
    "SmoothedLambdaRank": [
        "smoothed_lambda_rank(truncation=2,n_rankings=3,seed=5)",
        "smoothed_lambda_rank(measure=ndcg(gain=linear,discount=zipf)@3,truncation=None,normalize=pairs,sigma=2)",
    ],
    "SoftNDCG": ["soft_ndcg(sigma=0.3)", "soft_ndcg(gain=linear,discount=zipf,cutoff=2)"],
    "Softmax": ["softmax(normalize=none)", "softmax(gain=exp2)"],
    "SoftmaxAtK": ["softmax_at_k(cutoff=2,slope=3)", "softmax_at_k(cutoff=1,gain=exp2)"],
    "SquaredHinge": ["squared_hinge(margin=2)"],
    "XENDCG": ["xe_ndcg(gamma=1)", "xe_ndcg(gamma=0)"],
}
#: Forms with weights that change with every score, and that the gradient holds fixed: differences of values are not it.
HELD = [
    "smoothed_lambda_rank(normalize=lambdas)",
    "lambda_rank(normalize=lambdas)",
    "lambda_rank(score_offset=0.01)",
    "lambda_rank(normalize=lambdas,score_offset=0.3,sigma=2,truncation=3)",
    "softmax_at_k(cutoff=2,slope=3,hold=true)",
]
#: Losses that need an option.
INCOMPLETE = {"Approx", "Bregman"}
CLASSES = sorted(cls.__name__ for cls in LOSSES.members().values())
NAMES = [
    text
    for name in CLASSES
    for text in ([] if name in INCOMPLETE else [getattr(losses, name).label]) + FORMS.get(name, [])
]

LABELS = np.array([2, 0, 1, 0, 3, 1, 0, 0, 4, 1, 0, 2, 0, 1, 1, 3, 0, 0, 0], np.float64)
OFFSETS = np.array([0, 5, 6, 6, 14, 16, 19])  # one document; none; two; nothing relevant
SCORES = np.random.default_rng(5).normal(size=LABELS.size)
