"use strict";
/* Reads files and computes, beside the page, so that the page stays alive. `bytes` of the WebAssembly module comes with the first message.
   Every request {id, task, ...} is answered by {id, ...result} or {id, error}. */

const GAINS = ["linear", "exp2", "binary", "judged", "preference", "table"];
const DISCOUNTS = ["log", "power", "zipf", "geometric", "letor", "linear", "table"];
const TIES = ["average", "stable", "reverse", "best", "worst"];
const COLUMNS = ["values", "counted", "rows", "scores", "labels", "gains", "counting", "discounts", "tieRuns", "idealRows", "idealLabels", "idealGains", "idealDiscounts", "judgedLabels", "judgedScores"];
const LISTED = COLUMNS.slice(2, 13);
const BLOCK = 1 << 22;

let module = null, core = null;
let known = new Map();
const text = new TextDecoder();

/* An error that the page shows as it is. */
class Refused extends Error {
  constructor(message, place = -1, column = -1) {
    super(message);
    Object.assign(this, { place, column });
  }
}

async function load(bytes) {
  module = await WebAssembly.compile(bytes);
  await restart();
}

async function restart() {
  const memory = () => core.memory.buffer;
  const missing = () => 52; // errno: not supported
  const imports = {
    explorer: {
      ended(what, length, place, column) {
        throw new Refused(text.decode(new Uint8Array(memory(), what, length)), place, column);
      },
    },
    wasi_snapshot_preview1: { clock_time_get: missing, fd_close: missing, fd_seek: missing, fd_write: missing },
  };
  core = (await WebAssembly.instantiate(module, imports)).exports;
  core._initialize();
  known = new Map();
}

/* Calls into the module. An error leaves C++ without unwinding its stack, so the stack pointer is put back. */
function call(name, ...args) {
  const stack = core.__stack_pointer.value;
  try {
    return core[name](...args);
  } catch (error) {
    if (error instanceof Refused) core.__stack_pointer.value = stack;
    throw error;
  }
}

const column = (name) => {
  const which = COLUMNS.indexOf(name);
  return new Float64Array(core.memory.buffer, core.column(which), core.column_size(which)).slice();
};
const IDS = { queries: 0, judged: 1, runQueries: 2, retrieved: 3 };
function idOf(which, row) {
  const offsets = new BigInt64Array(core.memory.buffer, core.id_offsets(IDS[which]), core.n_ids(IDS[which]) + 1);
  const start = Number(offsets[row]), end = Number(offsets[row + 1]);
  return text.decode(new Uint8Array(core.memory.buffer, core.ids(IDS[which]) + start, end - start));
}
const allIds = (which) => Array.from({ length: core.n_ids(IDS[which]) }, (_, row) => idOf(which, row));

/* Judgments or a run, from a file, block by block. */
async function read({ kind, file, id }) {
  const isRun = kind === "run" ? 1 : 0;
  call("begin", isRun);
  known.clear();
  let stream = file.stream();
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const zipped = head[0] === 0x1f && head[1] === 0x8b;
  let readBytes = 0;
  if (zipped) {
    if (typeof DecompressionStream === "undefined") throw new Refused("this browser cannot read .gz files: unpack the file first");
    stream = stream.pipeThrough(new TransformStream({ transform(chunk, to) { readBytes += chunk.length; to.enqueue(chunk); } })).pipeThrough(new DecompressionStream("gzip"));
  }
  const reader = stream.getReader();
  const take = (bytes, last) => {
    for (let start = 0; start < bytes.length || (last && start === 0); start += BLOCK) {
      const part = bytes.subarray(start, start + BLOCK);
      const room = call("room", isRun, part.length);
      new Uint8Array(core.memory.buffer, room, part.length).set(part);
      call("read", isRun, part.length, last && start + BLOCK >= bytes.length ? 1 : 0);
    }
  };
  let told = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!zipped) readBytes += value.length;
    take(value, false);
    if (readBytes - told > 2e6) {
      told = readBytes;
      postMessage({ id, progress: readBytes / file.size });
    }
  }
  take(new Uint8Array(0), true);
  call("finish", isRun);
  const queries = core.n_ids(isRun ? IDS.runQueries : IDS.queries), documents = core.n_ids(isRun ? IDS.retrieved : IDS.judged);
  if (documents === 0) throw new Refused("the file is empty");
  return { queries, documents, duplicates: core.n_duplicates(isRun), first: idOf(isRun ? "runQueries" : "queries", 0) };
}

