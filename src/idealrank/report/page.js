"use strict";
(() => {
  const data = JSON.parse(document.getElementById("queries-data").textContent);
  const byId = (id) => document.getElementById(`queries-${id}`);
  const [table, measure, filter, status, more] = ["table", "measure", "filter", "status", "more"].map(byId);
  const first = 200; // rows, until all are asked for
  const state = { column: null, direction: 1, all: false };
  const collator = new Intl.Collator(undefined, { numeric: true });

  // Each column: its head, and one value per query; null if the query has none.
  const columns = () => {
    const values = data.values[measure.value];
    const listed = [{ head: "query", values: data.queries }];
    data.systems.forEach((head, i) => listed.push({ head, values: values[i] }));
    if (data.systems.length > 1) {
      const spread = data.queries.map((_, q) => {
        const known = values.map((column) => column[q]).filter((value) => value !== null);
        return known.length > 1 ? Math.max(...known) - Math.min(...known) : null;
      });
      listed.push({ head: "spread", values: spread });
    }
    return listed;
  };

  const chosenRows = (shown) => {
    const wanted = filter.value.trim().toLowerCase();
    const rows = [...data.queries.keys()].filter((q) => data.queries[q].toLowerCase().includes(wanted));
    if (state.column === null) return rows;
    const { values } = shown[state.column];
    const compare = state.column === 0 ? collator.compare : (a, b) => a - b;
    return rows.sort((a, b) => {
      if (values[a] === null || values[b] === null) return (values[a] === null) - (values[b] === null);
      return state.direction * compare(values[a], values[b]);
    });
  };

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children); // strings become text, never markup
    return made;
  };

  const headCell = ({ head }, i) => {
    const order = state.column !== i ? "none" : state.direction > 0 ? "ascending" : "descending";
    const button = element("button", { type: "button" }, head);
    button.addEventListener("click", () => {
      // Names begin with the first, numbers with the largest.
      state.direction = state.column === i ? -state.direction : i === 0 ? 1 : -1;
      state.column = i;
      draw();
      table.tHead.querySelectorAll("button")[i].focus();
    });
    return element("th", { scope: "col", "aria-sort": order, ...(i && { class: "number" }) }, button);
  };

  const draw = () => {
    const shown = columns();
    const rows = chosenRows(shown);
    const drawn = state.all ? rows : rows.slice(0, first);
    const largest = data.largest[measure.value];
    table.tHead.replaceChildren(element("tr", {}, ...shown.map(headCell)));
    table.tBodies[0].replaceChildren(...drawn.map((q) => {
      const cells = shown.slice(1).map(({ values }) => {
        const value = values[q];
        const cell = element("td", { class: "number" }, value === null ? "none" : value.toFixed(4));
        if (value > 0) cell.style.setProperty("--share", `${(100 * value) / largest}%`);
        return cell;
      });
      return element("tr", {}, element("th", { scope: "row" }, data.queries[q]), ...cells);
    }));
    const count = (n) => n.toLocaleString("en");
    status.textContent = `${count(drawn.length)} of ${count(data.queries.length)} queries shown`
      + (rows.length < data.queries.length ? `, ${count(rows.length)} match` : "");
    more.textContent = `Show all ${count(rows.length)}`;
    more.hidden = drawn.length === rows.length;
  };

  filter.addEventListener("input", draw);
  measure.addEventListener("change", draw);
  more.addEventListener("click", () => { state.all = true; draw(); table.tHead.querySelector("button").focus(); });
  draw();
})();
