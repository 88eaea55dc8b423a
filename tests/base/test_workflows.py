"""What builds and publishes the package is fixed: actions, images and tools by their hashes, packages by one index."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="the source distribution has no workflows")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_and_images_are_fixed_by_hash(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", each) for each in used), used
    assert all(re.search(r"@sha256:[0-9a-f]{64}$", each) for each in re.findall(r"(?:container|image): (.*)", text))


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / ".ci" / "run"], ids=lambda path: path.stem)
def test_a_second_index_gives_pytorch_alone(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        assert not re.search("extra.index", line, re.IGNORECASE)
        if "index-url" in line:
            assert line.endswith(" torch")
            assert "--no-deps" in line


def test_a_release_is_built_with_tools_that_are_checked_by_hash() -> None:
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    installs = re.findall(r"pip install (.*)", text)
    assert installs == ["--require-hashes --requirement .ci/release.txt"] * 2
    assert "build --sdist --no-isolation" in text
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'args = ["--no-isolation"]' in settings
    assert "pip install --require-hashes --requirement {project}/.ci/release.txt" in settings
    pinned = re.split(r"\n(?=\S)", (ROOT / ".ci" / "release.txt").read_text(encoding="utf-8").strip())
    assert all(each.startswith("#") or re.match(r"[\w.-]+==[\w.]+.*\n +--hash=sha256:", each) for each in pinned)


def test_files_of_a_release_have_provenance() -> None:
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    draft = text[text.index("  draft:") : text.index("  publish:")]
    assert draft.index("attest-build-provenance@") < draft.index("gh release create")
    assert "attestations: write" in draft
