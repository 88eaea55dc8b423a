"""The recipe for Spark on the page about large data and clusters, on a real Spark session of one thread."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

import idealrank as ir

PAGE = Path(__file__).parents[2] / "docs" / "large_data.md"
SESSION = """
import pandas as pd
import idealrank as ir
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
spark = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
df = spark.createDataFrame([(1, 2, 0.3), (1, 0, 0.9), (2, 0, 0.8), (1, 1, 0.5), (2, 1, 0.2)], ["qid", "label", "score"])
"""


@pytest.mark.slow
def test_the_recipe_gives_the_values_of_evaluate(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pip install pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java")
    if not PAGE.exists():
        pytest.skip("the documentation is not at hand")
    page = PAGE.read_text(encoding="utf-8")
    recipe = re.search(r"`(df\.groupBy.*?)` calls this function", page)
    function = re.search(r"^>>> (def per_query.*?)^>>> ", page, re.MULTILINE | re.DOTALL)
    assert recipe is not None
    assert function is not None
    body = function[1].replace("... ", "")
    script = (
        f"{SESSION}\n{body}\nfor row in {recipe[1]}.collect():\n    print('value', row.qid, row.ndcg)\nspark.stop()\n"
    )
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = {int(q): float(value) for q, value in re.findall(r"value (\d+) ([\d.]+)", done.stdout)}
    labels, scores = [2, 0, 1, 0, 1], [0.3, 0.9, 0.5, 0.8, 0.2]
    expected = ir.evaluate(labels, scores, "ndcg@10", group=[3, 2]).per_query["ndcg@10"]
    assert_allclose([found[1], found[2]], expected, rtol=1e-12, atol=0)
