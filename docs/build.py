"""Build the site into site/, with warnings as errors.

    python -m docs.build              everything
    python -m docs.build generate     only what is kept in the repository: pictures and outputs

Zensical, which succeeds Material for MkDocs, makes the site from mkdocs.yml. It runs neither hooks nor notebooks, so
this script does what comes before and after: it draws pictures, refreshes outputs, runs the notebooks, compiles the
explorer, writes the pages of commands and of the reference, and redirects old addresses.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from docs import examples, pictures, screenshot
from docs.narrow import WIDTH
from explorer import build as explorer

DOCS = Path(__file__).parent
ROOT = DOCS.parent
#: Addresses that were given up, and where their content is.
MOVED = {
    **{f"api/{page.stem}": f"reference/{page.stem}/" for page in (DOCS / "api").glob("*.md")},
    "answers": "faq/",
    "clusters": "large_data/",
    "command_line": "commands/",
    "explorer": "conventions/#see-it-on-your-files",
    "large_lists": "large_data/",
    "retrieval": "conventions/",
    "top_k": "recommenders/#evaluate-top-k-lists",
    "which_test": "statistics/#which-test-should-i-use",
    "your_loss": "which_loss/#a-loss-of-your-own",
    "your_tool": "conventions/#the-tools",
}
INLINE = "(?<!</span>)<code>"  # a block of code begins with an empty span


def write_commands(folder: Path = DOCS / "commands") -> None:
    """Write a page per command, which is what its ``--help`` prints, and their index."""
    from click.testing import CliRunner

    from idealrank.cli.group import commands

    folder.mkdir(exist_ok=True)
    index = ["# Commands", "", "| command | |", "| --- | --- |"]
    for name, command in commands.commands.items():
        shown = CliRunner(env={"COLUMNS": str(WIDTH)}).invoke(commands, [name, "--help"], terminal_width=WIDTH)
        page = f"# idealrank {name}\n\n{command.short_help}\n\n```text\n{shown.output.strip()}\n```\n"
        if (DOCS / "schemas" / f"{name}.json").exists():
            page += f"\n`--format json` is described by a [JSON Schema](../schemas/{name}.json).\n"
        (folder / f"{name}.md").write_text(page, encoding="utf-8")
        index.append(f"| [`{name}`]({name}.md) | {command.short_help} |")
    (folder / "index.md").write_text("\n".join([*index, ""]), encoding="utf-8")


def generate() -> None:
    """Write what is kept in the repository and tested to be up to date."""
    pictures.main()
    examples.main()
    if screenshot.is_possible():
        screenshot.main()


def run_notebook(path: Path) -> None:
    """Run a notebook, and write what it shows as a page of the same name."""
    import nbformat
    from nbconvert import MarkdownExporter
    from nbconvert.preprocessors import ExecutePreprocessor

    notebook = nbformat.read(path, as_version=4)
    ExecutePreprocessor(timeout=600).preprocess(notebook, {"metadata": {"path": str(path.parent)}})
    text, resources = MarkdownExporter().from_notebook_node(notebook, {"output_files_dir": f"{path.stem}_files"})
    for name, content in resources["outputs"].items():
        (path.parent / name).parent.mkdir(exist_ok=True)
        (path.parent / name).write_bytes(content)
    title, rest = text.lstrip().split("\n", 1)
    note = f"*This page is a notebook, run when the site was built: [download it]({path.name}).*"
    page = f"{title}\n\n{note}\n{figures_named_by_section(rest)}"
    path.with_suffix(".md").write_text(page, encoding="utf-8")


def figures_named_by_section(text: str) -> str:
    r"""Return Markdown whose figures, all of them called "png" by nbconvert, have the title of their section.

    >>> figures_named_by_section("## By cutoff\n\n![png](a.png)")
    '## By cutoff\n\n![By cutoff](a.png)'
    """
    sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return "".join(part.replace("![png]", f"![{part.splitlines()[0].lstrip('# ')}]") for part in sections if part)


def with_whole_options(page: str) -> str:
    """Return a page where no line ends within an option: browsers break lines after any hyphen.

    >>> with_whole_options("<code>idealrank --version</code> or <code>a-b</code>")
    '<code>idealrank <span class="option">--version</span></code> or <code>a-b</code>'
    >>> with_whole_options("<code>--v9</code>")
    '<code><span class="option">--v9</span></code>'
    """

    def spanned(code: re.Match[str]) -> str:
        return re.sub(r"(?<![^\s>])--?[A-Za-z][\w-]*", r'<span class="option">\g<0></span>', code[0])

    return re.sub(rf"{INLINE}[^<]*</code>", spanned, page)


def with_breaks(page: str) -> str:
    """Return a page where a line may end after a sign within a long name, so that no word is cut on a phone.

    >>> with_breaks("<code>integrations.pytrec_eval</code>, not <code>a.b</code>")
    '<code>integrations.<wbr>pytrec_<wbr>eval</code>, not <code>a.b</code>'
    """

    def breakable(code: re.Match[str]) -> str:
        return re.sub(r"(?<=\w)[/._(,=@:]+(?=\w)(?![^<]*</span>)", r"\g<0><wbr>", code[0])

    option = r'<span class="option">[^<]*</span>'
    return re.sub(rf"{INLINE}(?=[^<]{{12}})(?:[^<]|{option})*</code>", breakable, page)


def with_modules_apart(page: str) -> str:
    """Return a page of the reference whose headings set the module apart from the name, and may be broken at dots.

    >>> with_modules_apart('<span class="doc doc-object-name doc-class-name">stats.Interval</span>')
    '<span class="doc doc-object-name doc-class-name"><span class="module">stats.<wbr></span>Interval</span>'
    """

    def apart(heading: re.Match[str]) -> str:
        return f'{heading[1]}<span class="module">{heading[2].replace(".", ".<wbr>")}</span>'

    return re.sub(r'(<span class="doc doc-object-name [\w-]+">)((?:\w+\.)+)(?=\w+</span>)', apart, page)


def with_way_back(page: str) -> str:
    """Return the page for addresses that do not exist, with a sentence that leads elsewhere.

    >>> with_way_back("<h1>404 - Not found</h1>")
    '<h1>Page not found</h1><p>Search for it above, or start at <a href="/">the home page</a>.</p>'
    """
    found = re.search(r'href="([^"]*)" title="idealrank"', page)  # where the logo leads
    home = found[1] if found else "/"
    text = f'<h1>Page not found</h1><p>Search for it above, or start at <a href="{home}">the home page</a>.</p>'
    return page.replace("<h1>404 - Not found</h1>", text)


def redirect(old: str, new: str) -> None:
    """Lead from an address that was given up to the page that has its content."""
    target = f"{'../' * (old.count('/') + 1)}{new}"
    page = f'<!doctype html><meta http-equiv="refresh" content="0; url={target}"><a href="{target}">Moved</a>'
    (ROOT / "site" / old).mkdir(parents=True, exist_ok=True)
    (ROOT / "site" / old / "index.html").write_text(f"{page}\n", encoding="utf-8")


def main(*what: str) -> int:
    """Build the site; return 1 if anything is wrong with it."""
    generate()
    if what == ("generate",):
        return 0
    from docs import reference

    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (DOCS / "changelog.md").write_text(changes.replace("](docs/", "]("), encoding="utf-8")
    explorer.main(DOCS / "explore.html")
    write_commands()
    reference.write()
    for path in sorted((DOCS / "notebooks").glob("*.ipynb")):
        run_notebook(path)
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # ruff wraps signatures
    made = subprocess.run(command, cwd=ROOT, env=os.environ | {"PATH": programs}, check=False)
    if made.returncode:
        return made.returncode
    lost = ROOT / "site" / "404.html"
    lost.write_text(with_way_back(lost.read_text(encoding="utf-8")), encoding="utf-8")
    for path in (ROOT / "site").rglob("index.html"):
        page = with_breaks(with_whole_options(path.read_text(encoding="utf-8")))
        if path.is_relative_to(ROOT / "site" / "reference"):
            page = with_modules_apart(page)
        path.write_text(page, encoding="utf-8")
    for old, new in MOVED.items():
        redirect(old, new)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
