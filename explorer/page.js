/* The first tab: files, numbers, the way from one to the other. */
const DATA = JSON.parse(document.getElementById("data").textContent);
const PRESETS = DATA.presets, SWITCHES = DATA.switches;
const choiceTitle = (choice) => DATA.words[choice]?.title ?? choice;
const inWords = (choice, value) => DATA.words[choice]?.values[value === null ? "None" : value] ?? String(value);
const changeInWords = ({ choice, before, after }) => `${inWords(choice, before)} → ${inWords(choice, after)}`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const $ = (id) => document.getElementById(id);

/* h("a", {href, onclick, class}, children...) makes an element; s(...) one of SVG. */
const made = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
};
const h = (tag, attributes, ...children) => made(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => made(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const count = (n) => n.toLocaleString("en-US");
const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
const minus = (text) => text.replace("-", "−");
const fixed = (value, digits = 4) => (Number.isNaN(value) ? "none" : minus(value.toFixed(digits)));
const signed = (value, digits = 4) => (Number.isNaN(value) ? "" : (value < 0 ? "" : "+") + fixed(value, digits));

/* ---- The worker ---------------------------------------------------------------------------------------------------- */

class Worker_ {
  constructor() {
    const source = URL.createObjectURL(new Blob([DATA.worker], { type: "text/javascript" }));
    this.worker = new Worker(source);
    this.waiting = new Map();
    this.next = 0;
    this.worker.onmessage = ({ data }) => {
      const { id, progress, ...answer } = data;
      const [resolve, reject, onProgress] = this.waiting.get(id) ?? [];
      if (progress !== undefined) return onProgress?.(progress);
      this.waiting.delete(id);
      if (answer.error === undefined) resolve?.(answer);
      else reject?.(Object.assign(new Error(answer.error), { line: answer.line, column: answer.column, broken: answer.broken }));
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      for (const [, reject] of this.waiting.values()) reject(new Error(event.message || "the worker did not start"));
      this.waiting.clear();
    };
  }
  ask(task, data = {}, onProgress = null) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, [resolve, reject, onProgress]);
      this.worker.postMessage({ id, task, ...data });
    });
  }
}

let worker = null;
async function started() {
  if (worker !== null) return worker;
  if (typeof WebAssembly === "undefined" || typeof Worker === "undefined") {
    throw new Error("This browser has no WebAssembly, which the page computes with. Use a current Chrome, Edge, Firefox or Safari, or allow WebAssembly for this page; or install idealrank and run: idealrank explain qrels.txt run.txt --like trec_eval --like sklearn");
  }
  const fresh = new Worker_();
  const bytes = Uint8Array.from(atob(DATA.wasm), (character) => character.charCodeAt(0));
  try {
    await fresh.ask("load", { bytes });
  } catch (error) {
    throw new Error(`WebAssembly does not run here (${error.message}). Use a current Chrome, Edge, Firefox or Safari; or install idealrank and run: idealrank explain qrels.txt run.txt --like trec_eval --like sklearn`);
  }
  worker = fresh;
  return worker;
}

/* ---- State and permalink --------------------------------------------------------------------------------------------- */

const CUTOFFS = [["", "all ranks"], ["1", "1"], ["3", "3"], ["5", "5"], ["10", "10"], ["20", "20"], ["100", "100"], ["1000", "1000"], ["20%", "20% of the list"], ["own", "other…"]];
const EMPTY_STATE = { tab: "why", k: "10", a: "", b: "", q: "", own: null };
let state = { ...EMPTY_STATE };
let files = { judgments: null, run: null }; // {name, size, text?, queries, documents, duplicates, example?}
let queryIds = [];
let means = new Map(); // tool -> {mean, values, counted} or {refused, query}
let shownQueries = 50, listDepth = 20;
let generation = 0; // of the results on show: answers for older ones are dropped

const presetOf = (name) => PRESETS.find((preset) => preset.name === name);
const toolName = (name) => (name === "yours" ? "your own" : presetOf(name)?.tool ?? name);
const measureName = () => (state.k ? `ndcg@${state.k}` : "ndcg");
const validCutoff = (text) => text === "" || /^[1-9]\d{0,8}$/.test(text) || (/^\d+(\.\d+)?%$/.test(text) && parseFloat(text) > 0 && parseFloat(text) < 100) || (/^n\^0?\.\d+$/.test(text) && parseFloat(text.slice(2)) > 0);

function choicesOf(name) {
  const own = name === "yours" ? state.own : null;
  const base = presetOf(own ? own.base : name).choices;
  const choices = { ...base, ...(own ? own.changes : {}) };
  if (state.k) choices.cutoff = state.k.replace(/^n\^\./, "n^0.");
  return choices;
}
const names = () => [...PRESETS.map((preset) => preset.name), ...(state.own ? ["yours"] : [])];

