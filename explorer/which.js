/* The second tab: which NDCG tells two rankers apart, by the theory of long lists. */
const SHAPES = {
  good: ["good everywhere", (s) => s ** 3],
  fair: ["fair", (s) => 0.15 + s],
  weak: ["weak", (s) => 0.7 + 0.6 * s],
  random: ["random", () => 1],
  top: ["good at the very top only", (s) => (s > 0.9 ? 4 : 1)],
  below: ["good, but not at the top", (s) => (s > 0.95 ? 1 : 0.3 + 1.7 * s)],
};
const STEPS = 20;
const shapeOf = (name) => Array.from({ length: STEPS }, (_, j) => SHAPES[name][1]((j + 0.5) / STEPS));
const CUTOFF_KINDS = { none: "all ranks", rank: "k ranks", fraction: "a share of the list", power: "a power of the list" };
let which = null;
const freshWhich = () => ({ a: "fair", b: "weak", shapes: { a: shapeOf("fair"), b: shapeOf("weak") }, p: 0.2, discount: "log", exponent: 0.5, cutoff: "none", rank: 10, fraction: 0.2, power: 0.5, n: 1000, fit: null });

const measureOf = (of) => ({ discount: of.discount === "log" ? "log" : of.exponent, cutoff: of.cutoff === "none" ? null : { [of.cutoff]: of[of.cutoff] } });
function measureText({ discount, cutoff }) {
  const by = discount === "log" ? "" : discount === 1 ? "(discount=zipf)" : `(discount=power:${theory.g(discount)})`;
  const at = cutoff === null ? "" : cutoff.rank ? `@${cutoff.rank}` : cutoff.fraction ? `@${theory.g(100 * cutoff.fraction)}%` : `@n^${theory.g(cutoff.power)}`;
  return `ndcg${by}${at}`;
}
const curvesOf = (of) => (of.fit ? [of.fit.a, of.fit.b] : ["a", "b"].map((side) => theory.shaped(of.shapes[side], of.p)));

window.whichSettings = () => {
  const found = new URLSearchParams({ tab: "which" });
  const fresh = freshWhich();
  for (const name of ["a", "b", "p", "discount", "exponent", "cutoff", "rank", "fraction", "power", "n"]) if (which && String(which[name]) !== String(fresh[name])) found.set(name, which[name]);
  if (which && !which.fit) for (const side of ["a", "b"]) if (which[side] === "drawn") found.set(`${side}-curve`, which.shapes[side].map((value) => Math.round(value * 100)).join("."));
  return found;
};
window.openWhich = (parameters) => {
  if (parameters.get("tab") !== "which") return;
  which = freshWhich();
  const numberIn = (name, low, high) => { const value = Number(parameters.get(name)); if (parameters.has(name) && value >= low && value <= high) which[name] = value; };
  for (const side of ["a", "b"]) {
    const name = parameters.get(side), drawn = parameters.get(`${side}-curve`)?.split(".").map((text) => Number(text) / 100);
    if (SHAPES[name]) [which[side], which.shapes[side]] = [name, shapeOf(name)];
    else if (name === "drawn" && drawn?.length === STEPS && drawn.every((value) => value >= 0 && value < 1e6)) [which[side], which.shapes[side]] = ["drawn", drawn];
  }
  if (["log", "power"].includes(parameters.get("discount"))) which.discount = parameters.get("discount");
  if (CUTOFF_KINDS[parameters.get("cutoff")]) which.cutoff = parameters.get("cutoff");
  numberIn("p", 0.01, 0.9);
  numberIn("exponent", 0, 2);
  numberIn("rank", 1, 1000);
  numberIn("fraction", 0.01, 0.99);
  numberIn("power", 0.05, 0.95);
  numberIn("n", 10, 1e6);
  which.rank = Math.round(which.rank);
  which.n = Math.round(which.n);
};

window.startWhich = () => {
  which ??= freshWhich();
  if (!$("which").hasChildNodes()) buildWhich();
  drawWhich();
};

