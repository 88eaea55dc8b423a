"""Linear rankers: any loss, L-BFGS, stochastic gradient descent or cutting planes."""