async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
async function unpacked(packedText) {
  const binary = atob(packedText.replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

const LONGEST_DATA = 24_000;
function settings() {
  const found = new URLSearchParams();
  if (state.tab === "which") return new URLSearchParams(window.whichSettings ? window.whichSettings() : "tab=which");
  if (files.judgments?.example) found.set("data", "example");
  if (state.k !== "10") found.set("k", state.k || "all");
  for (const name of ["a", "b", "q"]) if (state[name]) found.set(name, state[name]);
  if (state.own) {
    const changes = Object.entries(state.own.changes).map(([name, value]) => `${name}=${value}`);
    found.set("own", [state.own.base, ...changes].join(";"));
  }
  return found;
}
/* The link to what is on show; small data goes into it, after the #, which browsers do not send. */
async function permalink() {
  const found = settings();
  let holds = "settings";
  if (state.tab === "why" && files.judgments && files.run) {
    if (files.judgments.example) holds = "example";
    else if (files.judgments.text && files.run.text && typeof CompressionStream !== "undefined") {
      const data = await packed(JSON.stringify([files.judgments.name, files.judgments.text, files.run.name, files.run.text]));
      if (data.length <= LONGEST_DATA) {
        found.set("with", data);
        holds = "data";
      }
    }
  }
  return { link: `${location.href.split("#")[0]}#${found}`, holds };
}
function remember() {
  const with_ = new URLSearchParams(location.hash.slice(1)).get("with");
  const found = settings();
  if (with_ && state.tab === "why" && linkData === with_) found.set("with", with_);
  history.replaceState(null, "", `#${found}`);
}
let linkData = null;

function fromLink(parameters) {
  const next = { ...EMPTY_STATE };
  if (parameters.get("tab") === "which") next.tab = "which";
  const k = parameters.get("k");
  if (k === "all") next.k = "";
  else if (k !== null && validCutoff(k)) next.k = k;
  const own = parameters.get("own");
  if (own) {
    const [base, ...changes] = own.split(";");
    if (presetOf(base)) {
      const known = changes.map((change) => change.split("=")).filter(([name, value]) => SWITCHES[name]?.some((each) => String(each) === value));
      next.own = { base, changes: Object.fromEntries(known.map(([name, value]) => [name, SWITCHES[name].find((each) => String(each) === value)])) };
    }
  }
  for (const name of ["a", "b"]) {
    const tool = parameters.get(name);
    if (tool && (presetOf(tool) || (tool === "yours" && next.own))) next[name] = tool;
  }
  next.q = parameters.get("q") ?? "";
  return next;
}

/* ---- Files ----------------------------------------------------------------------------------------------------------- */

const KINDS = { judgments: { what: "judgments", fields: 4, form: "query 0 document label" }, run: { what: "run", fields: 6, form: "query Q0 document rank score tag" } };
const OTHER = { judgments: "run", run: "judgments" };

function problem(text) {
  $("problem").textContent = text ?? "";
  $("problem").hidden = !text;
}

/* What the beginning of a file looks like: "judgments", "run", "binary", "empty", or a sentence about what it is. */
async function looksLike(file) {
  let head = new Uint8Array(await file.slice(0, 1 << 16).arrayBuffer());
  if (file.size === 0) return "empty";
  if (head[0] === 0x1f && head[1] === 0x8b) {
    if (typeof DecompressionStream === "undefined") return "unknown";
    const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    try {
      head = (await reader.read()).value ?? new Uint8Array(0);
    } catch {
      return "binary";
    }
    reader.cancel().catch(() => {});
  }
  if (head.subarray(0, 4096).some((byte) => byte === 0 || (byte < 9 && byte > 0) || (byte > 13 && byte < 32 && byte !== 27))) return "binary";
  const lines = new TextDecoder().decode(head).split("\n").slice(0, 200).map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
  if (lines.length === 0) return "empty";
  const fields = lines[0].split(/[ \t]+/).length;
  return fields === 4 ? "judgments" : fields >= 6 ? "run" : `its first line has ${plural(fields, "field")}: ${lines[0].slice(0, 80)}`;
}

function describe(kind) {
  const file = files[kind], state_ = $(`state-${kind}`), zone = $(`drop-${kind}`);
  zone.classList.toggle("full", file !== null);
  state_.textContent = file === null ? "Drop a file here, or choose one" : `${file.name}: ${plural(file.queries, "query", "queries")}, ${plural(file.documents, "document")}${file.duplicates ? `, and ${count(file.duplicates)} repeated` : ""}`;
}

/* Reads one file as judgments or a run. Returns whether it could be read. */
async function readFile(kind, file, example = false) {
  const { what, form } = KINDS[kind];
  const bar = $(`drop-${kind}`).querySelector("progress");
  const refuse = (sentence) => {
    files[kind] = null;
    describe(kind);
    problem(sentence);
    return false;
  };
  const seems = await looksLike(file).catch(() => "unreadable");
  if (seems === "unreadable") return refuse(`${file.name} cannot be read: was it moved or changed? Choose it again.`);
  if (seems === "empty") return refuse(`${file.name} is empty. ${what === "run" ? "A run has" : "Judgments have"} lines like: ${form}`);
  if (seems === "binary") return refuse(`${file.name} is not a text file. Choose a TREC file with lines like: ${form} (gzip is fine).`);
  if (seems !== kind && seems !== "unknown") {
    const seen = seems === OTHER[kind] ? `looks like ${seems === "run" ? "a run" : "judgments"}, and was dropped as ${kind === "run" ? "the run" : "the judgments"}: swap the two files` : `does not look like a TREC file (${seems})`;
    return refuse(`${file.name} ${seen}. ${what === "run" ? "A run has" : "Judgments have"} lines like: ${form}`);
  }
  $(`state-${kind}`).textContent = `Reading ${file.name} …`;
  bar.hidden = false;
  bar.value = 0;
  try {
    const found = await (await started()).ask("read", { kind, file }, (share) => { bar.value = share; });
    const text = file.size <= 400_000 ? await file.text() : null;
    files[kind] = { name: file.name, size: file.size, text, example, ...found };
  } catch (error) {
    if (error.broken) {
      forget(null);
      return refuse(`${file.name} needs more memory than the browser gives to a page (${error.message}). Use a smaller file, or run: idealrank explain qrels.txt run.txt --like trec_eval --like sklearn`);
    }
    const where = error.line > 0 ? `, line ${count(error.line)}${error.column > 0 ? `, column ${error.column}` : ""}` : "";
    return refuse(`${file.name}${where}: ${error.message}`);
  } finally {
    bar.hidden = true;
  }
  describe(kind);
  return true;
}

/* Takes dropped files: two at once are told apart by their lines. */
let reading = Promise.resolve();
function takeFiles(dropped, kind = null) {
  reading = reading.then(() => takeNow([...dropped], kind)).catch((error) => forget(error.message));
  return reading;
}
/* Numbers beside an error would be those of earlier files. */
function forget(sentence) {
  files = { judgments: null, run: null };
  Object.keys(files).forEach(describe);
  $("results").hidden = true;
  $("data-note").textContent = "";
  problem(sentence);
}
async function takeNow(dropped, kind) {
  problem(null);
  linkData = null;
  if (dropped.length === 0) return;
  if (dropped.length > 2) return forget(`${dropped.length} files were dropped; drop one file of judgments and one run.`);
  const wasExample = files.judgments?.example || files.run?.example;
  if (wasExample) forget(null);
  const kinds = await Promise.all(dropped.map((file) => looksLike(file).catch(() => "unreadable")));
  if (dropped.length === 2) {
    const pair = { judgments: dropped[kinds.indexOf("judgments")], run: dropped[kinds.indexOf("run")] };
    if (!pair.judgments || !pair.run) {
      const seen = kinds.map((each, place) => `${dropped[place].name} ${each === "run" ? "is a run" : each === "judgments" ? "is judgments" : each === "binary" ? "is not a text file" : each === "empty" ? "is empty" : "is neither"}`);
      return forget(`One file of judgments and one run are needed: ${seen.join(", ")}. Judgments have lines like "${KINDS.judgments.form}", runs like "${KINDS.run.form}".`);
    }
    if (!(await readFile("judgments", pair.judgments)) || !(await readFile("run", pair.run))) return after();
  } else {
    const taken = kinds[0] === "judgments" || kinds[0] === "run" ? kinds[0] : kind ?? (files.judgments ? "run" : "judgments");
    if (!(await readFile(taken, dropped[0]))) return after();
  }
  await after();
}
async function useExample() {
  problem(null);
  linkData = null;
  const file = (name, text) => new File([text], name);
  await readFile("judgments", file("example.qrels", DATA.example.judgments), true);
  await readFile("run", file("example.run", DATA.example.run), true);
  await after();
}

/* Once both files are there: the numbers. */
async function after() {
  const complete = files.judgments !== null && files.run !== null;
  $("results").hidden = !complete;
  if (!complete) {
    const missing = files.judgments === null ? "judgments" : "run";
    $("data-note").textContent = files.judgments || files.run ? `Now the ${missing}.` : "";
    return;
  }
  const joined = await worker.ask("join");
  queryIds = joined.queryIds;
  if (joined.common === 0) {
    $("results").hidden = true;
    $("data-note").textContent = "";
    return problem(`The judgments and the run have no query in common: the first query of the judgments is ${joined.judgedFirst}, that of the run is ${joined.runFirst}. Do the two files belong together?`);
  }
  const absent = queryIds.length - joined.common, unjudged = files.run.queries - joined.common;
  const notes = [`${plural(joined.common, "query", "queries")} in common.`];
  if (absent) notes.push(`${plural(absent, "judged query is", "judged queries are")} not in the run.`);
  if (unjudged) notes.push(`${plural(unjudged, "query", "queries")} of the run ${unjudged === 1 ? "has" : "have"} no judgments.`);
  if (files.judgments.example) notes.unshift("The example: the run of bm25 on 50 generated queries.");
  $("data-note").textContent = notes.join(" ");
  if (state.q && !queryIds.includes(state.q)) state.q = "";
  await compute();
}

/* ---- Numbers --------------------------------------------------------------------------------------------------------- */

async function compute() {
  const now = ++generation;
  means = new Map();
  shownQueries = 50;
  if (!state.a && !state.b) [state.a, state.b] = ["trec_eval", "lightgbm"];
  const first = [state.a, state.b].filter(Boolean);
  const order = [...new Set([...first, ...names()])].filter((name) => name !== "yours" || state.own);
  let drawn = performance.now();
  for (const name of order) {
    const found = await worker.ask("evaluate", { choices: choicesOf(name) });
    if (now !== generation) return;
    means.set(name, found);
    if (means.size === first.length || performance.now() - drawn > 150) {
      drawNumbers();
      drawn = performance.now();
    }
  }
  drawNumbers();
  drawSwitches();
  remember();
  await explainNow();
  document.documentElement.dataset.done = String(now);
}

function choose(name) {
  if (state.a === name) [state.a, state.b] = [state.b, ""];
  else if (state.b === name) state.b = "";
  else if (!state.a) state.a = name;
  else state.b = name;
  drawNumbers();
  remember();
  explainNow();
}
const sideOf = (name) => (state.a === name ? "a" : state.b === name ? "b" : "");

/* Tools with the same number, the highest first. */
function groups() {
  const byMean = new Map();
  for (const name of names()) {
    const found = means.get(name);
    if (!found || found.refused || Number.isNaN(found.mean)) continue;
    const key = found.mean.toPrecision(12);
    if (!byMean.has(key)) byMean.set(key, { mean: found.mean, names: [] });
    byMean.get(key).names.push(name);
  }
  return [...byMean.values()].sort((x, y) => y.mean - x.mean);
}

function chip(name) {
  const side = sideOf(name);
  const note = name === "yours" ? "Your own choices" : presetOf(name).note;
  return h("button", { type: "button", class: `${side} ${name === "yours" ? "yours" : ""}`, "aria-pressed": side ? "true" : "false", "data-tool": name, title: note, onclick: () => { choose(name); $("tools").querySelector(`[data-tool="${name}"]`)?.focus(); } }, toolName(name));
}

function drawNumbers() {
  const all = groups();
  const values = all.map((group) => group.mean);
  const refused = names().filter((name) => means.get(name)?.refused);
  const empty = names().filter((name) => means.has(name) && !means.get(name).refused && Number.isNaN(means.get(name).mean));
  const tools = all.map((group) => group.names.filter((name) => !["idealrank", "yours"].includes(name)).length).filter(Boolean);
  const n = tools.reduce((sum, each) => sum + each, 0);
  $("numbers-note").textContent = all.length === 0 ? "" : all.length === 1 ? `All tools give ${fixed(values[0])}.` : `${plural(n, "tool", "tools")}, ${tools.length} different numbers for ${measureName()}, from ${fixed(values.at(-1))} to ${fixed(values[0])}. Click two of them.`;
  drawAxis(all);
  $("tools").replaceChildren(
    ...all.map((group) => h("li", {}, h("span", { class: "mean" }, fixed(group.mean)), h("span", { class: "chips" }, group.names.map(chip)))),
    ...empty.map((name) => h("li", {}, h("span", { class: "mean" }, "none"), h("span", { class: "chips" }, chip(name)), h("span", { class: "why" }, "A query with nothing relevant has no value, and so the mean has none."))),
    ...refused.map((name) => h("li", {}, h("span", { class: "mean" }, "refuses"), h("span", { class: "chips" }, chip(name)), h("span", { class: "why" }, refusal(name, means.get(name))))),
  );
}
const refusal = (name, found) => `${toolName(name)} refuses this data: ${found.refused}${found.query === null || found.query === undefined ? "" : ` (query ${found.query})`}.`;

function niceTicks(low, high, about) {
  const rough = (high - low) / about, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + step * 1e-9; tick += step) ticks.push(tick);
  return { ticks, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

function drawAxis(all) {
  const holder = $("axis"), width = Math.max(holder.clientWidth, 280);
  if (all.length === 0) return holder.replaceChildren();
  const narrow = width < 560, edge = narrow ? 18 : 40;
  let low = all.at(-1).mean, high = all[0].mean;
  const pad = Math.max((high - low) * 0.06, 0.002);
  [low, high] = [low - pad, high + pad];
  const x = (value) => edge + ((value - low) / (high - low)) * (width - 2 * edge);
  // Labels from left to right, each on the lowest row with room.
  const labelled = [...all].reverse().map((group) => {
    const chosen = group.names.find((name) => sideOf(name)) ?? group.names[0];
    const side = sideOf(chosen), more = group.names.length - 1;
    const text = toolName(chosen) + (more ? ` +${more}` : "");
    return { ...group, chosen, side, text, wide: 7 * text.length + 12 };
  });
  const rows = [];
  const place = (label) => {
    const middle = Math.min(Math.max(x(label.mean), edge / 2 + label.wide / 2), width - edge / 2 - label.wide / 2);
    let row = rows.findIndex((taken) => taken.every(([from, to]) => middle + label.wide / 2 < from || middle - label.wide / 2 > to));
    if (row < 0) row = rows.push([]) - 1;
    rows[row].push([middle - label.wide / 2, middle + label.wide / 2]);
    return { ...label, middle, row };
  };
  const wanted = narrow ? labelled.filter((label) => label.side) : labelled;
  const placed = [...wanted.filter((label) => label.side), ...wanted.filter((label) => !label.side)].map(place);
  const base = rows.length * 19 + 26, height = base + 34;
  const { ticks, digits } = niceTicks(low, high, narrow ? 4 : 8);
  holder.replaceChildren(
    s("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": "Mean NDCG by tool, on one axis" },
      s("line", { class: "axis", x1: edge / 2, x2: width - edge / 2, y1: base, y2: base }),
      ticks.map((tick) => [s("line", { class: "axis", x1: x(tick), x2: x(tick), y1: base + 9, y2: base + 14 }), s("text", { class: "tick", x: x(tick), y: base + 29, "text-anchor": "middle" }, tick.toFixed(digits))]),
      placed.map((label) => s("line", { class: "stem", x1: x(label.mean), y1: base - 6, x2: label.middle, y2: base - 20 - label.row * 19 })),
      labelled.map((label) => s("g", { class: label.side, onclick: () => choose(label.chosen) }, s("title", {}, `${fixed(label.mean)}: ${label.names.map(toolName).join(", ")}`), s("circle", { cx: x(label.mean), cy: base, r: label.side ? 8 : 4 + Math.min(4, Math.sqrt(label.names.length)) }))),
      placed.map((label) => s("g", { class: label.side, onclick: () => choose(label.chosen) }, s("title", {}, label.names.map(toolName).join(", ")), s("text", { x: label.middle, y: base - 24 - label.row * 19, "text-anchor": "middle" }, label.text))),
    ),
  );
}

/* ---- Your own choices ------------------------------------------------------------------------------------------------ */

function drawSwitches() {
  const own = state.own, base = own?.base ?? (state.a && state.a !== "yours" ? state.a : "trec_eval");
  const current = { ...presetOf(base).choices, ...(own?.changes ?? {}) };
  const change = (next) => {
    const focused = document.activeElement?.id;
    state.own = next;
    if (next && state.a !== "yours" && state.b !== "yours") state.a ? (state.b = "yours") : (state.a = "yours");
    if (!next) for (const side of ["a", "b"]) if (state[side] === "yours") state[side] = "";
    compute().then(() => focused && $(focused)?.focus());
  };
  const select = (id, label, value, options, onchange) => h("label", {}, label, h("select", { id, onchange: (event) => onchange(event.target.value) }, options.map(([each, words]) => h("option", { value: String(each), selected: String(each) === String(value) }, words))));
  const start = select("own-base", "Start from", base, PRESETS.map((preset) => [preset.name, preset.tool]), (value) => change({ base: value, changes: {} }));
  const switches = Object.entries(SWITCHES).map(([name, options]) => {
    const known = options.some((each) => String(each) === String(current[name]));
    const all = (known ? options : [current[name], ...options]).map((each) => [each, inWords(name, each)]);
    return select(`own-${name}`, capital(choiceTitle(name)), current[name], all, (text) => {
      const value = all.find(([each]) => String(each) === text)[0];
      const from = state.own?.base ?? base; // switches are drawn again only when all numbers are there
      const changes = { ...(state.own?.changes ?? {}), [name]: value };
      if (String(presetOf(from).choices[name]) === text) delete changes[name];
      change({ base: from, changes });
    });
  });
  const reset = own ? h("button", { type: "button", id: "own-reset", onclick: () => change(null) }, "Remove your own") : null;
  $("switches").replaceChildren(start, ...switches, ...(reset ? [reset] : []));
  if (own) $("own").open = true;
}

/* ---- From one number to the other -------------------------------------------------------------------------------------- */

async function explainNow() {
  const now = generation, { a, b } = state;
  drawCode();
  const note = $("between-note");
  if (!a || !b) {
    note.textContent = a ? `${toolName(a)} is A. Now choose B.` : "Choose two tools, above or below.";
    $("waterfall").replaceChildren();
    return drawQueries();
  }
  const found = await worker.ask("explain", { from: choicesOf(a), to: choicesOf(b) });
  if (now !== generation || a !== state.a || b !== state.b) return;
  const named = () => [h("span", { class: "tag a" }, "A"), ` ${toolName(a)} `, "→ ", h("span", { class: "tag b" }, "B"), ` ${toolName(b)}. `];
  for (const [name, end] of [[a, found.start], [b, found.end]]) {
    if (end.refused) {
      note.replaceChildren(...named(), refusal(name, end));
      $("waterfall").replaceChildren();
      return drawQueries();
    }
  }
  const last = found.steps.at(-1);
  if (last?.refused) {
    note.replaceChildren(...named(), `On the way between them, with the choice of ${toolName(b)} for ${choiceTitle(last.choice)}, the data is refused: ${last.refused}${last.query ? ` (query ${last.query})` : ""}. Choose them in the other order.`);
    $("waterfall").replaceChildren();
    return drawQueries();
  }
  const effective = found.steps.filter((step) => step.moved), silent = found.steps.filter((step) => !step.moved);
  const difference = found.end.mean - found.start.mean;
  const told = found.steps.length === 0 ? "They make the same choices." : effective.length === 0 ? `They differ in ${plural(silent.length, "choice")}, and none has an effect on this data.` : `The difference of ${signed(difference)} is the sum of ${plural(effective.length, "change")}, one choice at a time, each computed exactly. Single changes depend on their order.`;
  note.replaceChildren(...named(), told);
  drawWaterfall(found, effective, silent);
  drawQueries();
}

function drawWaterfall(found, effective, silent) {
  const means_ = [found.start.mean, found.end.mean, ...effective.map((step) => step.mean)].filter((mean) => !Number.isNaN(mean));
  let low = Math.min(...means_), high = Math.max(...means_);
  const pad = Math.max((high - low) * 0.08, 1e-4);
  [low, high] = [low - pad, high + pad];
  const share = (value) => (100 * (value - low)) / (high - low);
  const track = (drawn, style) => h("td", { class: "track", "aria-hidden": "true" }, drawn ? h("div", { class: drawn, style }) : null);
  const bar = (from, to, kind) => track(Number.isNaN(from + to) ? "" : `bar ${kind}`, `left:${Math.min(share(from), share(to))}%;width:${Math.abs(share(to) - share(from))}%`);
  const dot = (mean, side) => track(Number.isNaN(mean) ? "" : `dot ${side}`, `left:${share(mean)}%`);
  const end = (side, name, mean) => h("tr", { class: "end" }, h("th", { scope: "row" }, h("span", { class: `tag ${side}` }, side.toUpperCase()), ` ${toolName(name)}`), dot(mean, side), h("td", { class: "number" }, ""), h("td", { class: "number" }, fixed(mean)), h("td", { class: "queries" }, ""));
  let before = found.start.mean;
  const rows = effective.map((step) => {
    const from = before;
    before = step.mean;
    const kind = step.change >= 0 ? "up" : "down";
    const most = step.most.map(([query, change]) => [h("a", { href: "#", onclick: (event) => { event.preventDefault(); openQuery(queryIds[query]); } }, queryIds[query]), change === 0 ? " (counts in only one of the two)" : ` ${signed(change, 3)}`]);
    const listed = most.flatMap((each, place) => (place ? ["; ", ...each] : each));
    return h("tr", { "data-choice": step.choice, "data-change": step.change }, h("th", { scope: "row" }, h("b", {}, capital(choiceTitle(step.choice))), h("span", {}, changeInWords(step))), bar(from, step.mean, kind), h("td", { class: `number ${kind}` }, signed(step.change)), h("td", { class: "number" }, fixed(step.mean)), h("td", { class: "queries" }, plural(step.moved, "query", "queries"), h("div", { class: "most" }, listed)));
  });
  const { ticks, digits } = niceTicks(low, high, 3);
  const scale = h("span", { class: "scale", "aria-hidden": "true" }, ticks.map((tick) => h("span", { style: `left:${share(tick)}%` }, tick.toFixed(digits))));
  const head = h("thead", {}, h("tr", {}, ["Choice", scale, "Change", "Mean", "Queries that change, and those that change most"].map((content, place) => h("th", { scope: "col", class: [null, "track", "number", "number", null][place] }, content))));
  const quiet = silent.length ? h("p", { class: "note" }, `Different, but without effect on this data: ${silent.map((step) => `${choiceTitle(step.choice)} (${changeInWords(step)})`).join("; ")}.`) : null;
  $("waterfall").replaceChildren(h("table", { class: "steps" }, head, h("tbody", {}, end("a", state.a, found.start.mean), rows, end("b", state.b, found.end.mean))), ...(quiet ? [quiet] : []));
}

/* ---- Queries --------------------------------------------------------------------------------------------------------- */

const valueOf = (found, place) => (!found || found.refused || !found.counted[place] ? null : found.values[place]);

function drawQueries() {
  const a = state.a ? means.get(state.a) : null, b = state.b ? means.get(state.b) : null;
  const both = state.b && a && b && !a.refused && !b.refused;
  const rows = queryIds.map((query, place) => {
    const [from, to] = [valueOf(a, place), valueOf(b, place)];
    return { query, from, to, effect: both ? (to ?? 0) - (from ?? 0) : from ?? 0, differs: from !== to };
  });
  rows.sort((x, y) => (both ? Math.abs(y.effect) - Math.abs(x.effect) || y.differs - x.differs : x.effect - y.effect));
  const widest = Math.max(1e-9, ...rows.map((row) => Math.abs(row.effect)));
  const shown = rows.slice(0, shownQueries);
  const cell = (value) => h("td", { class: "number" }, value === null ? "left out" : fixed(value));
  const bar = (effect) => h("td", { class: "track", "aria-hidden": "true" }, effect === 0 ? null : h("i", { class: effect > 0 ? "up" : "down", style: `${effect > 0 ? "left" : "right"}:50%;width:${(48 * Math.abs(effect)) / widest}%` }));
  const name = (side) => [h("span", { class: `tag ${side}` }, side.toUpperCase()), ` ${toolName(state[side])}`];
  const head = ["Query", state.a ? name("a") : null, both ? name("b") : null, both ? "Difference" : null, both ? "" : null].filter((each) => each !== null);
  const table = h("table", { class: "effects" },
    h("thead", {}, h("tr", {}, head.map((each, place) => h("th", { scope: "col", class: place === 0 || place === 4 ? null : "number" }, each)))),
    h("tbody", {}, shown.map((row) => h("tr", { class: row.query === state.q ? "chosen" : null }, h("th", { scope: "row" }, h("button", { type: "button", "data-query": row.query, onclick: () => openQuery(row.query) }, row.query)), state.a ? cell(row.from) : null, both ? cell(row.to) : null, both ? h("td", { class: `number ${row.effect > 0 ? "up" : row.effect < 0 ? "down" : ""}` }, row.effect === 0 && (row.from === null || row.to === null) ? "" : signed(row.effect)) : null, both ? bar(row.effect) : null))),
  );
  const changed = rows.filter((row) => row.differs && !(Number.isNaN(row.from) && Number.isNaN(row.to))).length;
  const note = both ? h("p", { class: "note" }, `${plural(changed, "query differs", "queries differ")} between A and B, of ${count(rows.length)}. Open one to see its list.`) : h("p", { class: "note" }, "The lowest values first. Open a query to see its list.");
  const more = rows.length > shownQueries ? h("p", {}, h("button", { type: "button", onclick: () => { shownQueries += 200; drawQueries(); } }, `Show more of the ${count(rows.length)} queries`)) : null;
  $("queries").replaceChildren(note, h("div", { class: "scroll" }, table), ...(more ? [more] : []));
  drawQuery();
}

function openQuery(query) {
  state.q = query;
  listDepth = 20;
  remember();
  drawQueries();
  $("query-section").hidden = false;
  $("query-title").focus({ preventScroll: true });
  $("query-title").scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

async function drawQuery() {
  const now = generation, query = state.q, place = queryIds.indexOf(query);
  $("query-section").hidden = place < 0;
  if (place < 0) return;
  const sides = ["a", "b"].filter((side) => state[side] && means.get(state[side]) && !means.get(state[side]).refused);
  const lists = await Promise.all(sides.map((side) => worker.ask("list", { choices: choicesOf(state[side]), query: place, depth: listDepth })));
  if (now !== generation || query !== state.q) return;
  $("query-title").textContent = `Query ${query}`;
  const values = sides.map((side) => valueOf(means.get(state[side]), place));
  $("query").replaceChildren(h("div", { class: "lists" }, sides.map((side, number) => drawList(side, lists[number], values[number]))));
}

const label = (value) => h("span", { class: `label ${Number.isNaN(value) ? "unjudged" : value > 0 ? "relevant" : ""}`, title: Number.isNaN(value) ? "unjudged" : "" }, Number.isNaN(value) ? "?" : String(value));
const short = (value) => (Number.isInteger(value) ? String(value) : fixed(value, 3));

function drawList(side, list, value) {
  const name = state[side], choices = choicesOf(name);
  const title = h("h3", {}, h("span", { class: `tag ${side}` }, side.toUpperCase()), ` ${toolName(name)}`);
  if (list.left) return h("div", { class: "ranking" }, title, h("p", {}, "The run does not have this query, and the convention leaves it out."));
  const averaged = choices.ties === "average";
  const rows = list.documents.map((doc, r) => {
    const tied = list.tieRuns[r] >= 0, beyond = list.discounts[r] === 0;
    return h("tr", { class: `${tied ? "tied" : ""} ${tied && list.tieRuns[r] % 2 ? "other" : ""} ${beyond ? "beyond" : ""}`, title: tied ? "Another document has the same score" : null }, h("td", { class: "number" }, String(r + 1)), h("th", { scope: "row", title: doc }, doc), h("td", { class: "number" }, short(list.scores[r])), h("td", {}, label(list.labels[r])), h("td", { class: "number" }, short(list.counting[r])), h("td", { class: "number" }, fixed(list.discounts[r], 3)), h("td", { class: "number" }, fixed(list.counting[r] * list.discounts[r], 3)));
  });
  const ideal = list.idealDocuments.map((doc, r) => h("tr", { class: list.idealDiscounts[r] === 0 ? "beyond" : null }, h("td", { class: "number" }, String(r + 1)), h("th", { scope: "row", title: doc }, doc || "any document"), h("td", {}, Number.isNaN(list.idealLabels[r]) && !doc ? "" : label(list.idealLabels[r])), h("td", { class: "number" }, short(list.idealGains[r])), h("td", { class: "number" }, fixed(list.idealDiscounts[r], 3)), h("td", { class: "number" }, fixed(list.idealGains[r] * list.idealDiscounts[r], 3))));
  const head = (texts) => h("thead", {}, h("tr", {}, texts.map((text) => h("th", { scope: "col", class: text === "Document" || text === "Label" ? null : "number" }, text))));
  const more = list.total > list.documents.length || list.idealTotal > list.idealDocuments.length ? h("button", { type: "button", onclick: () => { listDepth *= 5; drawQuery(); } }, `Show more of ${count(Math.max(list.total, list.idealTotal))}`) : null;
  const sum = value === null || Number.isNaN(value) ? "no value" : list.ideal > 0 && Math.abs(list.dcg / list.ideal - value) < 1e-9 ? `DCG ${fixed(list.dcg)} / ideal ${fixed(list.ideal)} = ${fixed(value)}` : fixed(value);
  const why = value === null ? "The query is left out of the mean." : list.ideal === 0 ? `Nothing is relevant: such queries ${inWords("empty", choices.empty)}.` : list.total === 0 ? "The run has no documents for it." : "";
  const ties = list.tieRuns.some((run) => run >= 0) ? h("p", { class: "note" }, averaged ? "Equal scores (bar at the left) share their gains: the mean over all their orders." : `Equal scores (bar at the left) are ordered ${inWords("ties", choices.ties)}.`) : null;
  return h("div", { class: "ranking", "data-side": side }, title, h("p", { class: "sum" }, sum), why ? h("p", { class: "note" }, why) : null, h("table", {}, head(["Rank", "Document", "Score", "Label", "Gain", "Discount", "Product"]), h("tbody", {}, rows)), ties, h("h4", {}, "The ideal order"), h("table", {}, head(["Rank", "Document", "Label", "Gain", "Discount", "Product"]), h("tbody", {}, ideal)), more);
}

/* ---- Code and link ----------------------------------------------------------------------------------------------------- */

const quoted = (text) => (/^[\w./@%+:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const inPython = (value) => JSON.stringify(value);

function code() {
  const [judgments, run] = ["judgments", "run"].map((kind) => files[kind]?.name ?? kind);
  const chosen = [state.a, state.b].filter(Boolean);
  const own = chosen.includes("yours") ? state.own : null;
  const lines = ["import idealrank as ir"];
  if (own) {
    const { unjudged, missing, precision, ...options } = own.changes;
    const data = Object.entries({ unjudged, missing, precision }).filter(([, value]) => value !== undefined).map(([name, value]) => `, ${name}=${value === 0 ? "0.0" : inPython(value)}`).join("");
    lines.unshift("from dataclasses import replace", "");
    lines.push("", `base = ir.convention(${inPython(own.base)})`, `choices = {**base.overrides.get("ndcg", {}), **${JSON.stringify(options).replaceAll(":", ": ").replaceAll(",", ", ").replaceAll(/"(\w+): (\d)/g, '"$1:$2')}}`, `yours = replace(base, name="yours"${data}, overrides={"ndcg": choices})`);
  }
  const like = chosen.map((name) => (name === "yours" ? "yours" : inPython(name)));
  const of = `${inPython(judgments)}, ${inPython(run)}, ${inPython(measureName())}`;
  const [name, tools] = chosen.length < 2 ? ["evaluate", like[0] ?? '"trec_eval"'] : ["explain", `[${like.join(", ")}]`];
  lines.push("", `found = ir.${name}(`, `    ${of},`, `    like=${tools},`, ")", "print(found.to_text())");
  const paths = `${quoted(judgments)} ${quoted(run)}`;
  let shell;
  if (own) {
    const { unjudged, missing, precision, ...options } = own.changes;
    const data = [unjudged === undefined ? "" : ` --unjudged ${unjudged}`, missing === undefined ? "" : ` --missing ${missing}`].join("");
    const inside = Object.entries(options).map(([name, value]) => `${name}=${value}`).join(",");
    const measure = `ndcg${inside ? `(${inside})` : ""}${state.k ? `@${state.k}` : ""}`;
    shell = `idealrank evaluate ${paths} -m ${quoted(measure)} --like ${own.base}${data}${precision === undefined ? "" : "   # the precision of scores: in Python only"}`;
  } else if (chosen.length < 2) shell = `idealrank evaluate ${paths} -m ${quoted(measureName())} --like ${chosen[0] ?? "trec_eval"}`;
  else shell = `idealrank explain ${paths} -m ${quoted(measureName())} ${chosen.map((name) => `--like ${name}`).join(" ")}`;
  return { python: lines.join("\n"), shell };
}

function copyButton(text, id) {
  const button = h("button", { type: "button", id, onclick: async () => {
    const copied = typeof text === "function" ? await text() : text;
    let done = true;
    try {
      await navigator.clipboard.writeText(copied);
    } catch { // a page from disk may not
      const area = h("textarea", {}, copied);
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
    }
    button.textContent = done ? "Copied" : "Select and copy";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  } }, "Copy");
  return button;
}

async function drawCode() {
  const { python, shell } = code();
  const block = (title, text, id) => h("div", { class: "code" }, h("h3", {}, title), h("pre", { id, tabindex: "0" }, text), copyButton(text, `copy-${id}`));
  const { link, holds } = await permalink();
  const about = { example: "The link opens the example with these settings.", data: "The link holds both files as well, after the #, which browsers do not send to any server. Whoever has the link has the data.", settings: "The files are too large for a link: it holds the settings, and whoever opens it drops the same files." }[holds];
  const shown = link.length > 300 ? `${link.slice(0, 300)}…` : link;
  const linkBlock = h("div", { class: "code" }, h("h3", {}, about), h("pre", { id: "link", tabindex: "0", "data-link": link }, shown), copyButton(() => permalink().then((found) => found.link), "copy-link"));
  $("code").replaceChildren(block("Python", python, "python"), block("Command line", shell, "shell"), linkBlock);
}

/* ---- The page ---------------------------------------------------------------------------------------------------------- */

const TITLES = {
  why: ["Why do two NDCGs differ?", $("lead").textContent],
  which: ["Which NDCG tells two rankers apart?", "Discount and cutoff decide what NDCG sees of a list. Draw two rankers, choose a measure, and see whether it can tell them apart, how soon, and why."],
};
function showTab(name, focus = false) {
  state.tab = name;
  [$("title").textContent, $("lead").textContent] = TITLES[name];
  for (const each of ["why", "which"]) {
    $(each).hidden = each !== name;
    $(`tab-${each}`).setAttribute("aria-selected", String(each === name));
    $(`tab-${each}`).tabIndex = each === name ? 0 : -1;
  }
  if (focus) $(`tab-${name}`).focus();
  if (name === "which") window.startWhich?.();
  else if (means.size) drawNumbers();
  remember();
}

function fillCutoffs() {
  const listed = CUTOFFS.some(([value]) => value === state.k);
  $("cutoff").replaceChildren(...CUTOFFS.map(([value, words]) => h("option", { value, selected: value === state.k || (value === "own" && !listed) }, words)));
  $("cutoff-own-label").hidden = listed;
  $("cutoff-own").value = listed ? "" : state.k;
}

async function open() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  state = fromLink(parameters);
  fillCutoffs();
  window.openWhich?.(parameters);
  showTab(state.tab);
  const data = parameters.get("with");
  if (data) {
    try {
      const [judgmentsName, judgments, runName, run] = JSON.parse(await unpacked(data));
      await readFile("judgments", new File([judgments], String(judgmentsName)));
      await readFile("run", new File([run], String(runName)));
      linkData = data;
      await after();
    } catch {
      problem("The data in this link is damaged: was the link cut off? Ask for it again, or drop the files themselves.");
    }
    remember();
  } else if (files.judgments && files.run && !files.judgments.example) await after();
  else if (parameters.get("data") === "example" || !(state.a || state.b)) await useExample();
  else $("data-note").textContent = `The link compares ${[state.a, state.b].filter(Boolean).map(toolName).join(" and ")}: drop the judgments and the run that it is about.`;
}

for (const kind of Object.keys(KINDS)) {
  $(`file-${kind}`).addEventListener("change", (event) => {
    const chosen = [...event.target.files];
    event.target.value = "";
    takeFiles(chosen, kind);
  });
}
let depth = 0;
const over = (event, on) => {
  event.preventDefault();
  depth = on === null ? 0 : depth + on;
  for (const kind of Object.keys(KINDS)) $(`drop-${kind}`).classList.toggle("over", depth > 0);
};
addEventListener("dragenter", (event) => over(event, 1));
addEventListener("dragleave", (event) => over(event, -1));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  over(event, null);
  if (event.dataTransfer.files.length === 0) return;
  const zone = event.target.closest?.(".drop");
  if (state.tab === "which" && window.takeWhich) window.takeWhich([...event.dataTransfer.files]);
  else takeFiles(event.dataTransfer.files, zone ? zone.id.replace("drop-", "") : null);
});
$("use-example").addEventListener("click", () => {
  reading = reading.then(useExample).catch((error) => problem(error.message));
});
$("cutoff").addEventListener("change", (event) => {
  const value = event.target.value;
  $("cutoff-own-label").hidden = value !== "own";
  if (value === "own") return $("cutoff-own").focus();
  state.k = value;
  compute().catch((error) => problem(error.message));
});
$("cutoff-own").addEventListener("change", (event) => {
  const value = event.target.value.trim();
  if (value === "" || !validCutoff(value)) return problem(`A cutoff is a number of ranks (30), a share of the list (20%) or a power of its length (n^0.5), not "${value}".`);
  problem(null);
  state.k = value;
  compute().catch((error) => problem(error.message));
});
for (const tab of document.querySelectorAll("[role=tab]")) {
  tab.addEventListener("click", () => showTab(tab.id.replace("tab-", "")));
  tab.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") showTab(state.tab === "why" ? "which" : "why", true);
  });
}
addEventListener("hashchange", () => reading = reading.then(open).catch((error) => problem(error.message)));
let resized = null;
addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(() => { if (means.size && state.tab === "why") drawAxis(groups()); }, 100);
});
window.explorer = { started, takeFiles: (dropped) => takeFiles(dropped), code, permalink, state: () => state, means: () => means, isDone: () => document.documentElement.dataset.done === String(generation) };
reading = reading.then(open).catch((error) => problem(error.message));