function buildWhich() {
  const slider = (id, text, low, high, step, write) => h("label", { class: "wide" }, h("span", {}, text, " ", h("output", { id: `${id}-now`, for: id })), h("input", { id, type: "range", min: low, max: high, step, oninput: (event) => { write(Number(event.target.value)); drawWhich(); } }));
  const change = (name) => (value) => { which[name] = value; };
  const shape = (side) => h("label", {}, h("span", {}, h("span", { class: `tag ${side}` }, side.toUpperCase()), " is"), h("select", { id: `shape-${side}`, onchange: (event) => { which.fit = null; which[side] = event.target.value; which.shapes[side] = shapeOf(event.target.value); drawWhich(); } }, Object.entries(SHAPES).map(([name, [words]]) => h("option", { value: name }, words)), h("option", { value: "drawn", disabled: true }, "as drawn")));
  $("which").append(
    h("p", {}, "A ranker is described by its relevance curve: how likely a document is relevant, from the end of the list to its top. From two curves, the theorems say which value NDCG converges to on long lists, and whether it tells the two rankers apart."),
    h("div", { class: "panels" },
      h("div", {},
        h("section", { class: "panel", "aria-labelledby": "curves-title" },
          h("h2", { id: "curves-title" }, "Two rankers of the same documents"),
          h("div", { class: "controls" }, shape("a"), shape("b")),
          h("div", { class: "curves", id: "curves" }),
          h("p", { class: "note help", id: "curves-note" }, "Drag a curve to draw it, or use the arrow keys on a step. The share of relevant documents stays the same for both."),
          h("div", { id: "share-control" }, slider("share", "Relevant documents", 0.02, 0.6, 0.01, change("p"))),
          h("div", { class: "controls" },
            h("label", {}, "Judgments", h("input", { type: "file", id: "which-judgments", onchange: (event) => takeWhich([...event.target.files]) })),
            h("label", {}, "Two runs", h("input", { type: "file", id: "which-runs", multiple: true, onchange: (event) => takeWhich([...event.target.files]) }))),
          h("p", { class: "note", id: "which-note", role: "status" }, "Or take the curves from judgments and two runs: the judged documents are ranked, and those that a run does not retrieve come last.")),
        h("section", { class: "panel", style: "margin-top:1.5rem", "aria-labelledby": "measure-title" },
          h("h2", { id: "measure-title" }, "The measure"),
          h("div", { class: "controls" },
            h("label", {}, "Discount", h("select", { id: "discount", onchange: (event) => { which.discount = event.target.value; drawWhich(); } }, h("option", { value: "log" }, "1 / log(1 + rank), standard"), h("option", { value: "power" }, "rank to a power"))),
            h("label", {}, "Cutoff", h("select", { id: "cutoff-kind", onchange: (event) => { which.cutoff = event.target.value; drawWhich(); } }, Object.entries(CUTOFF_KINDS).map(([value, words]) => h("option", { value }, words))))),
          h("div", { id: "exponent-control" }, slider("exponent", "Exponent b of rank^-b", 0, 2, 0.05, change("exponent"))),
          h("div", { id: "rank-control" }, slider("rank", "Ranks that count, k", 1, 100, 1, change("rank"))),
          h("div", { id: "fraction-control" }, slider("fraction", "Share of the list that counts", 0.01, 0.99, 0.01, change("fraction"))),
          h("div", { id: "power-control" }, slider("power", "Exponent p: the first n^p ranks count", 0.05, 0.95, 0.05, change("power"))),
          slider("length", "Documents per list, n", 1, 6, 0.05, (value) => { which.n = Math.round(10 ** value); }))),
      h("section", { class: "panel", "aria-labelledby": "verdict-title", "aria-live": "polite" },
        h("h2", { id: "verdict-title" }, "Can it tell them apart?"),
        h("p", { class: "verdict", id: "verdict" }),
        h("div", { class: "figures-now", id: "figures" }),
        h("div", { class: "chart", id: "chances" }),
        h("p", { class: "theorem", id: "theorem" }),
        h("h3", { style: "margin-top:1.25rem" }, "Which discount tells them apart soonest?"),
        h("div", { class: "scroll", id: "soonest" }),
        h("p", { class: "note" }, "Rankers are taken to be independent given their curves, and noise to be normal, as in idealrank.theory: gap, documents_needed and queries_needed."))),
    h("section", { "aria-labelledby": "which-code-title" }, h("h2", { id: "which-code-title" }, "The same in code, and as a link"),
        h("div", { class: "code" }, h("h3", { id: "which-code-kind" }, "Python"), h("pre", { id: "which-python", tabindex: "0" }), h("button", { type: "button", id: "copy-which-python", onclick: () => copyOnce("copy-which-python", $("which-python").textContent) }, "Copy")),
        h("div", { class: "code" }, h("h3", {}, "The link opens this view."), h("pre", { id: "which-link", tabindex: "0" }), h("button", { type: "button", id: "copy-which-link", onclick: () => copyOnce("copy-which-link", $("which-link").textContent) }, "Copy"))),
  );
}
async function copyOnce(id, text) {
  const button = copyButton(text, id);
  $(id).replaceWith(button);
  button.click();
}

