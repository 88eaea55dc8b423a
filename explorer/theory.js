"use strict";
/* What the library's theory says about two rankers on long lists: src/idealrank/theory/long_lists has the same functions, and the reasons.
   A curve is {edges, levels, steps}: canonical scores from 0 to 1, gains above 0 in falling order, and P(gain | s) on each step, by gain.
   A measure is {discount: "log" or an exponent b of r^-b, cutoff: null, {rank}, {fraction} or {power}}. */
const theory = (() => {
  const EQUAL = 1e-8, ROUNDING = 1e-9, SINGLE = 20_000, HEAD = 300, CELLS = 1 << 14;
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const clip = (value, low, high) => Math.min(Math.max(value, low), high);
  const factorial = (k) => (k < 2 ? 1 : k * factorial(k - 1));

  /* ---- Normal distribution and zeta function ---- */

  function erfc(x) {
    if (x < 0) return 2 - erfc(-x);
    if (x < 2.5) { // the series of erf
      let term = x, total = x;
      for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(total); k++) {
        term *= (-x * x) / k;
        total += term / (2 * k + 1);
        if (k > 200) break;
      }
      return 1 - (2 / Math.sqrt(Math.PI)) * total;
    }
    let fraction = 0; // the continued fraction, from its end
    for (let k = 60; k > 0; k--) fraction = k / 2 / (x + fraction);
    return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
  }
  const normal = (z) => erfc(-z / Math.SQRT2) / 2;
  const Z95 = 1.6448536269514722;

  /* sum over r >= 0 of (start + r)^-b, for b > 1; for start 1 also its continuation below 1. */
  function zeta(b, start = 1) {
    let total = 0;
    const n = 1000;
    for (let r = 0; r < n - 1; r++) total += (start + r) ** -b;
    const end = start + n - 1;
    return total + end ** -b * (-end / (1 - b) + 0.5 + b / (12 * end) - (b * (b + 1) * (b + 2)) / (720 * end ** 3));
  }

  /* ---- Curves ---- */

  const powerWeight = (b) => (u) => u ** (1 - b);
  const logPowerWeight = (k, b = 0) => (u) => {
    if (u === 0) return 0;
    const e = 1 - b, x = -e * Math.log(u);
    let term = 1, total = 1;
    for (let i = 1; i <= k; i++) total += term *= x / i;
    return (factorial(k) / e ** k) * Math.exp(-x) * total;
  };

  class Curve {
    constructor(edges, levels, steps) {
      Object.assign(this, { edges, levels, steps, n: edges.length - 1 });
      this.shares = this.integrals((u) => u);
      this.mean = sum(levels.map((level, i) => level * this.shares[i]));
      this.spread = sum(levels.map((level, i) => level ** 2 * this.shares[i])) - this.mean ** 2;
      this.p = sum(this.shares);
      this.best = levels.find((_, i) => this.shares[i] > 0);
      this.means = edges.slice(1).map((_, j) => sum(levels.map((level, i) => level * steps[i][j])));
      this.squares = edges.slice(1).map((_, j) => sum(levels.map((level, i) => level ** 2 * steps[i][j])));
      this.top = this.means[this.n - 1];
      const variance = this.squares[this.n - 1] - this.top ** 2;
      this.topVariance = variance > ROUNDING ? variance : 0;
    }
    integrals(weight, to = 1) {
      const ends = this.edges.map((edge) => weight(clip(1 - edge, 0, to)));
      return this.levels.map((_, i) => sum(this.steps[i].map((value, j) => value * (ends[j] - ends[j + 1]))));
    }
    integral(weight, to = 1) {
      const found = this.integrals(weight, to);
      return sum(this.levels.map((level, i) => level * found[i]));
    }
    idealIntegral(weight, to = 1) {
      let end = 0, before = weight(0), total = 0;
      this.levels.forEach((level, i) => {
        end += this.shares[i];
        const now = weight(clip(end, 0, to));
        total += level * (now - before);
        before = now;
      });
      return total;
    }
    step(s) {
      let low = 0, high = this.n - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.edges[middle] <= s) low = middle;
        else high = middle - 1;
      }
      return low;
    }
    topGains() {
      const chances = this.steps.map((row) => row[this.n - 1]);
      return [[...this.levels, 0], [...chances, Math.max(0, 1 - sum(chances))]];
    }
  }

  /* A curve for labels 0 and 1 with this mean and shape; steps of equal width, the last at the top. */
  function shaped(shape, mean) {
    const n = shape.length, height = Math.max(...shape, 1e-9);
    const relative = shape.map((value) => Math.max(value, 0) / height);
    const filled = (factor) => sum(relative.map((value) => Math.min(1, factor * value))) / n;
    let low = 0, high = 1;
    const most = sum(relative.map((value) => (value > 0 ? 1 : 0))) / n;
    const target = Math.min(mean, most);
    while (filled(high) < target * (1 - 1e-15) && high < 1e15) high *= 2;
    for (let round = 0; round < 200; round++) {
      const middle = (low + high) / 2;
      if (filled(middle) < target) low = middle;
      else high = middle;
    }
    const edges = Array.from({ length: n + 1 }, (_, j) => j / n);
    return new Curve(edges, [1], [relative.map((value) => Math.min(1, high * value))]);
  }

  /* A curve fitted to queries [{gains, scores}], as StepCurve.fit(method="top") does it. */
  function fitted(queries, bins = 20, least = 30) {
    const known = queries.filter((query) => query.gains.length);
    const levels = [...new Set(known.flatMap((query) => query.gains))].filter((gain) => gain > 0).sort((a, b) => b - a);
    const documents = sum(known.map((query) => query.gains.length));
    const halvings = Math.trunc(Math.max(0, Math.log2(documents / bins / least)));
    const edges = [...Array.from({ length: bins }, (_, j) => j / bins), ...Array.from({ length: halvings }, (_, j) => 1 - 0.5 ** (j + 1) / bins), 1];
    const below = levels.map(() => new Array(edges.length).fill(0));
    for (const { gains, scores } of known) {
      const n = gains.length, order = scores.map((_, i) => i).sort((a, b) => scores[a] - scores[b]);
      const knots = [0], sums = levels.map(() => [0]);
      for (let i = 0; i < n; ) {
        let last = i;
        while (last < n && scores[order[last]] === scores[order[i]]) last++;
        knots.push(last / n);
        levels.forEach((level, l) => {
          let found = 0;
          for (let j = i; j < last; j++) found += gains[order[j]] === level ? 1 : 0;
          sums[l].push(sums[l].at(-1) + found);
        });
        i = last;
      }
      let k = 0;
      edges.forEach((edge, e) => {
        while (k < knots.length - 2 && knots[k + 1] < edge) k++;
        const share = knots.length < 2 ? 0 : clip((edge - knots[k]) / (knots[k + 1] - knots[k]), 0, 1);
        sums.forEach((row, l) => { below[l][e] += (row[k] + share * (row[k + 1] - row[k])) / n / known.length; });
      });
    }
    const steps = below.map((row) => row.slice(1).map((value, j) => clip((value - row[j]) / (edges[j + 1] - edges[j]), 0, 1)));
    return new Curve(edges, levels, steps);
  }

  /* Whether two curves are the same on the places u from 0 to end. */
  function agree(a, b, end = 1) {
    const levels = new Set([...a.levels, ...b.levels]);
    const places = [...Array.from({ length: 4000 }, (_, i) => (end * (i + 0.5)) / 4000), ...Array.from({ length: 40 }, (_, i) => end * 2 ** -(i + 0.5))];
    const chance = (curve, level, s) => { const row = curve.levels.indexOf(level); return row < 0 ? 0 : curve.steps[row][curve.step(s)]; };
    return places.every((u) => [...levels].every((level) => Math.abs(chance(a, level, 1 - u) - chance(b, level, 1 - u)) < 1e-9));
  }
  function sameDocuments(a, b) {
    const share = (curve, level) => { const row = curve.levels.indexOf(level); return row < 0 ? 0 : curve.shares[row]; };
    return [...new Set([...a.levels, ...b.levels])].every((level) => Math.abs(share(a, level) - share(b, level)) <= 1e-7);
  }

  /* ---- Measures ---- */

  /* How fast a discount falls: r^-beta (log r)^-logs. */
  function regime({ discount }) {
    if (discount === "log") return { kind: "slow", beta: 0, logs: 1 };
    const kind = discount === 0 ? "slow" : discount < 1 ? "power" : discount === 1 ? "harmonic" : "bounded";
    return { kind, beta: discount, logs: 0 };
  }
  const reach = (cutoff) => (cutoff === null || cutoff.fraction ? "list" : cutoff.rank ? "few" : "top");
  function sees(measure) {
    const { kind } = regime(measure), seen = reach(measure.cutoff);
    if (seen === "few" || kind === "bounded") return "few";
    return kind === "harmonic" ? "top" : seen;
  }
  const endOf = ({ cutoff }) => cutoff?.fraction ?? 1;
  const countsEqually = (measure) => measure.discount === 0 && measure.cutoff === null;
  const weightOf = ({ discount }) => (discount === "log" ? (r) => 1 / Math.log2(1 + r) : (r) => r ** -discount);
  function depthOf({ cutoff }, n) {
    if (cutoff === null) return n;
    if (cutoff.rank) return Math.min(n, cutoff.rank);
    return Math.min(n, Math.max(1, Math.floor((cutoff.fraction ? cutoff.fraction * n : n ** cutoff.power) + 1e-9)));
  }
  function theoremOf(measure) {
    const seen = sees(measure), { kind } = regime(measure);
    if (seen !== "list") return seen === "few" ? "Theorem 10" : kind === "harmonic" ? "Theorem 9" : "Theorem 11";
    if (measure.cutoff !== null) return "Theorems 12 and 13";
    return kind === "slow" ? "Theorem 4" : "Theorem 7";
  }

  /* The value to which NDCG converges; NaN where it stays random. */
  function limit(measure, curve) {
    const seen = sees(measure), { kind, beta } = regime(measure);
    if (seen === "list") {
      if (kind === "slow" && measure.cutoff === null) return 1;
      const weight = powerWeight(beta), end = endOf(measure);
      return curve.integral(weight, end) / curve.idealIntegral(weight, end);
    }
    return seen === "top" || curve.topVariance === 0 ? curve.top / curve.best : NaN;
  }

  function blocks(n, depth) {
    const ends = [];
    for (let rank = 0; rank <= Math.min(n, SINGLE); rank++) ends.push(rank);
    if (n <= SINGLE) return ends;
    const number = Math.trunc(Math.log(n / SINGLE) / 0.001) + 2, low = Math.log10(SINGLE), step = (Math.log10(n) - low) / (number - 1);
    const longer = Array.from({ length: number }, (_, i) => Math.round(10 ** (low + i * step)));
    return [...new Set([...ends, ...longer, depth, n])].filter((end) => end <= n).sort((x, y) => x - y);
  }

  /* Mean and standard deviation of NDCG(A) - NDCG(B) on lists of n documents, A and B ranking independently given the curves. */
  function gap(measure, a, b, n) {
    const depth = depthOf(measure, n), ends = blocks(n, depth), m = ends.length - 1, weightAt = weightOf(measure);
    const at = (place) => (place <= depth ? weightAt(place) : 0);
    const counts = new Float64Array(m), weights = new Float64Array(m), falls = new Float64Array(m);
    const rows = [a, b].map(() => ({ gains: new Float64Array(m), squares: new Float64Array(m), pushes: new Float64Array(m) }));
    for (let i = 0; i < m; i++) {
      const rank = (ends[i + 1] + ends[i] + 1) / 2, s = 1 - (rank - 0.5) / n;
      counts[i] = ends[i + 1] - ends[i];
      weights[i] = at(rank);
      falls[i] = at(ends[i + 1] + 1) - at(ends[i] + 1);
      [a, b].forEach((curve, c) => {
        const step = curve.step(s);
        rows[c].gains[i] = curve.means[step];
        rows[c].squares[i] = curve.squares[step];
      });
    }
    for (const row of rows) {
      let below = 0;
      for (let i = m - 1; i >= 0; i--) {
        const lost = row.gains[i] * falls[i];
        row.pushes[i] = below + (lost * (counts[i] + 1)) / (2 * counts[i]);
        below += lost;
      }
    }
    const [A, B] = rows;
    const mean = (value) => { let total = 0; for (let i = 0; i < m; i++) total += (counts[i] / n) * value(i); return total; };
    const average = mean((i) => weights[i]), gain = a.mean, square = a.spread + a.mean ** 2;
    const pushA = mean((i) => A.pushes[i]), pushB = mean((i) => B.pushes[i]);
    let own = mean((i) => (A.squares[i] + B.squares[i]) * weights[i] ** 2);
    own -= 2 * average * (mean((i) => A.squares[i] * weights[i]) + mean((i) => B.squares[i] * weights[i]) - square * average);
    let mixed = mean((i) => (A.gains[i] * A.pushes[i] + B.gains[i] * B.pushes[i]) * weights[i]);
    mixed -= pushB * (mean((i) => A.gains[i] * weights[i]) - gain * average) + average * mean((i) => B.gains[i] * B.pushes[i]);
    mixed -= pushA * (mean((i) => B.gains[i] * weights[i]) - gain * average) + average * mean((i) => A.gains[i] * A.pushes[i]);
    const pushed = mean((i) => A.pushes[i] ** 2 + B.pushes[i] ** 2) - 2 * pushA * pushB;
    const total = mean((i) => (A.gains[i] - B.gains[i]) * weights[i]) + pushA - pushB;
    const all = average * n;
    const variances = (row, i) => row.squares[i] - row.gains[i] ** 2;
    const spread = (mean((i) => (weights[i] - all / n) ** 2 * (variances(A, i) + variances(B, i))) * n) / 2;
    const variance = Math.max((own + 2 * mixed + pushed - total ** 2) * n, spread);
    // The ideal order of the expected number of documents at each gain; sums of weights between ends are interpolated.
    let ideal = 0, end = 0, before = 0, place = 0, sumBefore = 0;
    a.levels.forEach((level, l) => {
      end += n * a.shares[l];
      while (place < m - 1 && ends[place + 1] < end) { sumBefore += counts[place] * weights[place]; place++; }
      const inside = clip((end - ends[place]) / counts[place], 0, 1), now = sumBefore + inside * counts[place] * weights[place];
      ideal += level * (now - before);
      before = now;
    });
    return { mean: (mean((i) => weights[i] * (A.gains[i] - B.gains[i])) * n) / ideal, sd: Math.sqrt(variance) / ideal };
  }

  /* After how many queries the better mean is ahead with probability 0.95; Infinity if the means are equal. */
  const queriesNeeded = ({ mean, sd }) => (mean === 0 ? Infinity : Math.max(1, Math.ceil((Z95 * sd / mean) ** 2 - 1e-9)));

  /* The lowest n for which the better ranker is ahead on one list with probability 0.95; null if nMax is not enough, or nothing is. */
  function documentsNeeded(measure, a, b, nMax = 1_000_000) {
    if (sees(measure) === "few") return null;
    const lead = (n) => {
      const { mean, sd } = gap(measure, a, b, n);
      return sd ? mean / sd : mean ? Math.sign(mean) * 9 : 0;
    };
    const isEnough = (n) => Math.abs(lead(n)) >= Z95;
    const least = Math.max(2, Math.floor(1 / a.p) + 1);
    let size = least, last = null;
    while (!isEnough(size)) {
      if (size >= nMax) return null;
      last = size;
      size = Math.min(Math.max(size + 1, roundHalfEven(size * (size < SINGLE ? 1.1 : 1.2))), Math.max(nMax, least + 1));
    }
    if (last === null) return size;
    let low = last + 1, high = size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isEnough(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  const roundHalfEven = (x) => { const low = Math.floor(x); return x - low === 0.5 ? low + (low % 2) : Math.round(x); };

  /* ---- Who wins on ever longer lists ---- */

  function logTerm({ logs, beta }, a, b, end) {
    let factor = 1;
    const ideal = a.idealIntegral(powerWeight(beta), end);
    for (let k = 1; k < 9; k++) {
      factor *= (logs + k - 1) / k;
      const weight = logPowerWeight(k, beta), moment = a.integral(weight, end) - b.integral(weight, end);
      if (Math.abs(factor * moment) > (EQUAL * Math.max(a.best, b.best) * factorial(k)) / (1 - beta) ** k) return { order: k, constant: (factor * moment) / ideal };
    }
    return null;
  }
  function topIntegral(a, b) {
    const edges = [...new Set([...a.edges, ...b.edges])].sort((x, y) => x - y);
    let total = 0;
    for (let j = 0; j + 1 < edges.length; j++) {
      const middle = (edges[j] + edges[j + 1]) / 2, difference = a.means[a.step(middle)] - b.means[b.step(middle)];
      const low = j + 2 === edges.length ? -700 : Math.log1p(-edges[j + 1]);
      total += difference * (Math.log1p(-edges[j]) - low);
    }
    return total;
  }
  function differencesOf(a, b) {
    const [gainsA, chancesA] = a.topGains(), [gainsB, chancesB] = b.topGains();
    const found = new Map();
    gainsA.forEach((x, i) => gainsB.forEach((y, j) => found.set(x - y, (found.get(x - y) ?? 0) + chancesA[i] * chancesB[j])));
    return [...found].sort((x, y) => x[0] - y[0]);
  }
  /* P(sum_r D(r) (G_ar - G_br) > 0), ties half: the head's ranks on a grid, the others as a normal deviate. */
  function beats(a, b, head, tailSquares, shift = null) {
    const pairs = differencesOf(a, b).filter(([, chance]) => chance > 0);
    const mean = sum(pairs.map(([x, chance]) => x * chance)), variance = sum(pairs.map(([x, chance]) => x * x * chance)) - mean ** 2;
    const total = sum(head);
    const cell = (Math.max(...pairs.map(([x]) => Math.abs(x))) * total) / (CELLS - head.length);
    if (cell === 0) return 0.5;
    let mass = new Float64Array(2 * CELLS + 1);
    mass[CELLS] = 1;
    let reached = 1;
    for (const weight of head) {
      const next = new Float64Array(mass.length);
      const from = Math.max(0, CELLS - reached), to = Math.min(mass.length - 1, CELLS + reached);
      for (const [x, chance] of pairs) {
        const cells = (weight * x) / cell, whole = Math.floor(cells), part = cells - whole;
        for (let i = from; i <= to; i++) {
          if (mass[i] === 0) continue;
          if (i + whole >= 0 && i + whole < mass.length) next[i + whole] += chance * (1 - part) * mass[i];
          if (part && i + whole + 1 >= 0 && i + whole + 1 < mass.length) next[i + whole + 1] += chance * part * mass[i];
        }
        reached = Math.max(reached, 0);
      }
      reached += Math.ceil((weight * Math.max(...pairs.map(([x]) => Math.abs(x)))) / cell) + 1;
      mass = next;
    }
    const tail = Math.sqrt(variance * tailSquares);
    let chance = 0;
    for (let i = 0; i < mass.length; i++) {
      if (mass[i] === 0) continue;
      let value = (i - CELLS) * cell;
      if (shift !== null) value += shift - mean * total;
      chance += mass[i] * (tail > 0 ? normal(value / tail) : value > 0 ? 1 : value < 0 ? 0 : 0.5);
    }
    return chance;
  }
  const headOf = (b) => Array.from({ length: HEAD }, (_, i) => (i + 1) ** -b);

  /* P(NDCG of A > NDCG of B) as the list grows, ties half; NaN where the curves do not decide. */
  function winProbability(measure, a, b) {
    const seen = sees(measure), found = regime(measure);
    if (seen === "few") {
      const weight = weightOf(measure);
      if (measure.cutoff?.rank) {
        const weights = Array.from({ length: measure.cutoff.rank }, (_, i) => weight(i + 1));
        return beats(a, b, weights.slice(0, HEAD), sum(weights.slice(HEAD).map((each) => each ** 2)));
      }
      const head = Array.from({ length: 1000 }, (_, i) => weight(i + 1)).filter((each) => each > 1e-20).slice(0, HEAD);
      return beats(a, b, head, Math.max(0, zeta(2 * found.beta) - sum(head.map((each) => each ** 2))));
    }
    if (agree(a, b, endOf(measure)) || countsEqually(measure)) return 0.5;
    const difference = limit(measure, a) - limit(measure, b);
    if (Math.abs(difference) > EQUAL) return difference > 0 ? 1 : 0;
    if (["slow", "power"].includes(found.kind) && seen === "list" && found.logs !== 0) {
      const term = logTerm(found, a, b, endOf(measure));
      return term === null ? NaN : term.constant > 0 ? 1 : 0;
    }
    if (a.topVariance + b.topVariance === 0) return NaN;
    if (found.kind === "power" && seen === "list") {
      if (found.beta <= 0.5) return 0.5;
      return beats(a, b, headOf(found.beta), zeta(2 * found.beta, HEAD + 1), zeta(found.beta) * (a.top - b.top));
    }
    if (found.kind === "harmonic" && measure.cutoff === null) return beats(a, b, headOf(1), zeta(2, HEAD + 1), topIntegral(a, b));
    return NaN;
  }

  /* ---- Verdicts ---- */

  /* A number with at most so many significant digits, as Python's format "g" writes it. */
  function g(value, digits = 6) {
    if (value === 0) return "0";
    const exponent = Number(value.toExponential(digits - 1).split("e")[1]);
    if (exponent < -4 || exponent >= digits) {
      const [mantissa, power] = value.toExponential(digits - 1).split("e");
      return `${mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa}e${power[0]}${power.slice(1).padStart(2, "0")}`;
    }
    const text = value.toFixed(Math.max(0, digits - 1 - exponent));
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  }
  const logPower = (exponent) => (exponent === 1 ? "log(n)" : `log(n)^${g(exponent)}`);
  function noiseOf(found) {
    if (found.kind === "harmonic") return "1/log(n)";
    if (found.kind !== "power" || found.beta < 0.5) return "n^-1/2";
    if (found.beta === 0.5) return "sqrt(log(n)/n)";
    return `n^-${g(1 - found.beta)}`;
  }
  const better = (number) => (number > 0 ? "a" : "b");
  const verdictOf = (how, reason, theorem, rate = "", ahead = null) => ({ how, reason, theorem, rate, better: ahead });
  const inExpectation = (number, reason, theorem, rate) => (Math.abs(number) <= EQUAL ? verdictOf("no", reason, theorem, rate) : verdictOf("in expectation", reason, theorem, rate, better(number)));

  /* Whether NDCG on ever longer lists tells A from B. */
  function verdict(measure, a, b) {
    if (agree(a, b)) return verdictOf("undecided", "both curves are the same: as far as NDCG is concerned these may be one ranker", "");
    const seen = sees(measure), found = regime(measure), end = endOf(measure);
    if (seen === "few") {
      if (agree(a, b, 0.01)) return verdictOf("undecided", "the curves are the same at the top. If the rankers are the same there, lower ranks may tell them apart under a discount like r^-2 (Theorem 10's last sentence is false as printed); otherwise chance decides", "Theorem 10");
      if (a.topVariance === 0 && b.topVariance === 0) return verdictOf("undecided", "the labels at the very top are free of noise", "Theorem 10");
      const number = a.top - b.top;
      return inExpectation(number, `${measure.cutoff?.rank ?? "few"} ranks count, however long the list: their labels decide, by chance`, "Theorem 10", `gap ${g(Math.abs(number) / Math.max(a.best, b.best), 3)} in the expected gain at the very top, noise constant`);
    }
    if (end < 1 && agree(a, b, end)) return verdictOf("no", `the curves are the same on the first ${Math.round(100 * end)}% of the list, which is all that counts`, "Theorems 12 and 13; the remark after Theorem 13 overlooks this");
    if (countsEqually(measure)) return verdictOf("no", "all ranks count equally: NDCG is 1 for any ranking", "Definition 1", "no gap, no noise");
    const difference = limit(measure, a) - limit(measure, b);
    if (Math.abs(difference) > EQUAL) {
      let theorem, noise = noiseOf(found), reason = "the limits differ";
      if (seen === "top") {
        reason = "the expected gains at the very top differ, and only they count in the end";
        theorem = found.kind === "harmonic" ? "Theorem 9" : "Theorem 11";
        noise = found.kind === "harmonic" ? noise : "(sum of the weights)^-1/2";
      } else theorem = measure.cutoff === null ? "Theorem 8, condition 1" : "Theorems 12 and 13";
      return verdictOf("consistently", reason, theorem, `gap ${g(Math.abs(difference), 3)}, noise ${noise}`, better(difference));
    }
    const noisy = a.topVariance + b.topVariance > 0;
    if (seen === "top") {
      if (found.kind === "harmonic" && measure.cutoff === null && noisy) return inExpectation(topIntegral(a, b), "the tops are the same; what is below them adds no more than the noise of the labels at the top", "Theorem 9", "gap 1/log(n), noise 1/log(n)");
      return verdictOf("undecided", "the tops are the same: the verdict depends on how fast the curves separate below, and on chance", found.kind === "harmonic" ? "Theorem 9" : "Theorem 11");
    }
    if (found.logs !== 0) {
      const term = logTerm(found, a, b, end);
      if (term === null) return verdictOf("undecided", "the curves differ by less than can be computed", "Theorem 6");
      const noise = end === 1 ? "n^-1/2 / log(n)" : noiseOf(found);
      return verdictOf("consistently", "the limits are the same, but noise shrinks faster than the difference", "Theorem 6", `gap ${g(Math.abs(term.constant), 3)}/${logPower(term.order)}, noise ${noise}`, better(term.constant));
    }
    if (found.kind === "power" && noisy) return inExpectation(b.top - a.top, "the limits are the same, and the gap vanishes no more slowly than the noise; Theorem 8's second condition is false as printed", "Theorem 8, corrected", `gap n^-${g(1 - found.beta)}, noise ${noiseOf(found)}`);
    return verdictOf("undecided", "the limits are the same, and the theorems say nothing more", "Theorem 8, condition 2");
  }

  return { Curve, agree, documentsNeeded, fitted, g, gap, limit, normal, queriesNeeded, regime, sameDocuments, sees, shaped, theoremOf, verdict, winProbability, zeta };
})();
window.theory = theory;