function join() {
  known.clear();
  const common = call("join");
  return { common, queryIds: allIds("queries"), judgedFirst: idOf("queries", 0), runFirst: idOf("runQueries", 0) };
}

/* The options of a measure as numbers: explorer/core.cpp has their order. */
function numbers(choices) {
  const [gain, ...gainNumbers] = choices.gain.split(":");
  const [discount, ...discountNumbers] = choices.discount.split(":");
  const cutoff = choices.cutoff;
  let cutoffKind = 0, cutoffNumber = 0;
  if (cutoff !== null) {
    if (cutoff.endsWith("%")) [cutoffKind, cutoffNumber] = [2, Number(cutoff.slice(0, -1)) / 100];
    else if (cutoff.startsWith("n^")) [cutoffKind, cutoffNumber] = [3, Number(cutoff.slice(2))];
    else [cutoffKind, cutoffNumber] = [1, Number(cutoff)];
  }
  const byId = { docid_desc: -1, docid_asc: 1 }[choices.ties] ?? 0;
  return {
    options: [
      GAINS.indexOf(gain), gain === "table" || !gainNumbers.length ? (gain === "binary" ? 1 : NaN) : Number(gainNumbers[0]),
      DISCOUNTS.indexOf(discount), discount === "table" || !discountNumbers.length ? 2 : Number(discountNumbers[0]),
      cutoffKind, cutoffNumber, byId ? 1 : TIES.indexOf(choices.ties), byId,
      typeof choices.empty === "string" ? NaN : choices.empty, ["judged", "retrieved", "full"].indexOf(choices.ideal),
      ["cutoff", "shorter", "retrieved", "whole"].indexOf(choices.ideal_cut ?? "cutoff"),
      choices.short === "zero" ? 1 : 0, choices.negative_ideal === "divide" ? 1 : 0,
      { error: 0, unjudged: 1, keep: 2, drop: 2 }[choices.negative], choices.negative === "drop" ? 1 : 0,
      choices.unjudged === "drop" || choices.judged_only ? 1 : 0, { 0: 0, drop: 1, error: 2 }[choices.missing],
      choices.duplicates === "error" ? 1 : 0, choices.precision === "float32" ? 1 : 0,
      ["float", "integer", "binary", "truncated"].indexOf(choices.labels), choices.identical_ids === "drop" ? 1 : 0,
    ],
    gainTable: gain === "table" ? gainNumbers.map(Number) : [],
    discountTable: choices.weights ?? (discount === "table" ? discountNumbers.map(Number) : []),
  };
}

function choose(choices) {
  const { options, gainTable, discountTable } = numbers(choices);
  const put = (place, values) => new Float64Array(core.memory.buffer, place, values.length).set(values);
  if (gainTable.length) put(core.gains(gainTable.length), gainTable);
  if (discountTable.length) put(core.weights(discountTable.length), discountTable);
  put(core.options(), options);
}

/* {mean, values, counted}, or {refused}: what the convention says against the data. */
function evaluate({ choices }) {
  const key = JSON.stringify(choices);
  if (known.has(key)) return known.get(key);
  choose(choices);
  let found;
  try {
    const mean = call("evaluate", choices.empty === "skip" ? 1 : 0);
    found = { mean, values: column("values"), counted: column("counted") };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    found = { refused: error.message, query: error.place >= 0 ? idOf("queries", queryAt(error, choices)) : null };
  }
  if (known.size > 200) known.clear();
  known.set(key, found);
  return found;
}

/* Kernels count the queries that they get, which are not all of them where missing ones are dropped. */
function queryAt(error, choices) {
  if (error.column < 0 || choices.missing !== "drop") return error.place;
  const inRun = new BigInt64Array(core.memory.buffer, core.run_query(), core.n_ids(IDS.queries));
  let left = error.place;
  for (let query = 0; query < inRun.length; query++) if (inRun[query] >= 0n && left-- === 0) return query;
  return error.place;
}

const LAST = ["missing", "empty"];
const written = (value) => (value === null ? "None" : String(value));

/* From one convention to another, one choice at a time, as `idealrank.explain` does it. */
function explain({ from, to }) {
  const start = evaluate({ choices: from }), end = evaluate({ choices: to });
  if (start.refused || end.refused) return { start, end, steps: [] };
  const changed = Object.keys(from).filter((name) => from[name] !== to[name]);
  changed.sort((a, b) => LAST.includes(a) - LAST.includes(b));
  const steps = [], now = { ...from };
  let last = start;
  for (const choice of changed) {
    now[choice] = to[choice];
    const next = evaluate({ choices: { ...now } });
    if (next.refused) {
      steps.push({ choice, before: written(from[choice]), after: written(to[choice]), refused: next.refused, query: next.query });
      return { start, end, steps };
    }
    steps.push({ choice, before: written(from[choice]), after: written(to[choice]), change: next.mean - last.mean, mean: next.mean, ...moved(last, next) });
    last = next;
  }
  return { start, end, steps };
}