/* The curves as steps; dragging sets the height of a step, relative to the others. */
function drawCurves(a, b) {
  const width = 520, height = 230, left = 34, bottom = 34, top = 8;
  const best = Math.max(a.levels[0], b.levels[0]);
  const highest = which.fit ? Math.max(...a.means, ...b.means, 1e-9) * 1.1 : Math.min(1, Math.max(...a.means, ...b.means) * 1.25);
  const x = (s) => left + s * (width - left - 6), y = (value) => height - bottom - (value / highest) * (height - bottom - top);
  const outline = (curve) => {
    let path = `M${x(0)},${y(0)}`;
    curve.means.forEach((value, j) => { path += `L${x(curve.edges[j])},${y(value)}L${x(curve.edges[j + 1])},${y(value)}`; });
    return `${path}L${x(1)},${y(0)}Z`;
  };
  const { ticks, digits } = niceTicks(0, highest, 4);
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Relevance curves of A and B" },
    ticks.map((tick) => [s("line", { class: "grid", x1: left, x2: width - 6, y1: y(tick), y2: y(tick) }), s("text", { class: "small", x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(digits))]),
    s("path", { class: "b", d: outline(b), "stroke-width": 2 }), s("path", { class: "a", d: outline(a), "stroke-width": 2 }),
    s("text", { class: "small", x: left, y: height - 14 }, "end of the list"), s("text", { class: "small", x: width - 6, y: height - 14, "text-anchor": "end" }, "top of the list"),
    s("text", { class: "small", x: left, y: height }, best === 1 ? "Height: the chance that a document is relevant" : "Height: the expected gain"));
  if (!which.fit) {
    const set = (side, step, value) => {
      const curve = side === "a" ? a : b;
      which.shapes[side] = curve.means.slice();
      which.shapes[side][step] = clipTo(value, 0.001, 1);
      which[side] = "drawn";
    };
    const clipTo = (value, low, high) => Math.min(Math.max(value, low), high);
    for (const side of ["b", "a"]) {
      const curve = side === "a" ? a : b;
      curve.means.forEach((value, j) => {
        const handle = s("rect", { class: `bar handle-${side}`, x: x(curve.edges[j]), width: x(curve.edges[j + 1]) - x(curve.edges[j]), y: y(value) - 9, height: 18, fill: "transparent", tabindex: "0", role: "slider", "aria-label": `${side.toUpperCase()}, step ${j + 1} of ${STEPS}`, "aria-valuenow": value.toFixed(3), "aria-valuemin": "0", "aria-valuemax": "1", "data-step": `${side}${j}` });
        handle.addEventListener("keydown", (event) => {
          const by = { ArrowUp: 1.1, ArrowDown: 1 / 1.1 }[event.key];
          if (!by) return;
          event.preventDefault();
          set(side, j, value * by + (by > 1 ? 0.002 : 0));
          drawWhich();
          document.querySelector(`[data-step="${side}${j}"]`)?.focus();
        });
        svg.append(handle);
      });
    }
    svg.addEventListener("pointerdown", (event) => {
      const box = svg.getBoundingClientRect(), scale = width / box.width;
      const at = (pointer) => [clipTo(((pointer.clientX - box.left) * scale - left) / (width - left - 6), 0, 0.9999), clipTo(((height - bottom - (pointer.clientY - box.top) * scale) / (height - bottom - top)) * highest, 0.001, highest)];
      const [place, value] = at(event), step = Math.floor(place * STEPS);
      const side = Math.abs(a.means[step] - value) <= Math.abs(b.means[step] - value) ? "a" : "b";
      const base = (side === "a" ? a : b).means.slice();
      event.preventDefault();
      const draw = (pointer) => {
        const [here, high] = at(pointer);
        base[Math.floor(here * STEPS)] = high;
        which.shapes[side] = base.slice();
        which[side] = "drawn";
        drawWhich();
      };
      const stop = () => { removeEventListener("pointermove", draw); removeEventListener("pointerup", stop); removeEventListener("pointercancel", stop); };
      addEventListener("pointermove", draw);
      addEventListener("pointerup", stop);
      addEventListener("pointercancel", stop);
      draw(event);
    });
  }
  $("curves").replaceChildren(svg);
}

