"""Build the site into site/, with warnings as errors.

    python -m docs.build              everything
    python -m docs.build generate     only what is kept in the repository: pictures, outputs, the page of commands

Zensical, which succeeds Material for MkDocs, makes the site from mkdocs.yml. It runs neither hooks nor notebooks, so
this script does what comes before and after: it draws pictures, refreshes outputs, runs the notebooks, compiles the
explorer, and checks that the reference has every public name.
"""

from __future__ import annotations

import html
import inspect
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from docs import examples, pictures, screenshot
from docs.narrow import WIDTH
from explorer import build as explorer

DOCS = Path(__file__).parent
ROOT = DOCS.parent
COMMANDS = DOCS / "command_line.md"
# The classes of integrations.torch are made from the losses, as its page says.
MODULES = (
    *("cutoffs", "datasets", "discounts", "errors", "gains", "learners", "losses", "measures", "ranks"),
    *("integrations.dask", "integrations.lightgbm", "integrations.pytrec_eval", "integrations.xgboost"),
    *("report", "report.figures", "stats", "theory"),
)
_SHORT = 30  # lines of code that fit on a page together with other things
INLINE = "(?<!</span>)<code>"  # a block of code begins with an empty span
_OPERATOR = "(?:[-+*/=]|&lt;=?|&gt;=?)"
_OPERAND = r"[\w.^|()/*]*\w[\w.^|()/*]*"
_FORMULA = re.compile(rf"{_OPERAND}(?: {_OPERATOR} {_OPERAND})+|\bL-BFGS\b|\b\d+e-\d+\b")
_FITTING = 28  # characters of a formula that fits on any line


def commands_page() -> str:
    """Return the page of the command line: what ``--help`` prints, command by command."""
    from click.testing import CliRunner

    from idealrank.cli.group import commands

    lines = ["# Command line", "", "This page shows what `idealrank COMMAND --help` prints for each command."]
    lines += ["The [tutorial](tutorial.md) shows the most important commands.", ""]
    for name in commands.commands:
        shown = CliRunner(env={"COLUMNS": str(WIDTH)}).invoke(commands, [name, "--help"], terminal_width=WIDTH)
        about = commands.commands[name].short_help
        lines += [f"## {name}", "", f"{about}", "", "```text", shown.output.strip(), "```", ""]
    return "\n".join(lines)


def generate() -> None:
    """Write what is kept in the repository and tested to be up to date."""
    pictures.main()
    examples.main()
    if screenshot.is_possible():
        screenshot.main()
    COMMANDS.write_text(commands_page(), encoding="utf-8")


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


def missing_names(folder: Path) -> list[str]:
    """Return the public classes and functions that have no heading on the built pages of the reference."""
    pages = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.html"))
    shown = set(re.findall(r'<h\d id="[\w.]*\.(\w+)"', pages))
    missing = []
    for name in ("idealrank", *(f"idealrank.{module}" for module in MODULES)):
        module = import_module(name)
        public = {each: getattr(module, each) for each in module.__all__}
        kinds = (inspect.isclass, inspect.isfunction)
        missing += [f"{name}.{each}" for each in sorted(public.keys() - shown) if any(of(public[each]) for of in kinds)]
    return missing


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


def with_blocks_marked(page: str) -> str:
    r"""Return a page whose short blocks of code, and the entries of long plain ones, can be kept whole on paper.

    >>> with_blocks_marked("<pre><span></span><code>short\n</code></pre>")
    '<pre class="short"><span></span><code>short\n</code></pre>'
    >>> long = "  -a  First,\n      and more.\n" + "  -b  Second.\n" * 30
    >>> with_blocks_marked(f"<pre><span></span><code>{long}</code></pre>")[:80]
    '<pre><span></span><code><span class="entry">  -a  First,\n      and more.\n</span>'
    """

    def marked(block: re.Match[str]) -> str:
        code = block[2]
        if code.count("\n") <= _SHORT:
            return f'<pre class="short">{block[1]}{code}{block[3]}'
        if "<" in code:  # its words are marked, so its lines cannot be
            return block[0]
        entry = r"^(?: *\S.*:\n)? {0,2}\S.*\n(?:(?: {3,}.*)?\n)*"  # with the heading above it
        entries = re.sub(entry, r'<span class="entry">\g<0></span>', code, flags=re.M)
        return f"<pre>{block[1]}{entries}{block[3]}"

    return re.sub(r"<pre>((?:<span></span>)?<code>)(.*?)(</code></pre>)", marked, page, flags=re.S)


def with_whole_formulas(page: str) -> str:
    """Return a page where no line ends within a short formula, and none within a long one except before an operator.

    >>> with_whole_formulas("<p>by default, 1/log2(1 + r), <code>1 + r</code></p>")
    '<p>by default, <span class="formula">1/log2(1 + r)</span>, <code>1 + r</code></p>'
    """

    def whole(found: re.Match[str]) -> str:
        short = len(html.unescape(found[0])) <= _FITTING
        parts = [found[0]] if short else re.split(f" (?={_OPERATOR} )", found[0])
        return " ".join(f'<span class="formula">{part}</span>' if re.search("[ -]", part) else part for part in parts)

    parts = re.split(r"(<(code|pre|script|style|head|nav)\b.*?</\2>|<[^>]*>)", page, flags=re.DOTALL)
    texts = (_FORMULA.sub(whole, text) for text in parts[::3])
    return "".join(text + tag for text, tag in zip(texts, [*parts[1::3], ""], strict=True))


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


def main(*what: str) -> int:
    """Build the site; return 1 if anything is wrong with it."""
    generate()
    if what == ("generate",):
        return 0
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (DOCS / "changelog.md").write_text(changes.replace("](docs/", "]("), encoding="utf-8")
    explorer.main(DOCS / "explore.html")
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
        page = with_blocks_marked(with_breaks(with_whole_options(path.read_text(encoding="utf-8"))))
        if path.is_relative_to(ROOT / "site" / "api"):
            page = with_modules_apart(with_whole_formulas(page))
        path.write_text(page, encoding="utf-8")
    missing = missing_names(ROOT / "site" / "api")
    for name in missing:
        print(f"{name} is on no page of docs/api", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