function moved(last, next) {
  const has = (found, query) => found.counted[query] !== 0 && !Number.isNaN(found.values[query]);
  const changes = [];
  for (let query = 0; query < last.values.length; query++) {
    const before = has(last, query), after = has(next, query);
    const change = (after ? next.values[query] : 0) - (before ? last.values[query] : 0);
    if (before !== after || change !== 0) changes.push([query, change]);
  }
  const most = [...changes].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, 3);
  return { moved: changes.length, most };
}

/* One query's documents as a measure sees them. */
function list({ choices, query, depth }) {
  choose(choices);
  if (!call("list", query)) return { left: true };
  const found = {};
  for (const name of LISTED) found[name] = column(name);
  const total = found.rows.length, ideal = found.idealRows.length;
  for (const name of LISTED) found[name] = Array.from(found[name].slice(0, depth));
  const dots = (gains, discounts) => gains.reduce((sum, gain, place) => sum + gain * discounts[place], 0);
  const whole = { dcg: dots(column("counting"), column("discounts")), ideal: dots(column("idealGains"), column("idealDiscounts")) };
  found.documents = found.rows.map((row) => idOf("retrieved", row));
  const of = choices.ideal === "retrieved" ? "retrieved" : "judged";
  found.idealDocuments = found.idealRows.map((row) => (row < 0 ? "" : idOf(of, row)));
  return { ...found, total, idealTotal: ideal, ...whole };
}

/* For each judged query that the run has: the labels of its judged documents, 0 or above, and their scores; those that are not
   retrieved come last, all tied. null for other queries. */
function judged() {
  const common = call("join");
  call("score_judged");
  const labels = column("judgedLabels"), scores = column("judgedScores"), n = core.n_ids(IDS.queries);
  const offsets = (name, length) => new BigInt64Array(core.memory.buffer, core[name](), length);
  const ends = offsets("judged_offsets", n + 1), inRun = offsets("run_query", n);
  const runEnds = offsets("run_offsets", core.n_ids(IDS.runQueries) + 1);
  const runScores = new Float64Array(core.memory.buffer, core.run_scores(), core.n_ids(IDS.retrieved));
  const queries = Array.from({ length: n }, (_, query) => {
    if (inRun[query] < 0n) return null;
    let least = Infinity;
    for (let row = Number(runEnds[Number(inRun[query])]); row < Number(runEnds[Number(inRun[query]) + 1]); row++) least = Math.min(least, runScores[row]);
    const [from, to] = [Number(ends[query]), Number(ends[query + 1])];
    const gains = Array.from(labels.subarray(from, to), (label) => Math.max(Math.trunc(label), 0));
    return { gains, scores: Array.from(scores.subarray(from, to), (score) => (Number.isNaN(score) ? least - 1 : score)) };
  });
  return { common, queries };
}

/* Many small data sets under many conventions in one go, which tests need. */
async function cases({ sets }) {
  const answers = [];
  for (const { judgments, run, conventions } of sets) {
    await read({ kind: "judgments", file: new Blob([judgments]) });
    await read({ kind: "run", file: new Blob([run]) });
    const { common } = join();
    answers.push(conventions.map((choices) => {
      const found = common === 0 ? { refused: "nothing in common" } : evaluate({ choices });
      return found.refused ? { refused: found.refused } : { mean: String(found.mean), values: Array.from(found.values, String), counted: Array.from(found.counted) };
    }));
  }
  return { answers };
}

const TASKS = { load: ({ bytes }) => load(bytes), read, join, evaluate, explain, list, judged, cases };

/* One request after the other: reading a file takes turns with nothing else. */
let last = Promise.resolve();
onmessage = ({ data }) => { last = last.then(() => answer(data)); };

async function answer(data) {
  try {
    postMessage({ id: data.id, ...(await TASKS[data.task](data)) });
  } catch (error) {
    if (error instanceof Refused) {
      postMessage({ id: data.id, error: error.message, line: error.place, column: error.column });
      return;
    }
    // A trap: most often, no more memory. The instance is not to be trusted any more.
    if (module !== null) await restart();
    postMessage({ id: data.id, error: error instanceof WebAssembly.RuntimeError || error instanceof RangeError ? "not enough memory" : String(error), broken: true });
  }
}