const HOW = { consistently: "Yes", "in expectation": "Only on average", no: "No", undecided: "Theory does not say" };
const MEANING = {
  consistently: "the longer the lists, the more surely the measure tells them apart",
  "in expectation": "only averages over queries tell them apart: a single list stays random, however long it is",
  no: "the measure cannot tell them apart, however long the lists are",
  undecided: "theory does not say whether longer lists would tell them apart",
};
const sentence = (text) => (text ? `${text[0].toUpperCase()}${text.slice(1)}.` : "");
function told(theorem) {
  const name = theorem.split(";")[0], { paper, statements } = DATA.theorems;
  const known = [name, name.split(",")[0]].find((each) => statements[each]);
  return known ? `${paper}, ${name}: ${statements[known]}` : "";
}

let soon = null;
function drawWhich() {
  const [a, b] = curvesOf(which), measure = measureOf(which), n = which.n;
  for (const side of ["a", "b"]) $(`shape-${side}`).value = which.fit ? "drawn" : which[side];
  $("discount").value = which.discount;
  $("cutoff-kind").value = which.cutoff;
  const show = (id, value, text) => { $(id).value = value; $(`${id}-now`).textContent = text; };
  show("share", which.p, `${Math.round(100 * which.p)}%`);
  show("exponent", which.exponent, String(which.exponent));
  show("rank", which.rank, String(which.rank));
  show("fraction", which.fraction, `${Math.round(100 * which.fraction)}%`);
  show("power", which.power, String(which.power));
  show("length", Math.log10(n), count(n));
  $("share-control").hidden = which.fit !== null;
  $("which-note").classList.toggle("help", which.fit === null);
  $("exponent-control").hidden = which.discount !== "power";
  for (const kind of ["rank", "fraction", "power"]) $(`${kind}-control`).hidden = which.cutoff !== kind;
  drawCurves(a, b);

  const found = theory.verdict(measure, a, b), gap = theory.gap(measure, a, b, n);
  const lead = gap.sd > 1e-12 ? gap.mean / gap.sd : 0, ahead = gap.mean >= 0 ? "A" : "B";
  $("verdict").replaceChildren(h("b", {}, `${HOW[found.how]}. `), sentence(MEANING[found.how]));
  const figure = (value, text, id) => h("div", {}, h("b", { id }, value), h("span", {}, text));
  const limits = [a, b].map((curve) => theory.limit(measure, curve));
  const queries = theory.queriesNeeded(Math.abs(gap.mean) < 1e-12 ? { mean: 0, sd: gap.sd } : gap);
  $("figures").replaceChildren(
    figure(Number.isNaN(limits[0]) ? "none" : fixed(limits[0]), Number.isNaN(limits[0]) ? "limit of A: it stays random" : "limit of A on ever longer lists", "limit-a"),
    figure(Number.isNaN(limits[1]) ? "none" : fixed(limits[1]), Number.isNaN(limits[1]) ? "limit of B: it stays random" : "limit of B on ever longer lists", "limit-b"),
    figure(signed(gap.mean), `mean gap, A − B, at n = ${count(n)}`, "gap"),
    figure(fixed(gap.sd), "noise: its standard deviation on one list", "noise"),
    figure(`${(100 * theory.normal(Math.abs(lead))).toFixed(1)}%`, Math.abs(gap.mean) < 1e-12 ? "chance that either wins on one list: neither is better" : `chance that ${ahead}, the better one, wins on one list`, "chance"),
    figure(Number.isFinite(queries) ? count(queries) : "never", Number.isFinite(queries) ? "queries until the better mean is ahead, 95% sure" : "the means are the same", "queries-needed"));
  $("theorem").textContent = [sentence(found.reason), told(found.theorem), found.rate ? `On lists of n documents: ${found.rate}.` : ""].filter(Boolean).join(" ") + (found.theorem && !told(found.theorem) ? ` ${found.theorem}.` : "");
  drawChances(a, b, measure, n);
  const curveText = (curve) => `[${curve.steps[0].map((value) => Number(value.toPrecision(6))).join(", ")}]`;
  const discount = measure.discount === "log" ? "log" : `power:${theory.g(measure.discount)}`;
  const cutoff = measure.cutoff === null ? "" : `, cutoff=${measure.cutoff.rank ?? measure.cutoff.fraction ?? `"n^${theory.g(measure.cutoff.power)}"`}`;
  $("which-python").textContent = which.fit ? `idealrank distinguish ${[which.fit.names[0], which.fit.names[1], which.fit.names[2]].map(quoted).join(" ")} -m '${measureText(measure)}'` : ["import numpy as np", "from idealrank import theory", "", `edges = np.linspace(0, 1, ${STEPS + 1})`, `a = theory.StepCurve(edges, ${curveText(a)})`, `b = theory.StepCurve(edges, ${curveText(b)})`, `print(theory.verdict("${discount}", a, b${cutoff}))`, `print(theory.gap("${discount}", a, b, n=${n}${cutoff}))`].join("\n");
  $("which-code-kind").textContent = which.fit ? "Command line" : "Python";
  remember();
  $("which-link").textContent = location.href;
  clearTimeout(soon);
  soon = setTimeout(() => drawSoonest(a, b, measure, n), 120);
}

