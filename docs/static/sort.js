// Sort tables by the buttons in their first rows.

// A number, the first one of a cell: 0.040–0.059, 0.052 / 0.054, (0.163), 11,801, 2e-6. Else the text.
const number = /^[(<≤]?\s*([-−+]?\d[\d,]*(\.\d+)?(e[-+]?\d+)?|[-−+]?\.\d+)/i;

function value(row, column) {
  const text = row.cells[column].textContent.trim();
  const match = number.exec(text);
  return match ? Number(match[1].replaceAll(",", "").replace("−", "-")) : text;
}

function compare(a, b, sign) {
  if (a === "" || b === "") return (a === "") - (b === ""); // empty cells stay at the end
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return sign * (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
}

function sort(table, heading, column) {
  const rising = heading.getAttribute("aria-sort") !== "ascending";
  for (const th of table.tHead.rows[0].cells) th.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => [value(row, column), row]);
  rows.sort((a, b) => compare(a[0], b[0], rising ? 1 : -1));
  table.tBodies[0].append(...rows.map((row) => row[1]));
}

for (const table of document.querySelectorAll("table.docutils")) {
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  if (rows.length < 3) continue;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    if (heading.textContent.trim() === "") return; // a button needs a name
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sort(table, heading, column));
    heading.append(button);
  });
}
