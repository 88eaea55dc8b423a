// A field above each long table of a guide, which keeps the rows that contain what is typed.
for (const table of document.querySelectorAll(".md-content article table")) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 15) continue;
  const field = document.createElement("input");
  Object.assign(field, {type: "search", placeholder: `Filter ${rows.length} rows`, className: "row-filter"});
  field.setAttribute("aria-label", field.placeholder);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  });
  (table.closest(".md-typeset__scrollwrap") ?? table).before(field);
}