/* The chance that the better ranker wins on one list, as lists grow; standard NDCG for comparison. */
function drawChances(a, b, measure, n) {
  const width = 460, height = 190, left = 40, bottom = 40, top = 10;
  const sizes = Array.from({ length: 21 }, (_, i) => Math.round(10 ** (1 + i / 4))).filter((size) => size >= 1 / a.p);
  const x = (size) => left + ((Math.log10(size) - 1) / 5) * (width - left - 10), y = (chance) => height - bottom - ((chance - 0.5) / 0.5) * (height - bottom - top);
  const chanceAt = (of, size) => { const { mean, sd } = theory.gap(of, a, b, size); return theory.normal(sd > 1e-12 ? Math.abs(mean) / sd : 0); };
  const line = (of) => sizes.map((size, i) => `${i ? "L" : "M"}${x(size).toFixed(1)},${y(chanceAt(of, size)).toFixed(1)}`).join("");
  const standard = { discount: "log", cutoff: null }, isStandard = measureText(measure) === "ndcg";
  const here = Math.min(Math.max(n, 10), 1e6);
  $("chances").replaceChildren(s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Chance that the better ranker wins on one list, by the length of the list" },
    [0.5, 0.75, 0.95, 1].map((chance) => [s("line", { class: "grid", x1: left, x2: width - 10, y1: y(chance), y2: y(chance) }), s("text", { class: "small", x: left - 5, y: y(chance) + 4, "text-anchor": "end" }, `${100 * chance}%`)]),
    [1, 2, 3, 4, 5, 6].map((power) => s("text", { class: "small", x: x(10 ** power), y: height - bottom + 16, "text-anchor": "middle" }, power < 4 ? (10 ** power).toLocaleString("en") : `10${"⁴⁵⁶"[power - 4]}`)),
    s("text", { class: "small", x: (left + width) / 2, y: height - 6, "text-anchor": "middle" }, "documents per list"),
    isStandard ? null : s("path", { class: "line", d: line(standard), stroke: "var(--neutral)", "stroke-dasharray": "4 4" }),
    s("path", { class: "line", d: line(measure), stroke: "var(--series-3)", "stroke-width": 2.5 }),
    s("line", { class: "cursor", x1: x(here), x2: x(here), y1: top, y2: height - bottom })),
  h("p", { class: "note" }, `The chance that the better ranker wins on one list: ${measureText(measure)}${isStandard ? "" : "; dashed: standard ndcg"}.`));
}

