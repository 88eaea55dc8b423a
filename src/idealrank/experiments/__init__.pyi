from idealrank.experiments.papers import reproduce as reproduce
from idealrank.experiments.reproduction import Reproduction as Reproduction
