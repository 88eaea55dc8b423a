"use strict";
(async () => {
  /* ---- data ---- */
  const data = JSON.parse(document.getElementById("report-data").textContent);

  const inflated = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  };

  // Values are numbers of steps, the lowest bytes of all before the next; the largest number stands for "no value".
  const decoded = async ({ low, step, data: text }, nSystems, nQueries) => {
    const bytes = new Uint8Array(await inflated(text));
    const size = nSystems * nQueries;
    const all = new Float64Array(size);
    const missing = 256 ** (bytes.length / size) - 1;
    for (let i = 0; i < size; i++) {
      let code = 0;
      for (let at = i, unit = 1; at < bytes.length; at += size, unit *= 256) code += bytes[at] * unit;
      all[i] = code === missing ? NaN : low + code * step;
    }
    return Array.from({ length: nSystems }, (_, s) => all.subarray(s * nQueries, (s + 1) * nQueries));
  };

  const scores = data.scores;
  const { systems, queries, measures } = scores;
  const [ahead, behind] = scores.has_best ? ["better", "worse"] : ["higher", "lower"]; // no convention is better than another
  const lowered = queries.map((name) => name.toLowerCase());
  await Promise.all(measures.map(async (measure) => {
    const [values, pairs] = await Promise.all([
      measure.values && decoded(measure.values, systems.length, queries.length),
      measure.pairs && inflated(measure.pairs),
    ]);
    const { step } = measure.values || {};
    measure.step = step;
    measure.digits = Math.max(0, Math.min(4, Math.ceil(-Math.log10(step) - 1e-9))); // no more than were kept
    measure.values = values;
    measure.pairs = new Map();
    const numbers = new Float32Array(pairs || new ArrayBuffer(0));
    const width = scores.columns.length;
    for (let at = 0; at < numbers.length; at += width) {
      const pair = Object.fromEntries(scores.columns.map((name, i) => [name, numbers[at + i]]));
      measure.pairs.set(pair.system * systems.length + pair.against, pair);
    }
    const sign = scores.has_best ? (measure.lower ? 1 : -1) : 0; // without better and worse, the order is as given
    const key = (s) => { const mean = measure.means[s][0]; return mean === null ? Infinity : sign * mean; };
    measure.ranked = [...systems.keys()].sort((a, b) => key(a) - key(b) || a - b);
  }));

  /** The comparison of one system with another, in this direction; undefined if it was not tested. */
  const pairOf = (measure, s, t) => {
    const own = measure.pairs.get(s * systems.length + t);
    if (own) return own;
    const turned = measure.pairs.get(t * systems.length + s);
    return turned && {
      ...turned, change: -turned.change, low: -turned.high, high: -turned.low, d_z: -turned.d_z, better: turned.worse, worse: turned.better,
    };
  };

  /* ---- elements and numbers ---- */
  const made = (element, attributes, children) => {
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined)); // strings become text, never markup
    return element;
  };
  const h = (name, attributes = {}, ...children) => made(document.createElement(name), attributes, children);
  const { namespaceURI } = new DOMParser().parseFromString("<svg></svg>", "text/html").body.firstChild;
  const v = (name, attributes = {}, ...children) => made(document.createElementNS(namespaceURI, name), attributes, children);
  const isKnown = (value) => value !== null && value !== undefined && !Number.isNaN(value);
  // What is rounded to 0 has no minus sign.
  const unsigned = (value, digits) => Math.abs(value).toFixed(digits);
  const isMinus = (value, digits) => value < 0 && +unsigned(value, digits) !== 0;
  const fixed = (value, digits = 4) => (isKnown(value) ? `${isMinus(value, digits) ? "−" : ""}${unsigned(value, digits)}` : "none");
  const signed = (value, digits = 4) => (isKnown(value) ? `${isMinus(value, digits) ? "−" : "+"}${unsigned(value, digits)}` : "none");
  /** A change of exactly 0 is neither better nor worse. */
  const sideOf = (change, lower) => (!isKnown(change) || change === 0 ? null : change > 0 !== lower ? "better" : "worse");
  const pName = scores.is_corrected ? "corrected p" : "p";
  const pTitle = scores.is_corrected ? "Corrected p-value" : "p-value";
  const valueText = (value) => fixed(value, measureNow().digits);
  const changeText = (value) => signed(value, measureNow().digits);
  const pText = (p) => (!isKnown(p) ? "none" : p < 0.0001 ? "<0.0001" : p.toFixed(4));
  const count = (n, what = "") => `${n.toLocaleString("en")}${what && ` ${n === 1 ? what : what === "query" ? "queries" : `${what}s`}`}`;
  /** The parts of a long name, with places between them where a line may end. */
  const breakable = (name) => (name.match(/[^(,=]*[(,=]|[^(,=]+/g) ?? [name]).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));
  const ruler = document.createElement("canvas").getContext("2d");
  const fitted = (text, width, font = "12px system-ui, sans-serif") => {
    ruler.font = font;
    if (ruler.measureText(text).width <= width) return text;
    let [low, high] = [0, text.length];
    const cut = (n) => `${text.slice(0, Math.ceil(n / 2))}…${n > 1 ? text.slice(-Math.floor(n / 2)) : ""}`;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (ruler.measureText(cut(middle)).width <= width) low = middle; else high = middle - 1;
    }
    return cut(low);
  };
  /** Round numbers from low to high: no more than most, but at least two, because one would show no scale. */
  const ticks = (low, high, most) => {
    if (!(high > low)) return [low];
    const rough = (high - low) / Math.max(most, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(+(i * step).toPrecision(12));
    return found.length > 1 ? found : ticks(low, high, Math.max(most, 1) + 1);
  };

  /* ---- state, which is in the address ---- */
  const collator = new Intl.Collator(undefined, { numeric: true });
  const nTop = 10;
  const reference = (m) => (scores.baseline === null ? measures[m].ranked[0] : systems.indexOf(scores.baseline));
  const initial = () => ({
    measure: 0, against: null, show: "top", picked: new Set(), board: [null, 1], rows: [null, 1], filter: "", spread: 0, query: null, x: null, y: null,
  });
  const state = initial();
  const measureNow = () => measures[state.measure];
  const againstNow = () => state.against ?? reference(state.measure);
  const chosen = () => {
    const { ranked } = measureNow();
    if (state.show === "all") return ranked;
    if (state.show === "picked") return ranked.filter((s) => state.picked.has(s));
    const top = ranked.slice(0, nTop);
    const other = againstNow();
    return top.includes(other) || !isKnown(other) ? top : [...top.slice(0, nTop - 1), other];
  };
  const readAddress = () => {
    const given = new URLSearchParams(location.hash.slice(1));
    Object.assign(state, initial());
    const place = (list, name) => { const at = list.indexOf(name); return at < 0 ? null : at; };
    const named = (key) => (given.has(key) ? place(systems, given.get(key)) : null);
    state.measure = Math.max(0, measures.findIndex((each) => each.name === given.get("measure")));
    state.against = named("against");
    state.picked = new Set(given.getAll("system").map((name) => place(systems, name)).filter(isKnown));
    state.show = state.picked.size ? "picked" : given.get("show") === "all" ? "all" : "top";
    const order = (key, otherwise) => {
      const [name, sign] = [given.get(key), given.get(`${key}-order`)];
      return name === null ? otherwise : [name, sign === "ascending" ? 1 : -1];
    };
    state.board = order("sort", state.board);
    state.rows = order("queries-sort", state.rows);
    state.filter = given.get("find") || "";
    state.spread = +given.get("spread") || 0;
    state.query = given.has("query") ? place(queries, given.get("query")) : null;
    [state.x, state.y] = [named("x"), named("y")];
  };
  const writeAddress = () => {
    const said = new URLSearchParams();
    if (state.measure) said.set("measure", measureNow().name);
    if (state.against !== null) said.set("against", systems[state.against]);
    if (state.show === "all") said.set("show", "all");
    if (state.show === "picked") for (const s of state.picked) said.append("system", systems[s]);
    const order = (key, [name, sign], usual) => {
      if (name === usual[0] && sign === usual[1]) return;
      if (name === null) return;
      said.set(key, name);
      said.set(`${key}-order`, sign > 0 ? "ascending" : "descending");
    };
    order("sort", state.board, initial().board);
    order("queries-sort", state.rows, initial().rows);
    if (state.filter) said.set("find", state.filter);
    if (state.spread) said.set("spread", state.spread);
    if (state.query !== null) said.set("query", queries[state.query]);
    if (state.x !== null) said.set("x", systems[state.x]);
    if (state.y !== null) said.set("y", systems[state.y]);
    const text = said.toString();
    history.replaceState(null, "", text || location.hash.includes("=") ? `#${text}` : location.hash || location.pathname);
  };

  /* ---- series: a colour, a dash and a mark each ---- */
  const nColours = scores.colours;
  const dashes = ["", "6 3", "1.5 3", "8 3 1.5 3"];
  const marks = [
    "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z", "m-2.7-2.7h5.4v5.4h-5.4z", "m0-3.6l3.4 6.2h-6.8z", "m0-3.9l3.2 3.9l-3.2 3.9l-3.2-3.9z",
  ];
  // Where colors and dashes would repeat, only the best systems and the reference have them; the others are gray.
  const isGray = (place) => { const shown = chosen(); return shown.length > nColours * dashes.length && place >= nTop && shown[place] !== againstNow(); };
  const series = (at) => {
    if (isGray(at)) return { colour: "var(--neutral)", dash: "", mark: "", class: "line gray" };
    const place = chosen().length > nColours * dashes.length ? Math.min(at, nTop) : at;
    const turn = Math.floor(place / nColours);
    return { colour: `var(--series-${place % nColours})`, dash: dashes[turn % dashes.length], mark: marks[turn % marks.length], class: "line" };
  };
  /** Do something for each of these systems, those in gray first, so that they are below the others. */
  const eachSeries = (some, draw) => {
    const all = chosen(); // colors are by the place among all chosen systems, also if only some are drawn
    const places = some.map((s) => all.indexOf(s));
    for (const place of [...places.filter(isGray), ...places.filter((at) => !isGray(at))]) draw(all[place], series(place));
  };
  const swatch = (place) => {
    const { colour, dash, mark } = series(place);
    return v("svg", { class: "swatch", viewBox: "0 0 30 10", width: 30, height: 10, "aria-hidden": "true" },
      v("path", { d: "M0 5H30", stroke: colour, "stroke-width": 2, "stroke-dasharray": dash || null }),
      mark ? v("path", { d: `M15 5${mark}`, fill: colour }) : null);
  };
  const legend = (shown) => {
    const gray = [...shown.keys()].filter(isGray);
    return h("ul", { class: "legend" }, ...shown.flatMap((s, place) => (isGray(place) ? [] : [h("li", {}, swatch(place), h("span", {}, systems[s]))])),
      gray.length ? h("li", {}, swatch(gray[0]), h("span", {}, `${count(gray.length, `other ${scores.kind}`)}`)) : null);
  };

  /* ---- what a pointer or a key is at ---- */
  const tip = h("div", { class: "tip", role: "tooltip", hidden: true });
  const live = h("p", { class: "unseen", role: "status" });
  document.body.append(tip, live);
  let shownAt = 0;
  const showTip = (lines, x, y) => {
    tip.replaceChildren(...lines.map((line, i) => h(i ? "div" : "strong", {}, line)));
    tip.hidden = false;
    shownAt = scrollY;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 4))}px`;
    tip.style.top = `${y + height + 22 > innerHeight ? Math.max(4, y - height - 12) : y + 16}px`;
  };
  const hideTip = () => { tip.hidden = true; };
  addEventListener("scroll", () => { if (Math.abs(scrollY - shownAt) > 2) hideTip(); }, { passive: true });

  /**
   * Make an SVG tell what is at a point: `locate(x, y)` gives a number, and `at(number)` its place, its lines of text and
   * what pressing it does. The arrow keys go from one number to the next. `marked(query)` is a path that shows a query.
   */
  const explorable = (svg, label, n, locate, at, marked = () => "") => {
    const cursor = v("circle", { class: "cursor", r: 6, visibility: "hidden" });
    const chosen_ = v("path", { class: "chosen" });
    svg.mark = (q) => chosen_.setAttribute("d", q === null ? "" : marked(q));
    let now = -1;
    const go = (number, spoken) => {
      now = number;
      const found = number >= 0 && number < n ? at(number) : null;
      cursor.setAttribute("visibility", found ? "visible" : "hidden");
      svg.style.cursor = found && found.press ? "pointer" : "";
      if (!found) { hideTip(); return; }
      cursor.setAttribute("cx", found.x);
      cursor.setAttribute("cy", found.y);
      const box = svg.getBoundingClientRect();
      const scale = box.width / svg.viewBox.baseVal.width;
      showTip(found.lines, box.left + found.x * scale, box.top + found.y * scale);
      if (spoken) live.textContent = found.lines.join("; ");
    };
    const point = (event) => {
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      return locate((event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
    };
    const press = () => { const found = now >= 0 ? at(now) : null; if (found && found.press) { hideTip(); found.press(); } };
    made(svg, {
      role: "img", "aria-label": label, tabindex: n ? 0 : null,
      onpointermove: (event) => go(point(event), false),
      onpointerleave: () => go(-1, false),
      onblur: () => go(-1, false),
      onclick: (event) => { now = point(event); press(); },
      onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (step) go((now + step + n) % n, true);
        else if (event.key === "Home") go(0, true);
        else if (event.key === "End") go(n - 1, true);
        else if (event.key === "Enter" || event.key === " ") press();
        else return;
        event.preventDefault();
      },
    }, [chosen_, cursor]);
    return svg;
  };

  /* ---- plots ---- */
  const canvas = (width, height) => v("svg", { class: height > 450 ? "plot tall" : "plot", viewBox: `0 0 ${width} ${height}`, width, height });
  const text = (x, y, content, attributes = {}) => v("text", { x, y, ...attributes }, content);
  /** Ticks with their labels, all with the same number of digits. */
  const labeled = (all) => {
    const digits = Math.max(0, ...all.map((tick) => `${tick}`.split(".")[1]?.length ?? 0));
    return all.map((tick) => [tick, Math.abs(tick) < 1e-4 && tick ? `${tick}` : tick.toFixed(Math.min(digits, 6))]);
  };
  const xAxis = (svg, scale, low, high, left, right, top, bottom) => {
    for (const [tick, label] of labeled(ticks(low, high, (right - left) / 60))) {
      const x = scale(tick);
      svg.append(v("path", { class: "grid", d: `M${x} ${top}V${bottom}` }), text(x, bottom + 14, label, { "text-anchor": "middle" }));
    }
  };
  const yAxis = (svg, scale, low, high, left, right, top, bottom, apart = 40) => {
    for (const [tick, label] of labeled(ticks(low, high, (bottom - top) / apart))) {
      const y = scale(tick);
      svg.append(v("path", { class: "grid", d: `M${left} ${y}H${right}` }), text(left - 6, y + 4, label, { "text-anchor": "end" }));
    }
  };
  const yName = (svg, name, top, bottom) => svg.append(text(0, 0, fitted(name, bottom - top), { transform: `translate(11 ${top}) rotate(-90)`, "text-anchor": "end" }));
  const linear = (low, high, from, to) => (value) => (high > low ? from + ((value - low) / (high - low)) * (to - from) : (from + to) / 2);
  const rounded = (value) => Math.round(value * 10) / 10;
  const extent = (all) => {
    let [low, high] = [0, 1];
    for (const column of all) for (const value of column) { if (value < low) low = value; if (value > high) high = value; }
    return [low, high];
  };
  /** The range of the values and a little more, but not beyond 0 and 1 if they are not. */
  const closeExtent = (all) => {
    const known = all.flatMap((column) => [...column].filter(isKnown));
    if (!known.length) return [0, 1];
    const [low, high] = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))];
    const [least, most] = extent(all);
    const margin = Math.max((high - low) * 0.05, 0.01);
    return [Math.max(low - margin, least), Math.min(high + margin, most)];
  };
  const nameWidth = (names, width, extra = 0) => {
    ruler.font = "12px system-ui, sans-serif";
    return Math.min(Math.max(0, ...names.map((name) => ruler.measureText(name).width)) + 10 + extra, Math.max(width * 0.34, 90));
  };

  /** The height of the strip of a system: those of many systems fit a page of paper. */
  const stripOf = (shown) => (shown.length <= 20 ? 40 : isPrinted ? 14 : 20);

  /** The figures by name: a caption, what can be chosen above it, and the drawing for a width. */
  const figures = {
    differences: {
      caption: () => `Difference from ${systems[againstNow()]}, query by query, largest first; all rows share one scale`,
      isShown: () => systems.length > 1,
      depends: () => [againstNow(), ...chosen()],
      draw: (width) => {
        const { values, lower, step } = measureNow();
        const other = againstNow();
        const shown = chosen().filter((s) => s !== other);
        const nQueries = queries.length;
        // One number has the difference, in steps, and the query, so that sorting needs no function.
        const [least, largest] = extent([...shown, other].map((s) => values[s]));
        const Keys = (2 * (largest - least)) / step < 2 ** 31 / nQueries ? Int32Array : Float64Array;
        const sorted = shown.map((s) => {
          const [own, base] = [values[s], values[other]];
          const keyed = new Keys(nQueries);
          let size = 0;
          for (let q = 0; q < nQueries; q++) {
            const difference = own[q] - base[q];
            if (difference === difference) keyed[size++] = -Math.round(difference / step) * nQueries + q;
          }
          const order = keyed.subarray(0, size).sort();
          return Uint32Array.from(order, (key) => ((key % nQueries) + nQueries) % nQueries);
        });
        const difference = (row, k) => values[shown[row]][sorted[row][k]] - values[other][sorted[row][k]];
        const most = Math.max(1e-9, ...sorted.map((order, row) => (order.length ? Math.max(Math.abs(difference(row, 0)), Math.abs(difference(row, order.length - 1))) : 0)));
        const strip = stripOf(shown);
        const left = nameWidth(shown.map((s) => systems[s]), width);
        const [right, top] = [width - 46, 4];
        const svg = canvas(width, top + strip * Math.max(shown.length, 1) + 6);
        const reach = strip / 2 - 2;
        const bar = (row, k, n) => [left + ((right - left) * k) / n, rounded(top + strip * (row + 0.5) - (reach * difference(row, k)) / most)];
        shown.forEach((s, row) => {
          const base = top + strip * (row + 0.5);
          const order = sorted[row];
          const n = order.length;
          const nBars = Math.min(n, Math.round(right - left));
          const paths = { better: "", worse: "" };
          for (let i = 0; i < nBars; i++) {
            const k = nBars > 1 ? Math.round((i * (n - 1)) / (nBars - 1)) : 0;
            const change = difference(row, k);
            if (change === 0) continue;
            const [x0, x1] = [rounded(left + ((right - left) * i) / nBars), rounded(left + ((right - left) * (i + 1)) / nBars)];
            paths[change > 0 !== lower ? "better" : "worse"] += `M${x0} ${base}V${bar(row, k, n)[1]}H${x1}V${base}z`;
          }
          svg.append(text(left - 8, base + 4, fitted(systems[s], left - 10), { "text-anchor": "end" }));
          for (const [side, d] of Object.entries(paths)) svg.append(v("path", { class: side, d }));
          svg.append(v("path", { class: "axis", d: `M${left} ${base}H${right}` }));
          if (row || most < 1e-6) return;
          if (strip > 30) svg.append(text(right + 5, base - reach + 8, signed(most, 2), { class: "small" }), text(right + 5, base + reach, signed(-most, 2), { class: "small" }));
          else svg.append(text(right + 5, base + 4, `±${most.toFixed(2)}`, { class: "small" }));
        });
        const starts = sorted.reduce((all, order) => [...all, all[all.length - 1] + order.length], [0]);
        const locate = (x, y) => {
          const row = Math.floor((y - top) / strip);
          if (row < 0 || row >= shown.length || x < left || x > right) return -1;
          return starts[row] + Math.min(sorted[row].length - 1, Math.floor(((x - left) / (right - left)) * sorted[row].length));
        };
        const at = (number) => {
          let row = 0;
          while (starts[row + 1] <= number) row++;
          const k = number - starts[row];
          const q = sorted[row][k];
          const [x, y] = bar(row, k, sorted[row].length);
          const lines = [`query ${queries[q]}`, `${systems[shown[row]]} ${valueText(values[shown[row]][q])}`, `${systems[other]} ${valueText(values[other][q])}`, `difference ${changeText(difference(row, k))}`];
          return { x, y, lines, press: () => choose(q) };
        };
        const marked = (q) => sorted.map((order, row) => {
          const [k, base] = [order.indexOf(q), top + strip * (row + 0.5)];
          return k < 0 ? "" : `M${rounded(left + ((right - left) * (k + 0.5)) / order.length)} ${base - reach - 1}V${base + reach + 1}`;
        }).join("");
        return explorable(svg, `Differences of ${count(shown.length, scores.kind)} from ${systems[other]} on ${count(nQueries, "query")}`, starts[starts.length - 1], locate, at, marked);
      },
    },
    distributions: {
      caption: () => "Per-query scores: how many queries have which score (heights on a square-root scale); the line is the mean",
      isShown: () => true,
      draw: (width) => {
        const { values, means, name } = measureNow();
        const shown = chosen();
        const [low, high] = extent(shown.map((s) => values[s]));
        const nBins = 25;
        const bins = shown.map((s) => {
          const counts = new Array(nBins).fill(0);
          for (const value of values[s]) if (value === value) counts[Math.min(nBins - 1, Math.floor(((value - low) / (high - low)) * nBins))]++;
          return counts;
        });
        const most = Math.max(1, ...bins.flat());
        const strip = stripOf(shown);
        const left = nameWidth(shown.map((s) => systems[s]), width);
        const [right, top, bottom] = [width - 16, 4, 4 + strip * shown.length];
        const svg = canvas(width, bottom + 36);
        const x = linear(low, high, left, right);
        xAxis(svg, x, low, high, left, right, top, bottom);
        svg.append(text(right, bottom + 30, name, { "text-anchor": "end" }));
        shown.forEach((s, row) => {
          const base = top + strip * (row + 1);
          const d = bins[row].map((n, bin) => (n ? `M${rounded(left + ((right - left) * bin) / nBins)} ${base}v${-rounded((strip - 6) * Math.sqrt(n / most))}h${rounded((right - left) / nBins)}V${base}z` : "")).join("");
          svg.append(v("path", { class: "bars", d }), v("path", { class: "axis", d: `M${left} ${base}H${right}` }));
          if (isKnown(means[s][0])) svg.append(v("path", { class: "mean", d: `M${rounded(x(means[s][0]))} ${base}v${6 - strip}` }));
          svg.append(text(left - 8, base - strip / 2 + 5, fitted(systems[s], left - 10), { "text-anchor": "end" }));
        });
        const marked = (q) => shown.map((s, row) => (isKnown(values[s][q]) ? `M${rounded(x(values[s][q]))} ${top + strip * (row + 1)}v${-strip / 2}` : "")).join("");
        const locate = (px, py) => {
          const [row, bin] = [Math.floor((py - top) / strip), Math.floor(((px - left) / (right - left)) * nBins)];
          return row < 0 || row >= shown.length || bin < 0 || bin >= nBins ? -1 : row * nBins + bin;
        };
        const at = (number) => {
          const [row, bin] = [Math.floor(number / nBins), number % nBins];
          const edge = (i) => low + ((high - low) * i) / nBins;
          const lines = [systems[shown[row]], `${count(bins[row][bin], "query")} from ${edge(bin).toFixed(2)} to ${edge(bin + 1).toFixed(2)}`, `mean ${fixed(means[shown[row]][0])}`];
          return { x: x(edge(bin + 0.5)), y: top + strip * (row + 1) - (strip - 6) * Math.sqrt(bins[row][bin] / most), lines };
        };
        return explorable(svg, `Distribution of ${name} over queries, for ${count(shown.length, scores.kind)}`, shown.length * nBins, locate, at, marked);
      },
    },
    profile: {
      caption: () => `Every query, ${orderText()}`,
      isShown: () => true,
      hasLegend: true,
      depends: () => [chosen(), state.rows, state.filter, state.spread],
      draw: (width) => {
        const { values, name } = measureNow();
        const shown = chosen();
        const order = state.rows[0] === null ? byMean(rowsNow()) : rowsNow();
        const n = order.length;
        const [left, right, top, height] = [56, width - 8, 8, 260];
        const bottom = height - 34;
        const nBins = Math.min(n, Math.max(20, Math.round((right - left) / 4)));
        const isBinned = n > nBins && n * shown.length > 400;
        const bin = (k) => Math.floor((k * nBins) / n);
        const binned = (s) => {
          const [sums, sizes] = [new Float64Array(nBins), new Float64Array(nBins)];
          order.forEach((q, k) => { const value = values[s][q]; if (value === value) { sums[bin(k)] += value; sizes[bin(k)]++; } });
          return sums.map((sum, i) => sum / sizes[i]);
        };
        const lines = new Map(isBinned ? shown.map((s) => [s, binned(s)]) : []);
        const [low, high] = closeExtent(isBinned ? [...lines.values()] : shown.map((s) => values[s]));
        const svg = canvas(width, height);
        const y = linear(low, high, bottom, top);
        const x = (k) => left + ((right - left) * (k + 0.5)) / Math.max(n, 1);
        yAxis(svg, y, low, high, left, right, top, bottom);
        yName(svg, name, top, bottom);
        if (!isBinned && shown.length > 1) { // a line from the lowest to the highest value of a query
          const ends = order.map((q) => shown.map((s) => values[s][q]).filter(isKnown));
          svg.append(v("path", { class: "range", d: ends.map((own, k) => (own.length ? `M${rounded(x(k))} ${rounded(y(Math.min(...own)))}V${rounded(y(Math.max(...own)))}` : "")).join("") }));
        }
        eachSeries(shown, (s, { colour, dash, mark, class: kind }) => {
          if (isBinned) {
            let d = "";
            lines.get(s).forEach((value, i) => { if (value === value) d += `${d ? "L" : "M"}${rounded(left + ((right - left) * (i + 0.5)) / nBins)} ${rounded(y(value))}`; });
            svg.append(v("path", { d, class: kind, stroke: colour, "stroke-dasharray": dash || null }));
          } else {
            const d = order.map((q, k) => (isKnown(values[s][q]) ? `M${rounded(x(k))} ${rounded(y(values[s][q]))}${mark || marks[0]}` : "")).join("");
            svg.append(v("path", { d, class: "marks", fill: colour }));
          }
        });
        svg.append(text(right, bottom + 18, count(n, "query"), { "text-anchor": "end" }));
        svg.append(v("path", { class: "axis", d: `M${left} ${bottom}H${right}` }));
        const marked = (q) => { const k = order.indexOf(q); return k < 0 ? "" : `M${rounded(x(k))} ${top}V${bottom}`; };
        const locate = (px) => (n && px >= left && px <= right ? Math.min(n - 1, Math.floor(((px - left) / (right - left)) * n)) : -1);
        const at = (k) => {
          const q = order[k];
          const own = shown.slice().sort((s, t) => values[t][q] - values[s][q]);
          const told = [`query ${queries[q]}`, ...own.slice(0, 12).map((s) => `${valueText(values[s][q])} ${systems[s]}`), ...(own.length > 12 ? [`and ${own.length - 12} more`] : [])];
          const top_ = isKnown(values[own[0]]?.[q]) ? values[own[0]][q] : low;
          return { x: x(k), y: y(Math.min(high, Math.max(low, top_))), lines: told, press: () => choose(q) };
        };
        const found = explorable(svg, `${name} of ${count(shown.length, scores.kind)} on ${count(n, "query")}`, n, locate, at, marked);
        found.note = isBinned ? `Each point of a line is the mean of ${n < 1.5 * nBins ? "1 or 2" : `about ${Math.round(n / nBins)}`} consecutive queries.` : "";
        return found;
      },
    },
    scatter: {
      caption: () => `One ${scores.kind} against another: a point per query`,
      isShown: () => systems.length > 1,
      depends: () => pairShown(),
      controls: () => [
        systemSelect("Across", "x", () => pairShown()[0]),
        systemSelect("Up", "y", () => pairShown()[1]),
      ],
      draw: (width) => {
        const { values, name, lower } = measureNow();
        const [a, b] = pairShown();
        const side = Math.min(width, isPrinted ? 340 : 520);
        const [left, right, top, bottom] = [62, side - 16, 8, side - 70]; // a square
        const svg = canvas(width, side - 26);
        const [low, high] = closeExtent([values[a], values[b]]);
        const [x, y] = [linear(low, high, left, right), linear(low, high, bottom, top)];
        xAxis(svg, x, low, high, left, right, top, bottom);
        yAxis(svg, y, low, high, left, right, top, bottom, 60); // the ticks of the other axis
        const dots = { better: "", worse: "", same: "" };
        const counts = { better: 0, worse: 0, same: 0 };
        const known = [];
        for (let q = 0; q < queries.length; q++) {
          const [across, up] = [values[a][q], values[b][q]];
          if (across !== across || up !== up) continue;
          known.push(q);
          const side_ = across === up ? "same" : up > across !== lower ? "better" : "worse";
          counts[side_]++;
          dots[side_] += `M${rounded(x(across))} ${rounded(y(up))}h0`;
        }
        const tested = pairOf(measureNow(), b, a); // its counts are those of the values before they were rounded
        if (tested) Object.assign(counts, { better: tested.better, same: tested.same, worse: tested.worse });
        svg.append(v("path", { class: "diagonal", d: `M${left} ${bottom}L${right} ${top}` }));
        const dense = known.length > 1000;
        svg.append(text(right, bottom + 32, fitted(`${name}, ${systems[a]}`, right - left), { "text-anchor": "end" }));
        yName(svg, `${name}, ${systems[b]}`, top, bottom);
        for (const [kind, d] of Object.entries(dots)) svg.append(v("path", { class: `dots ${kind}${dense ? " dense" : ""}`, d }));
        const marked = (q) => (isKnown(values[a][q]) && isKnown(values[b][q]) ? `M${rounded(x(values[a][q]) - 7)} ${rounded(y(values[b][q]))}a7 7 0 1 0 14 0a7 7 0 1 0-14 0z` : "");
        const locate = (px, py) => {
          let [best, least] = [-1, 400];
          known.forEach((q, k) => {
            const distance = (x(values[a][q]) - px) ** 2 + (y(values[b][q]) - py) ** 2;
            if (distance < least) [best, least] = [k, distance];
          });
          return best;
        };
        const at = (k) => {
          const q = known[k];
          const lines = [`query ${queries[q]}`, `${systems[a]} ${valueText(values[a][q])}`, `${systems[b]} ${valueText(values[b][q])}`, `difference ${changeText(values[b][q] - values[a][q])}`];
          return { x: x(values[a][q]), y: y(values[b][q]), lines, press: () => choose(q) };
        };
        const found = explorable(svg, `${systems[b]} against ${systems[a]} on ${count(known.length, "query")}: ${ahead} on ${counts.better}, same on ${counts.same}, ${behind} on ${counts.worse}`, known.length, locate, at, marked);
        const entry = (kind, name, told, n) => h("li", {}, v("svg", { class: "dot", viewBox: "0 0 10 10", "aria-hidden": "true" }, v("circle", { class: kind, cx: 5, cy: 5, r: 4 })), name && h("span", {}, name), `${told}: ${count(n)}`);
        found.legend = h("ul", { class: "legend counts" }, entry("better", systems[b], ahead, counts.better), entry("worse", systems[a], ahead, counts.worse), counts.same ? entry("same", null, "same", counts.same) : null);
        return found;
      },
    },
    pairs: {
      caption: () => `All pairs: ▲ the row is significantly better than the column, ▼ worse (${scores.test})`,
      isShown: () => scores.baseline === null && measureNow().pairs.size > 1 && [...measureNow().pairs.values()].some((pair) => isKnown(pair.corrected)),
      draw: (width) => {
        const measure = measureNow();
        const shown = chosen();
        const n = shown.length;
        const left = nameWidth(shown.map((s) => systems[s]), width, 34);
        const cell = Math.max(4, Math.min(46, (width - left - 4) / n));
        const top = 22;
        const svg = canvas(width, top + cell * n + 6);
        const cells = { better: "", worse: "", none: "" };
        const kind = (pair) => (pair.corrected > scores.level || !isKnown(pair.corrected) ? "none" : sideOf(pair.change, measure.lower) ?? "none");
        const font = Math.min(12, cell / 3.4);
        const labels = [];
        shown.forEach((s, row) => shown.forEach((t, column) => {
          const pair = s === t ? null : pairOf(measure, s, t);
          if (!pair) return;
          const side = kind(pair);
          const [x0, y0, size] = [rounded(left + cell * column + 0.5), rounded(top + cell * row + 0.5), rounded(cell - 1)];
          cells[side] += `M${x0} ${y0}h${size}v${size}h${-size}z`;
          const mark = { better: "▲", worse: "▼", none: "" }[side];
          if (font < 9) { // no room for a legible number
            if (mark && cell >= 10) labels.push(text(x0 + size / 2, y0 + size * 0.7, mark, { "text-anchor": "middle", "font-size": size * 0.55 }));
            return;
          }
          const p = !isKnown(pair.corrected) ? "none" : pair.corrected < 0.0005 ? "<.001" : pair.corrected.toFixed(3).replace(/^0/, "");
          const middle = y0 + size / 2;
          if (mark) labels.push(text(x0 + size / 2, middle - 1, mark, { "text-anchor": "middle", "font-size": font * 0.9 }));
          labels.push(text(x0 + size / 2, middle + (mark ? font : font * 0.4), p, { "text-anchor": "middle", "font-size": font }));
        }));
        for (const [side, d] of Object.entries(cells)) svg.append(v("path", { class: `cell ${side}`, d }));
        svg.append(...labels);
        const every = Math.ceil(13 / cell);
        shown.forEach((s, row) => {
          if (row % every) return;
          const y = top + cell * (row + 0.5) + 4;
          svg.append(text(left - 34, y, fitted(systems[s], left - 38), { "text-anchor": "end" }), text(left - 6, y, `${row + 1}`, { class: "quiet", "text-anchor": "end" }));
          if (row % Math.ceil(20 / cell) === 0) svg.append(text(left + cell * (row + 0.5), top - 7, `${row + 1}`, { class: "quiet", "text-anchor": "middle" }));
        });
        const locate = (px, py) => {
          const [row, column] = [Math.floor((py - top) / cell), Math.floor((px - left) / cell)];
          return row < 0 || column < 0 || row >= n || column >= n || row === column ? -1 : row * n + column;
        };
        const at = (number) => {
          const [s, t] = [shown[Math.floor(number / n)], shown[number % n]];
          const place = { x: left + cell * ((number % n) + 0.5), y: top + cell * (Math.floor(number / n) + 0.5) };
          const pair = s === t ? null : pairOf(measure, s, t);
          if (!pair) return { ...place, lines: [systems[s]] };
          const lines = [`${systems[s]} against ${systems[t]}`, `change ${signed(pair.change)} (${signed(pair.low)} to ${signed(pair.high)})`, `${pName} ${pText(pair.corrected)}`, `better on ${pair.better}, same on ${pair.same}, worse on ${pair.worse}`];
          return { ...place, lines, press: () => change({ x: t, y: s }) };
        };
        const found = explorable(svg, `${pTitle}s of ${count((n * (n - 1)) / 2, "pair")}`, n * n, locate, at);
        found.note = font < 9 ? "" : `Numbers are ${pTitle.toLowerCase()}s.`;
        return found;
      },
    },
  };
  const pairShown = () => {
    const { ranked } = measureNow();
    const across = state.x ?? againstNow();
    return [across, state.y ?? ranked.find((s) => s !== across)];
  };

  const curveFigure = (family, curves) => ({
    caption: () => `${family} by cutoff (${data.curves.basis})`,
    isShown: () => true,
    hasLegend: true,
    draw: (width) => {
      const shown = chosen().filter((s) => curves.means[systems[s]]);
      const { cutoffs } = curves;
      const all = shown.flatMap((s) => curves.means[systems[s]]).filter(isKnown);
      const pad = 0.04 * (Math.max(...all) - Math.min(...all)) || 0.05;
      const [low, high] = all.length ? [Math.min(...all) - pad, Math.max(...all) + pad] : [0, 1];
      const [left, right, top, height] = [62, width - 14, 8, 290];
      const bottom = height - 36;
      const svg = canvas(width, height);
      const x = (cutoff) => linear(Math.log(cutoffs[0]), Math.log(cutoffs[cutoffs.length - 1]), left, right)(Math.log(cutoff));
      const y = linear(low, high, bottom, top);
      yAxis(svg, y, low, high, left, right, top, bottom);
      yName(svg, `mean ${family}`, top, bottom);
      for (const cutoff of cutoffs) svg.append(text(x(cutoff), bottom + 15, `${cutoff}`, { "text-anchor": "middle" }));
      svg.append(v("path", { class: "axis", d: `M${left} ${bottom}H${right}` }), text(right, bottom + 31, "cutoff", { "text-anchor": "end" }));
      const points = [];
      eachSeries(shown, (s, { colour, dash, mark, class: kind }) => {
        const own = curves.means[systems[s]].map((mean, i) => [cutoffs[i], mean]).filter(([, mean]) => isKnown(mean));
        svg.append(v("path", { class: kind, d: own.map(([k, mean], i) => `${i ? "L" : "M"}${rounded(x(k))} ${rounded(y(mean))}`).join(""), stroke: colour, "stroke-dasharray": dash || null }));
        if (mark) svg.append(v("path", { class: "marks", d: own.map(([k, mean]) => `M${rounded(x(k))} ${rounded(y(mean))}${mark}`).join(""), fill: colour }));
        for (const [k, mean] of own) points.push({ x: x(k), y: y(mean), lines: [systems[s], `${family}@${k} ${fixed(mean)}`] });
      });
      const locate = (px, py) => {
        let [best, least] = [-1, 900];
        points.forEach((point, i) => { const far = (point.x - px) ** 2 + (point.y - py) ** 2; if (far < least) [best, least] = [i, far]; });
        return best;
      };
      return explorable(svg, `${family} by cutoff, for ${count(shown.length, scores.kind)}`, points.length, locate, (i) => points[i]);
    },
  });

  /* ---- one figure of the page ---- */
  // The width of figures on paper, where two stand side by side: their text gets the size of captions.
  const paperWidth = 450;
  let isPrinted = false;
  const figureView = ({ caption, isShown, controls, draw, hasLegend, depends = chosen, basis = scores.basis, always = false }) => {
    const said = h("figcaption");
    const above = h("div", { class: "controls" });
    const drawing = h("div", { class: "drawing" });
    const below = h("div");
    const element = h("figure", {}, said, above, drawing, below);
    const redraw = () => {
      element.hidden = !isShown();
      if (element.hidden) return;
      const title = caption();
      said.textContent = always ? title : `${title}. ${measureNow().name}, ${basis}.`;
      if (!measureNow().values && !always) {
        above.replaceChildren();
        below.replaceChildren();
        drawing.replaceChildren(h("p", { class: "note" }, leftOutText()));
        return;
      }
      if (!chosen().length) {
        above.replaceChildren();
        drawing.replaceChildren(h("p", { class: "note" }, `No ${scores.kind} is chosen in the leaderboard.`));
        below.replaceChildren();
        return;
      }
      if (!always && !chosen().some((s) => measureNow().values[s].some(isKnown))) {
        above.replaceChildren();
        drawing.replaceChildren(h("p", { class: "note" }, `No query has a value of ${measureNow().name}.`));
        below.replaceChildren();
        return;
      }
      above.replaceChildren(...(controls ? controls() : []));
      const width = isPrinted ? paperWidth : Math.max(260, Math.floor(drawing.clientWidth) || 560);
      drawing.replaceChildren(draw(width));
      const { note, legend: own } = drawing.firstChild;
      below.replaceChildren(...(note ? [h("p", { class: "note" }, note)] : []), ...(own ? [own] : hasLegend ? [legend(chosen())] : []));
    };
    const mark = () => drawing.firstChild?.mark?.(state.query);
    return { element, redraw, mark, depends: () => [state.measure, isPrinted || innerWidth, ...depends()] };
  };

  const systemSelect = (label, key, now) => h("label", {}, label, h("select", { "data-key": key, onchange: (event) => change({ [key]: +event.target.value }) },
    ...measureNow().ranked.map((s) => h("option", { value: s, selected: s === now() }, systems[s]))));

  /* ---- sortable heads ---- */
  const sortHead = ({ key, head, title, class: kind }, [by, direction], press) => {
    const order = by !== key ? "none" : direction > 0 ? "ascending" : "descending";
    return h("th", { scope: "col", class: kind, "aria-sort": order },
      h("button", { type: "button", title, "data-sort": key, onclick: () => press(key) }, h("span", {}, ...(key.startsWith("system:") ? [head] : breakable(head)))));
  };

  /** Shade the right edge of a table with opaque cells while there is more beyond it. */
  const shaded = (frame) => {
    const outer = h("div", { class: "shaded" }, frame);
    const look = () => {
      outer.classList.toggle("more", frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 1);
      outer.style.setProperty("--bar", `${frame.offsetWidth - frame.clientWidth}px`);
    };
    frame.addEventListener("scroll", look, { passive: true });
    const watcher = new ResizeObserver(look);
    for (const each of [frame, frame.firstChild]) watcher.observe(each);
    return outer;
  };

  /* ---- the leaderboard ---- */
  const bar = (mean, low, high, [from, to], line) => {
    const x = linear(from, to, 4, 156);
    const svg = v("svg", { class: "interval", viewBox: "0 0 160 16", "aria-hidden": "true" });
    if (isKnown(line)) svg.append(v("path", { class: "reference", d: `M${rounded(x(line))} 0V16` }));
    if (isKnown(low)) svg.append(v("path", { class: "span", d: `M${rounded(x(low))} 8H${rounded(x(high))}` }));
    if (isKnown(mean)) svg.append(v("circle", { cx: rounded(x(mean)), cy: 8, r: 4 }));
    return svg;
  };
  const changeBar = (share, isBetter) => v("svg", { class: "change", viewBox: "-40 0 80 8", width: 80, height: 8, "aria-hidden": "true" },
    v("path", { class: isBetter ? "better" : "worse", d: `M0 1H${rounded(40 * share)}V7H0z` }), v("path", { class: "axis", d: "M0 0V8" }));
  const counted = (s, t) => {
    const { values, lower } = measureNow();
    const found = { better: 0, same: 0, worse: 0 };
    if (!values) return null;
    for (let q = 0; q < queries.length; q++) {
      const difference = values[s][q] - values[t][q];
      if (difference === difference) found[difference === 0 ? "same" : difference > 0 !== lower ? "better" : "worse"]++;
    }
    return found;
  };
  const boardRows = () => {
    const measure = measureNow();
    const other = againstNow();
    return measure.ranked.map((s, place) => {
      const [mean, low, high] = measure.means[s];
      const pair = s === other ? null : pairOf(measure, s, other);
      const change = s === other || !isKnown(mean) || !isKnown(measure.means[other][0]) ? null : pair ? pair.change : mean - measure.means[other][0];
      const counts = s === other || systems.length < 2 ? null : pair || counted(s, other);
      const isSignificant = Boolean(pair) && pair.corrected <= scores.level;
      const others = Object.fromEntries(measures.filter((each) => each !== measure).map((each) => [`other:${each.name}`, each.means[s][0]]));
      return {
        s, place, system: systems[s], mean, low, high, change, pair, p: pair ? pair.corrected : null, counts, better: counts ? counts.better - counts.worse : null,
        d_z: pair ? pair.d_z : null, detectable: pair ? pair.detectable : null, isSignificant, side: sideOf(change, measure.lower), ...others,
      };
    });
  };
  // One query is enough for neither.
  const hasTests = measures.some((measure) => [...measure.pairs.values()].some((pair) => isKnown(pair.corrected)));
  const hasIntervals = measures.some((measure) => measure.means.some(([, low]) => isKnown(low)));
  const boardColumns = () => {
    const measure = measureNow();
    const several = systems.length > 1;
    const other = fitted(systems[againstNow()], 110);
    return [
      { key: "system", head: scores.kind },
      { key: "mean", head: measure.name, class: "number", title: `Mean over ${scores.basis}` },
      ...(hasIntervals ? [{ key: null, head: "interval", title: scores.intervals }, { key: "low", head: "low to high", title: scores.intervals }] : []),
      ...(several ? [{ key: "change", head: `−\u00a0${other}`, class: "number", title: `Difference of the means from ${systems[againstNow()]}` }] : []),
      ...(hasTests ? [{ key: "p", head: "p", class: "number", title: `${pTitle}: ${scores.test}` }] : []),
      ...(several ? [{ key: "better", head: `${ahead} · same · ${behind}`, title: "Number of queries" }] : []),
      ...(hasTests ? [
        { key: "d_z", head: "d_z", class: "number", title: "Change divided by the standard deviation of the per-query differences" },
        { key: "detectable", head: "detectable", class: "number", title: "The smallest true difference that this many queries would detect with 80% power" },
      ] : []),
      ...measures.filter((each) => each !== measure).map((each) => ({ key: `other:${each.name}`, head: each.name, class: "number", title: `Mean of ${each.name}` })),
    ];
  };
  // At first, the best mean is on top.
  const boardOrder = () => (state.board[0] !== null || !scores.has_best ? state.board : ["mean", measureNow().lower ? 1 : -1]);
  const sortedBoard = () => {
    const [by, direction] = state.board;
    const rows = boardRows();
    if (by === null) return rows;
    if (by === "system") return rows.sort((a, b) => direction * collator.compare(a.system, b.system));
    return rows.sort((a, b) => (isKnown(a[by]) && isKnown(b[by]) ? direction * (a[by] - b[by]) : isKnown(b[by]) - isKnown(a[by])) || a.place - b.place);
  };
  const mostPrinted = 20;
  const leaderboard = () => {
    const find = h("input", { type: "search", autocomplete: "off", oninput: () => redraw() });
    const status = h("span", { class: "note", role: "status" });
    const head = h("thead");
    const body = h("tbody");
    const key = h("p", { class: "note" });
    const table = h("table", { id: "board", class: systems.some((name) => name.length > 18) ? "long" : null }, h("caption", {}, scores.has_best ? "Leaderboard" : "Means"), head, body);
    const element = h("div", {},
      systems.length > 10 ? h("div", { class: "controls" }, h("label", {}, `Find a ${scores.kind}`, find), status) : null,
      shaded(h("div", { class: "scroll board fit", role: "region", "aria-label": "Leaderboard", tabindex: 0 }, table)),
      key);
    const redraw = () => {
      const measure = measureNow();
      const columns = boardColumns().filter(({ key: name }) => !isPrinted || !name?.startsWith("other:")); // paper has all means below
      const wanted = find.value.trim().toLowerCase();
      const all = sortedBoard();
      const rows = all.filter((row) => row.system.toLowerCase().includes(wanted)).slice(0, isPrinted ? mostPrinted : Infinity);
      const known = measure.means.flat().filter(isKnown);
      const domain = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
      const [other, best] = [againstNow(), measure.means[measure.ranked[0]][0]];
      const most = Math.max(1e-12, ...all.map((row) => Math.abs(row.change || 0)));
      const shown = chosen();
      head.replaceChildren(h("tr", {}, ...columns.map((column) => (column.key === null
        ? h("th", { scope: "col", class: "axis", title: column.title }, h("div", { class: "scale" }, ...[domain[0].toFixed(2), "interval", domain[1].toFixed(2)].map((label) => h("span", {}, label))))
        : sortHead(column, boardOrder(), (by) => {
          const begin = by === "system" || by === "p" ? 1 : by === "mean" && measure.lower ? 1 : -1;
          const [now, direction] = boardOrder();
          change({ board: [by, now === by ? -direction : begin] });
          head.querySelector(`[data-sort="${CSS.escape(by)}"]`).focus();
        })))));
      body.replaceChildren(...rows.map((row) => {
        const place = shown.indexOf(row.s);
        const tick = h("input", { type: "checkbox", "data-system": row.s, onchange: (event) => pick(row.s, event.target.checked) });
        tick.checked = place >= 0;
        const name = h("th", { scope: "row" }, h("label", { title: row.system }, tick, place >= 0 ? swatch(place) : h("span", { class: "swatch" }), scores.has_best ? h("span", { class: "rank" }, `${row.place + 1}`) : null, h("span", { class: "name" }, row.system),
          systems.length > 1 && row.s === other ? h("small", {}, scores.baseline === row.system ? "baseline" : "reference") : null));
        const mark = { better: "▲ ", worse: "▼ " }[row.side] ?? "";
        const told = `significantly ${row.side ?? "different"}`;
        const cells = {
          mean: () => [scores.has_best && systems.length > 1 && row.mean !== null && row.mean === best ? h("strong", {}, fixed(row.mean)) : fixed(row.mean)],
          low: () => [h("span", { class: "quiet" }, isKnown(row.low) ? `${fixed(row.low)} to ${fixed(row.high)}` : "none")],
          null: () => [bar(row.mean, row.low, row.high, domain, systems.length > 1 ? measure.means[other][0] : null)],
          change: () => (row.change === null ? [] : [
            h("span", row.isSignificant ? { class: { better: "up", worse: "down" }[row.side], title: told } : {}, row.isSignificant ? mark : "", row.isSignificant ? h("span", { class: "unseen" }, `${told}: `) : null, signed(row.change)),
            changeBar(row.change / most, row.side === "better")]),
          p: () => (row.s === other ? [] : [row.pair ? pText(row.p) : "not tested"]),
          better: () => (row.counts ? [[row.counts.better, row.counts.same, row.counts.worse].map((n) => count(n)).join(" · "), sharesBar(row.counts)] : []),
          d_z: () => (row.pair ? [signed(row.d_z, 2)] : []),
          detectable: () => (row.pair ? [fixed(row.detectable)] : []),
        };
        return h("tr", { class: row.s === other && systems.length > 1 ? "reference" : null }, name, ...columns.slice(1).map((column) => h("td", { class: column.class || null },
          ...(cells[column.key] ? cells[column.key]() : [fixed(row[column.key])]))));
      }));
      table.style.setProperty("--ems", boardWidth(table));
      status.textContent = `${count(rows.length)} of ${count(systems.length, scores.kind)}`;
      const intervals = hasIntervals ? `, with ${scores.intervals}${systems.length > 1 ? `; the dashed line is the mean of ${systems[other]}` : ""}` : "";
      const columnsText = ` The column with a minus sign: difference from the reference ${scores.kind}; ${ahead}, same, ${behind}: numbers of queries.`;
      const tested = hasTests ? ` ▲ and ▼ mark significant differences from ${systems[other]} (${scores.test}).` : systems.length > 1 ? columnsText : "";
      const left = isPrinted && all.length > mostPrinted ? ` Printed: ${mostPrinted} of ${count(all.length, scores.kind)}.` : "";
      key.textContent = `Means over ${scores.basis}${intervals}.${tested}${left}`;
    };
    return { element, redraw, depends: () => [state.measure, againstNow(), chosen(), state.board, isPrinted] };
  };
  /** The width of the leaderboard on paper in ems: of letters, of what is drawn, and of the space around it. */
  const boardWidth = (table) => {
    if (!isPrinted) return 1;
    const lengths = [...table.rows].map((row) => [...row.cells].map((cell) => {
      const copy = cell.cloneNode(true);
      for (const each of copy.querySelectorAll(".unseen, .swatch, .name")) each.remove();
      const parts = cell.scope === "col" ? [...copy.querySelectorAll("span")].flatMap((span) => [...span.childNodes]) : [copy]; // heads are broken
      const letters = Math.max(0, ...parts.map((part) => part.textContent.length));
      return Math.max((cell.scope === "col" ? 0.66 : 0.59) * letters, cell.querySelector("svg.interval") ? 11 : cell.querySelector("svg.change, svg.shares") ? 6 : 0);
    }));
    const widths = lengths[0].map((_, i) => Math.max(...lengths.map((row) => row[i])) + 0.85);
    const longest = Math.max(...systems.map((name) => name.length));
    return Math.ceil(widths.reduce((sum, width) => sum + width, 4 + Math.min(14, 0.59 * longest)));
  };
  const sharesBar = ({ better, same, worse }) => {
    const total = better + same + worse || 1;
    const [x1, x2] = [rounded((100 * better) / total), rounded((100 * (better + same)) / total)];
    return v("svg", { class: "shares", viewBox: "0 0 100 6", width: 80, height: 6, preserveAspectRatio: "none", "aria-hidden": "true" },
      v("path", { class: "better", d: `M0 0H${x1}V6H0z` }), v("path", { class: "same", d: `M${x1} 0H${x2}V6H${x1}z` }), v("path", { class: "worse", d: `M${x2} 0H100V6H${x2}z` }));
  };
  const pick = (s, isPicked) => {
    const picked = new Set(chosen());
    if (isPicked) picked.add(s); else picked.delete(s);
    change({ show: "picked", picked });
    document.querySelector(`#board [data-system="${s}"]`)?.focus();
  };

  const precisionText = ({ name, step } = measureNow()) => (step < 1e-6 ? "" : `Values of ${name} on single queries are rounded to multiples of ${+step.toPrecision(3)}; means and tests are not.`);
  const leftOutText = () => `The values of ${measureNow().name} on single queries were left out to keep this page small; evaluate it alone for a page that has them.`;

  /* ---- the table of queries, of which only what is seen is drawn ---- */
  const spreads = () => {
    const { values } = measureNow();
    const shown = chosen();
    const found = new Float64Array(queries.length).fill(NaN);
    for (let q = 0; q < queries.length; q++) {
      let [low, high, n] = [Infinity, -Infinity, 0];
      for (const s of shown) { const value = values[s][q]; if (value === value) { n++; if (value < low) low = value; if (value > high) high = value; } }
      if (n > 1) found[q] = high - low;
    }
    return found;
  };
  let rowsCache = { key: null, rows: [] };
  const rowsNow = () => {
    const [by, direction] = state.rows;
    const key = JSON.stringify([state.measure, chosen(), by, direction, state.filter, state.spread]);
    if (rowsCache.key === key) return rowsCache.rows;
    const wanted = state.filter.trim().toLowerCase();
    const { values } = measureNow();
    const spread = values && (by === "spread" || state.spread) ? spreads() : null;
    const rows = [...queries.keys()].filter((q) => lowered[q].includes(wanted) && (!state.spread || spread?.[q] >= state.spread - 1e-12));
    const s = by?.startsWith("system:") ? systems.indexOf(by.slice(7)) : -1;
    const column = by === "spread" ? spread : s >= 0 && values ? values[s] : null;
    if (by === "query") rows.sort((a, b) => direction * collator.compare(queries[a], queries[b]));
    else if (column) rows.sort((a, b) => { const [x, y] = [column[a], column[b]]; return x === x && y === y ? direction * (x - y) || a - b : (x !== x) - (y !== y) || a - b; });
    rowsCache = { key, rows };
    return rows;
  };
  /** Queries by the mean of the systems shown, highest first; those without a value are last. */
  const byMean = (rows) => {
    const { values } = measureNow();
    const [sums, sizes] = [new Float64Array(queries.length), new Float64Array(queries.length)];
    for (const s of chosen()) for (let q = 0; q < queries.length; q++) { const value = values[s][q]; if (value === value) { sums[q] += value; sizes[q]++; } }
    const means = sums.map((sum, q) => (sizes[q] ? sum / sizes[q] : -Infinity));
    return rows.slice().sort((a, b) => means[b] - means[a] || a - b);
  };
  const orderText = () => {
    const [by, direction] = state.rows;
    if (by === null) return systems.length > 1 ? `by the mean of the ${scores.kind}s shown, highest first` : "highest first";
    return `in the order of the table below: by ${by.startsWith("system:") ? by.slice(7) : by}, ${direction > 0 ? "ascending" : "descending"}`;
  };
  const rowHeight = 32;
  const queriesView = () => {
    const find = h("input", { id: "queries-filter", type: "search", autocomplete: "off", oninput: (event) => change({ filter: event.target.value }) });
    const least = h("input", { id: "queries-spread", type: "number", min: 0, step: "any", oninput: (event) => change({ spread: Math.max(0, +event.target.value || 0) }) });
    const status = h("span", { id: "queries-status", class: "note", role: "status" });
    const head = h("thead");
    const body = h("tbody");
    const table = h("table", { id: "queries-table" }, h("caption", {}, "Values query by query"), head, body);
    const frame = h("div", { id: "queries-scroll", role: "region", "aria-label": "Values query by query", tabindex: 0, onscroll: () => requestAnimationFrame(() => paint()) }, table);
    const said = h("p", { class: "note" });
    const element = h("div", {},
      h("div", { class: "controls" }, h("label", {}, "Query contains", find), systems.length > 1 ? h("label", {}, "Spread at least", least) : null, status), shaded(frame), said);
    let [rows, shown, largest, first, last] = [[], [], 1, -1, -1];
    let spread = null;
    const cellsOf = (q) => {
      const { values } = measureNow();
      const number = (value) => {
        const cell = h("td", { class: "number" }, valueText(value));
        if (value > 0) cell.style.setProperty("--share", `${(100 * value) / largest}%`);
        return cell;
      };
      return [...shown.map((s) => number(values[s][q])), ...(shown.length > 1 ? [number(spread[q])] : [])];
    };
    const paint = (force = false) => {
      const visible = Math.max(20, Math.ceil(frame.clientHeight / rowHeight));
      const from = Math.max(0, Math.min(rows.length - visible, Math.floor(frame.scrollTop / rowHeight)) - 8);
      const to = Math.min(rows.length, from + visible + 18);
      if (!force && from === first && to === last) return;
      [first, last] = [from, to];
      const focused = document.activeElement?.dataset?.query;
      const spacer = (n) => h("tr", { class: "spacer", "aria-hidden": "true", style: `height:${n * rowHeight}px` });
      const drawn = rows.slice(from, to).map((q, i) => h("tr", { "aria-rowindex": from + i + 2 },
        h("th", { scope: "row" }, h("button", { type: "button", title: queries[q], "data-query": q, onclick: () => choose(q), onkeydown: (event) => step(event, from + i) }, queries[q])), ...cellsOf(q)));
      body.replaceChildren(...(from ? [spacer(from)] : []), ...drawn, ...(to < rows.length ? [spacer(rows.length - to)] : []));
      mark();
      if (focused !== undefined) body.querySelector(`[data-query="${focused}"]`)?.focus({ preventScroll: true });
    };
    const mark = () => {
      for (const button of body.querySelectorAll("[data-query]")) {
        const isChosen = +button.dataset.query === state.query;
        button.setAttribute("aria-pressed", isChosen ? "true" : "false");
        button.closest("tr").classList.toggle("chosen", isChosen);
      }
    };
    const step = (event, place) => {
      const to = { ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + 10, PageUp: place - 10, Home: 0, End: rows.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      reveal(rows[Math.max(0, Math.min(rows.length - 1, to))], true);
    };
    const reveal = (q, focus) => {
      const place = rows.indexOf(q);
      if (place < 0) return;
      const [top, height] = [place * rowHeight, frame.clientHeight - 3 * rowHeight];
      if (top < frame.scrollTop || top > frame.scrollTop + height) frame.scrollTop = Math.max(0, top - height / 2);
      paint();
      if (focus) body.querySelector(`[data-query="${q}"]`)?.focus({ preventScroll: true });
    };
    const redraw = () => {
      const { values } = measureNow();
      if (find.value !== state.filter) find.value = state.filter;
      if (+least.value !== state.spread) least.value = state.spread || "";
      shown = values ? chosen() : [];
      rows = rowsNow();
      spread = shown.length > 1 ? spreads() : null;
      largest = Math.max(1e-12, extent(shown.map((s) => values[s]))[1]);
      const press = (by) => {
        change({ rows: [by, state.rows[0] === by ? -state.rows[1] : by === "query" ? 1 : -1] });
        head.querySelector(`[data-sort="${CSS.escape(by)}"]`).focus();
      };
      const columns = [
        { key: "query", head: "query" },
        ...shown.map((s) => ({ key: `system:${systems[s]}`, head: systems[s], title: systems[s], class: "number" })),
        ...(shown.length > 1 ? [{ key: "spread", head: "spread", class: "number", title: "The largest minus the smallest value of the row" }] : []),
      ];
      head.replaceChildren(h("tr", { "aria-rowindex": 1 }, ...columns.map((column) => sortHead(column, state.rows, press))));
      const spreadText = shown.length > 1 ? "; spread is the largest minus the smallest value of a row" : "";
      said.textContent = values && !rows.length
        ? "No query matches."
        : values
        ? `Press a query for its ${systems.length > 1 ? "differences" : "value"}${data.lists ? " and its ranked lists" : ""}. All bars share one scale${spreadText}. ${precisionText()}`
        : leftOutText();
      table.setAttribute("aria-rowcount", rows.length + 1);
      status.textContent = rows.length === queries.length ? `${count(rows.length, "query")}` : `${count(rows.length)} of ${count(queries.length, "query")}`;
      paint(true);
    };
    return { element, redraw, reveal, mark, depends: () => [state.measure, chosen(), state.rows, state.filter, state.spread] };
  };

  /* ---- one query ---- */
  let lists = null;
  const listsOf = async (q) => {
    if (!data.lists) return null;
    if (!lists) {
      const text = new TextDecoder().decode(await inflated(data.lists.data));
      lists = new Map(text.split("\n").filter(Boolean).map((line) => { const [query, ...rest] = JSON.parse(line); return [query, rest]; }));
    }
    return lists.get(q) || null;
  };
  const labelBadge = (label) => h("span", { class: `label ${label === null ? "unjudged" : label > 0 ? "relevant" : ""}`, title: label === null ? "unjudged" : `label ${label}` }, label === null ? "?" : `${label}`);
  const rankedLists = ([docs, labels, ranked, tied], shown) => {
    const worth = data.lists.worth[measureNow().name];
    const places = new Map(data.lists.systems.map((s, place) => [s, place]));
    const isUsed = (rank) => !worth || !worth.discounts || rank < worth.discounts.length;
    return shown.filter((s) => places.has(s)).map((s) => {
      const own = ranked[places.get(s)];
      const equal = new Set(tied[places.get(s)]);
      const head = ["", "document", "label", ...(worth ? ["gain", "discount"] : []), ...(equal.size ? ["tie"] : [])];
      const rows = own.map((d, rank) => {
        const label = labels[d];
        const gain = worth?.gains[label === null ? "null" : `${label}`];
        const numbers = worth ? [h("td", { class: "number" }, isKnown(gain) ? `${+gain.toFixed(3)}` : ""), h("td", { class: "number" }, isUsed(rank) ? worth.discounts[rank].toFixed(3) : "0")] : [];
        return h("tr", { class: isUsed(rank) ? null : "unused" }, h("td", { class: "number" }, `${rank + 1}`), h("th", { scope: "row", title: docs[d] }, docs[d]), h("td", {}, labelBadge(label)), ...numbers,
          equal.size ? h("td", {}, equal.has(rank) ? h("abbr", { title: "has the same score as a neighbor" }, "=") : "") : null);
      });
      const table = h("table", {}, h("caption", {}, systems[s]), h("thead", {}, h("tr", {}, ...head.map((name, i) => h("th", { scope: "col", class: i === 0 || name === "gain" || name === "discount" ? "number" : null }, name || h("span", { class: "unseen" }, "rank"))))), h("tbody", {}, ...rows));
      return h("div", { class: "ranking" }, h("h4", {}, swatch(chosen().indexOf(s)), " ", h("bdi", {}, systems[s]), " ", h("span", { class: "note" }, valueText(measureNow().values?.[s][state.query]))), table);
    });
  };
  const detail = () => {
    const title = h("h3", { id: "detail-title", tabindex: -1 });
    const content = h("div");
    const button = (label, name, press) => h("button", { type: "button", "aria-label": name, title: name, onclick: press }, label);
    const neighbor = (by) => { const rows = rowsNow(); const at = rows.indexOf(state.query); if (at >= 0 && rows[at + by] !== undefined) choose(rows[at + by]); };
    const element = h("aside", { id: "detail", "aria-labelledby": "detail-title", hidden: true },
      h("div", { class: "bar" }, title, h("span", { class: "buttons" }, button("↑", "Previous query", () => neighbor(-1)), button("↓", "Next query", () => neighbor(1)), button("×", "Close", () => close()))), content);
    let opener = null;
    const close = () => {
      const q = state.query;
      change({ query: null });
      if (opener?.isConnected) opener.focus({ preventScroll: true }); else table?.reveal(q, true);
    };
    element.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
    const redraw = async () => {
      const q = state.query;
      const measure = measureNow();
      document.documentElement.classList.toggle("with-detail", q !== null);
      if (q === null || !measure.values) { element.hidden = true; return; }
      if (element.hidden) opener = document.activeElement;
      element.hidden = false;
      title.textContent = `Query ${queries[q]}`;
      const shown = chosen();
      const other = againstNow();
      const { values, lower } = measure;
      const [low, high] = extent(shown.map((s) => [values[s][q]]));
      const most = Math.max(1e-9, ...shown.map((s) => Math.abs(values[s][q] - values[other][q]) || 0));
      const own = shown.slice().sort((s, t) => (lower ? 1 : -1) * (values[s][q] - values[t][q]) || 0);
      const rows = own.map((s) => {
        const difference = values[s][q] - values[other][q];
        const share = h("td", { class: "number" }, valueText(values[s][q]));
        share.style.setProperty("--share", `${(100 * Math.max(0, values[s][q])) / Math.max(high, 1e-12)}%`);
        return h("tr", {}, h("th", { scope: "row", title: systems[s] }, swatch(shown.indexOf(s)), " ", systems[s]), share,
          ...(systems.length > 1 ? [h("td", { class: "number" }, s === other ? "" : changeText(difference), s === other || !isKnown(difference) ? null : changeBar(difference / most, difference > 0 !== lower))] : []));
      });
      const table = h("div", { class: "scroll" }, h("table", { class: "values" }, h("caption", {}, `Values of ${measure.name} on query ${queries[q]}`), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, scores.kind), h("th", { scope: "col", class: "number" }, ...breakable(measure.name)), systems.length > 1 ? h("th", { scope: "col", class: "number" }, `− ${fitted(systems[other], 110)}`) : null)), h("tbody", {}, ...rows)));
      const found = await listsOf(q);
      if (q !== state.query) return;
      const parts = [table];
      if (data.lists) {
        parts.push(h("h4", {}, `First ${data.lists.depth} documents`));
        const ranked = found ? rankedLists(found, own) : [];
        if (ranked.length) parts.push(h("div", { class: "rankings" }, ...ranked));
        const worth = data.lists.worth[measure.name];
        const told = [worth ? worth.said : "", ranked.length < own.length ? data.lists.left_out : ""].filter(Boolean).join(" ");
        if (told) parts.push(h("p", { class: "note" }, told));
      }
      content.replaceChildren(...parts);
    };
    return { element, redraw, focus: () => title.focus({ preventScroll: true }), depends: () => [state.measure, againstNow(), chosen(), state.query] };
  };

  /* ---- downloads ---- */
  const save = (name, kind, content) => {
    const address = URL.createObjectURL(new Blob([content], { type: kind }));
    h("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };
  // Text that a spreadsheet would take for a formula begins with an apostrophe.
  const csvCell = (value) => {
    if (typeof value === "number") return Number.isNaN(value) ? "" : `${+value.toPrecision(9)}`;
    if (value === null || value === undefined) return "";
    const safe = /^\s*[=+\-@]/.test(value) ? `'${value}` : value;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = (rows) => rows.map((row) => row.map(csvCell).join(",")).join("\r\n");
  const downloads = {
    "Leaderboard (CSV)": () => {
      const rows = boardRows();
      const head = [scores.kind, "mean", "low", "high", "against", "change", "p", "d_z", "better", "same", "worse", "detectable"];
      const own = (row) => [row.system, row.mean, row.low, row.high, row.change === null ? null : systems[againstNow()], row.change, row.p, row.d_z, row.counts?.better, row.counts?.same, row.counts?.worse, row.detectable];
      save("leaderboard.csv", "text/csv", csv([["measure", ...head], ...rows.map((row) => [measureNow().name, ...own(row)])]));
    },
    "Queries (CSV)": () => {
      const known = measures.filter((measure) => measure.values);
      const rows = known.flatMap((measure) => queries.map((query, q) => [measure.name, query, ...systems.map((_, s) => measure.values[s][q])]));
      save("queries.csv", "text/csv", csv([["measure", "query", ...systems], ...rows]));
    },
    "Everything (JSON)": () => {
      const column = (values) => Array.from(values, (value) => (Number.isNaN(value) ? null : +value.toPrecision(9)));
      const content = {
        basis: scores.basis, intervals: scores.intervals, test: scores.test, baseline: scores.baseline, queries, systems,
        measures: measures.map((measure) => ({
          name: measure.name, lower_is_better: measure.lower, precision: measure.step ?? null, means: measure.means.map(([mean, low, high]) => ({ mean, low, high })),
          comparisons: [...measure.pairs.values()].map((pair) => ({ ...pair, system: systems[pair.system], against: systems[pair.against] })),
          values: measure.values ? measure.values.map(column) : null,
        })),
        curves: data.curves ?? null,
      };
      save("report.json", "application/json", JSON.stringify(content));
    },
  };

  /* ---- the controls of the whole page ---- */
  const usualPair = () => [againstNow(), measureNow().ranked.find((s) => s !== againstNow())];
  const toolbar = () => {
    const measure = h("select", { id: "measure", onchange: (event) => change({ measure: +event.target.value }) }, ...measures.map((each, i) => h("option", { value: i }, each.name)));
    const against = h("select", { id: "against", onchange: (event) => change({ against: event.target.value === "" ? null : +event.target.value }) });
    const choice = (name, label) => h("button", { type: "button", "data-show": name, onclick: () => change({ show: name, picked: new Set() }) }, label);
    const presets = h("div", { class: "buttons", role: "group", "aria-label": `${scores.kind}s shown` }, systems.length > nTop ? choice("top", `Top ${nTop}`) : null, choice("all", systems.length > nTop ? `All ${systems.length}` : "All"),
      !scores.has_best || systems.length < 3 ? null : h("button", { type: "button", "data-show": "picked", onclick: () => change({ show: "picked", picked: new Set(usualPair()) }) }, "Reference and best"));
    const copied = h("button", { type: "button", onclick: async () => {
      try { await navigator.clipboard.writeText(location.href); copied.textContent = "Link copied"; } catch { copied.textContent = "The link is in the address bar"; }
      setTimeout(() => { copied.textContent = "Copy link"; }, 2000);
    } }, "Copy link");
    const get = h("select", { "aria-label": "Download", id: "download", onchange: (event) => { downloads[event.target.value]?.(); event.target.value = ""; } }, h("option", { value: "" }, "Download…"), ...Object.keys(downloads).map((name) => h("option", { value: name }, name)));
    const element = h("div", { class: "toolbar controls", role: "region", "aria-label": "What is shown" }, h("label", {}, "Measure", measure), systems.length > 1 ? h("label", {}, "Compared with", against) : null,
      systems.length > 2 ? h("div", { class: "group" }, h("span", { class: "name" }, `${scores.kind[0].toUpperCase()}${scores.kind.slice(1)}s in figures`), presets) : null, h("div", { class: "group end" }, get, copied));
    const redraw = () => {
      measure.value = state.measure;
      const usual = reference(state.measure);
      against.replaceChildren(h("option", { value: "" }, `${systems[usual]}${!scores.has_best ? "" : scores.baseline === null ? " (best)" : " (baseline)"}`), ...measureNow().ranked.filter((s) => s !== usual).map((s) => h("option", { value: s }, systems[s])));
      against.value = state.against === null || state.against === usual ? "" : state.against;
      const isUsualPair = state.picked.size === 2 && usualPair().every((s) => state.picked.has(s)); // and not any two
      const show = systems.length <= nTop && state.show === "top" ? "all" : state.show === "picked" && !isUsualPair ? null : state.show;
      for (const button of presets.children) button.setAttribute("aria-pressed", button.dataset.show === show ? "true" : "false");
    };
    return { element, redraw, depends: () => [state.measure, state.against, state.show, [...state.picked]] };
  };

  /* ---- the page ---- */
  const parts = [];
  const place = (part, where) => { where.append(part.element); parts.push(part); return part; };
  const frameOf = (name) => document.querySelector(`[data-view="${name}"]`);
  const bar_ = toolbar();
  document.querySelector("[data-view]").closest("section").before(bar_.element);
  parts.push(bar_);
  if (frameOf("leaderboard")) place(leaderboard(), frameOf("leaderboard"));
  if (frameOf("figures")) {
    frameOf("figures").classList.add("figures");
    for (const each of Object.values(figures)) place(figureView(each), frameOf("figures"));
  }
  if (frameOf("curves")) {
    frameOf("curves").classList.add("figures");
    for (const [family, curves] of Object.entries(data.curves.families)) place(figureView({ ...curveFigure(family, curves), always: true }), frameOf("curves"));
  }
  const table = frameOf("queries") ? place(queriesView(), frameOf("queries")) : null;
  const panel = detail();
  document.body.append(panel.element);
  parts.push(panel);

  // A part is drawn when what it depends on changes: at once if it is in sight, else one after the other.
  const update = (part) => {
    const key = JSON.stringify(part.depends());
    if (part.drawn !== key) {
      part.redraw();
      part.marked = null;
    }
    part.drawn = key;
    if (part.mark && part.marked !== state.query) part.mark();
    part.marked = state.query;
  };
  const main = document.querySelector("main");
  let [waiting, timer] = [[], 0];
  const drain = () => {
    timer = 0;
    if (waiting.length) update(waiting.shift());
    if (waiting.length) timer = setTimeout(drain);
    else main.setAttribute("aria-busy", "false");
  };
  const redrawAll = () => {
    const inSight = parts.filter(({ element }) => { const box = element.getBoundingClientRect(); return box.bottom > -100 && box.top < innerHeight + 100; });
    waiting = parts.filter((part) => !inSight.includes(part));
    inSight.forEach(update);
    main.setAttribute("aria-busy", "true");
    if (!timer) timer = setTimeout(drain);
  };
  const change = (what) => {
    hideTip();
    Object.assign(state, what);
    writeAddress();
    redrawAll();
  };
  const choose = (q) => {
    change({ query: q });
    if (table) { update(table); table.reveal(q, false); }
    panel.focus();
  };
  addEventListener("hashchange", () => { if (location.hash.includes("=") || location.hash === "#") { readAddress(); redrawAll(); } });
  let resized = 0;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(redrawAll, 120); });

  /* ---- paper ---- */
  addEventListener("beforeprint", () => {
    isPrinted = true;
    parts.forEach(update);
    for (const each of document.querySelectorAll("details:not([open])")) { each.open = true; each.dataset.closed = ""; }
  });
  addEventListener("afterprint", () => {
    for (const each of document.querySelectorAll("details[data-closed]")) { each.open = false; delete each.dataset.closed; }
    isPrinted = false;
    redrawAll();
  });

  readAddress();
  document.documentElement.classList.add("ready");
  redrawAll();
  if (state.query !== null) table?.reveal(state.query, false);
  else if (location.hash.length > 1 && !location.hash.includes("=")) document.getElementById(location.hash.slice(1))?.scrollIntoView();
})();