function drawSoonest(a, b, measure, n) {
  const candidates = ["log", 0.1, 0.3, 0.5, 0.7, 0.9, 1];
  const rows = candidates.map((discount) => {
    const of = { discount, cutoff: measure.cutoff }, gap = theory.gap(of, a, b, n);
    return { discount, documents: theory.documentsNeeded(of, a, b), queries: theory.queriesNeeded(Math.abs(gap.mean) < 1e-12 ? { mean: 0, sd: gap.sd } : gap) };
  });
  const by = (row) => row.documents ?? Infinity;
  const best = Math.min(...rows.map(by)), least = Math.min(...rows.map((row) => row.queries));
  const name = (discount) => (discount === "log" ? "1 / log(1 + rank)" : discount === 1 ? "1 / rank" : `rank^-${discount}`);
  const never = theory.sees({ discount: 0.5, cutoff: measure.cutoff }) === "few" ? "none is enough" : "over 1,000,000";
  $("soonest").replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Discount"), h("th", { scope: "col", class: "number" }, "Documents, one query"), h("th", { scope: "col", class: "number" }, `Queries, n = ${count(n)}`))),
    h("tbody", {}, rows.map((row) => h("tr", { "data-discount": row.discount }, h("th", { scope: "row" }, name(row.discount)), h("td", { class: `number ${by(row) === best && Number.isFinite(best) ? "up" : ""}` }, row.documents === null ? never : count(row.documents)), h("td", { class: `number ${row.queries === least && Number.isFinite(least) ? "up" : ""}` }, Number.isFinite(row.queries) ? count(row.queries) : "never"))))));
  $("which").dataset.done = `${measureText(measure)} ${n}`;
}

/* Judgments and two runs, chosen one after the other or together. */
const given = { judgments: null, runs: [] };
window.takeWhich = async (dropped) => {
  const note = $("which-note");
  try {
    for (const file of dropped) {
      const seems = await looksLike(file);
      if (seems === "judgments") given.judgments = file;
      else if (seems === "run") given.runs = [...given.runs, file].slice(-2);
      else throw new Error(`${file.name} is neither judgments nor a run${seems === "binary" ? ": it is not a text file" : seems === "empty" ? ": it is empty" : ""}. Judgments have lines like "${KINDS.judgments.form}", runs like "${KINDS.run.form}".`);
    }
    if (!given.judgments || given.runs.length < 2) {
      note.textContent = `${given.judgments ? given.judgments.name : "no judgments yet"}; ${given.runs.map((file) => file.name).join(", ") || "no run yet"}${given.runs.length === 1 ? ", and one run more" : ""}.`;
      return;
    }
    note.textContent = "Reading …";
    const own = new Worker_();
    await own.ask("load", { bytes: Uint8Array.from(atob(DATA.wasm), (character) => character.charCodeAt(0)) });
    const read = async (kind, file) => own.ask("read", { kind, file }).catch((error) => { throw new Error(`${file.name}${error.line > 0 ? `, line ${count(error.line)}` : ""}: ${error.message}`); });
    await read("judgments", given.judgments);
    const curves = [];
    for (const file of given.runs) {
      await read("run", file);
      const { queries, common } = await own.ask("judged");
      if (common === 0) throw new Error(`${given.judgments.name} and ${file.name} have no query in common.`);
      curves.push(queries);
    }
    own.worker.terminate();
    // The queries that both runs have, as the library compares them.
    const both = curves[0].map((query, place) => query !== null && curves[1][place] !== null);
    const kept = curves.map((queries) => queries.filter((_, place) => both[place]));
    if (kept[0].length === 0) throw new Error("The two runs have no judged query in common.");
    if (!kept[0].some((query) => query.gains.some((gain) => gain > 0))) throw new Error("No document is relevant: there is nothing to compare.");
    const [a, b] = kept.map((queries) => theory.fitted(queries));
    which.fit = { a, b, names: [given.judgments.name, ...given.runs.map((file) => file.name)] };
    which.n = Math.round(Math.min(1e6, Math.max(10, kept[0].reduce((sum, query) => sum + query.gains.length, 0) / kept[0].length)));
    note.textContent = `A: ${given.runs[0].name}, B: ${given.runs[1].name}, on ${plural(kept[0].length, "query", "queries")}. The gain is the label; n is set to the mean number of judged documents.`;
    drawWhich();
  } catch (error) {
    note.textContent = error.message;
  }
};
