(() => {
  "use strict";
  const all = (where, what) => [...where.querySelectorAll(what)];
  const make = (tag, text, props) => Object.assign(document.createElement(tag), { textContent: text }, props);
  // The title of the page and a caption, as the name of a file: letters, digits and hyphens only.
  const named = (text) =>
    `${document.title} ${text}`.normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "").slice(0, 80).toLowerCase() || "report";
  const save = (name, type, text) => {
    const link = make("a", "", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const number = (text) => {
    const found = text.replace(/,(?=\d{3})/g, "").replace(/[\u2212\u2013]/g, "-").match(/-?\d+(\.\d+)?(e[-+]?\d+)?/i);
    return found ? parseFloat(found[0]) : NaN;
  };
  // A cell on one line; where a spreadsheet would read a formula, an apostrophe keeps it text.
  const cell = (td) => {
    const mark = td.querySelector(".mark");
    const text = td.textContent.slice(mark ? mark.textContent.length : 0).replace(/\s+/g, " ").trim();
    const plain = text.replace(/^\u2212(?=[\d.])/, "-");
    if (/^-?[\d.,]+(e[-+]?\d+)?$/i.test(plain)) return plain.replace(/,(?=\d{3})/g, "");
    return /^[=+\-@|\u2212]/.test(text) ? `'${text}` : text;
  };
  const rows = (table) => {
    unpack(table);
    return all(table, "tr").filter((row) => !row.hidden).map((row) => all(row, "th,td").map(cell));
  };
  const csv = (table) =>
    rows(table).map((row) => row.map((text) => (/[",]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text)).join(",")).join("\r\n") + "\r\n";
  const tsv = (table) => rows(table).map((row) => row.join("\t")).join("\n");

  // Rows of a long table stand in the page as JSON: a cell is its text, or text, kind and link.
  const packed = (table) => table.parentNode.querySelector("script");
  const unpack = (table) => {
    const data = packed(table);
    if (!data) return;
    const { kinds, columns, rows, long, begins } = JSON.parse(data.textContent);
    data.remove();
    const made = (cell, column) => {
      const [text, kind, link] = Array.isArray(cell) ? cell : [cell, columns[column], ""];
      const [role, mark, wide] = kinds[kind];
      const td = make("td", "", { className: role });
      let inner = wide || mark ? make("span", text) : document.createTextNode(text);
      if (role === "order" && [...text].length > long) {
        inner = make("details", "");
        inner.append(make("summary", `${[...text].slice(0, begins).join("")} …`), text);
      }
      if (link) {
        const leads = make("a", "", { href: `#${link}` });
        leads.append(inner);
        inner = leads;
      }
      if (mark) {
        const shown = make("span", mark, { className: "mark" });
        shown.setAttribute("aria-hidden", "true");
        td.append(shown);
      }
      td.append(inner);
      return td;
    };
    table.tBodies[0].append(...rows.map(([id, ...cells]) => {
      const row = make("tr", "", id ? { id } : {});
      row.append(...cells.map(made));
      return row;
    }));
  };
  const unpackAll = () => all(document, "figure.table table").forEach(unpack);

  const sort = (table, column, head) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    all(table, "th").forEach((th) => th.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row, i) => [row, row.cells[column].textContent.trim(), i]);
    const numeric = head.classList.contains("number");
    keyed.sort(([, a, i], [, b, j]) => {
      const [x, y] = numeric ? [number(a), number(b)] : [a, b];
      if (numeric && (isNaN(x) || isNaN(y))) return isNaN(x) - isNaN(y) || i - j;
      const order = numeric ? x - y : x.localeCompare(y, undefined, { numeric: true });
      return (down ? -order : order) || i - j;
    });
    body.append(...keyed.map(([row]) => row));
  };

  all(document, "figure.table").forEach((figure) => {
    const table = figure.querySelector("table");
    const caption = figure.querySelector("figcaption").textContent;
    const tools = make("div", "", { className: "tools" });
    const fold = figure.closest("details");
    const long = packed(table);
    if (long && fold) {
      const later = make("span", " (the browser's search finds these rows once this is open)", { className: "later" });
      fold.querySelector("summary").append(later);
      fold.addEventListener("toggle", () => {
        unpack(table);
        later.remove();
      });
    } else unpack(table);
    if (long || table.tBodies[0].rows.length > 8) {
      const filter = make("input", "", { type: "search", placeholder: "Filter rows" });
      filter.setAttribute("aria-label", `Filter rows of ${caption}`);
      filter.addEventListener("input", () => {
        const words = filter.value.toLowerCase().split(/\s+/);
        [...table.tBodies[0].rows].forEach((row) => {
          const text = row.textContent.toLowerCase();
          row.hidden = !words.every((word) => text.includes(word));
        });
      });
      tools.append(filter);
    }
    const copy = make("button", "Copy", { type: "button" });
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(tsv(table));
        copy.textContent = "Copied";
      } catch {
        copy.textContent = "Not allowed here";
      }
      setTimeout(() => (copy.textContent = "Copy"), 1500);
    });
    const down = make("button", "CSV", { type: "button" });
    down.addEventListener("click", () => save(`${named(caption)}.csv`, "text/csv;charset=utf-8", csv(table)));
    tools.append(copy, down);
    [copy, down].forEach((one) => one.setAttribute("aria-label", `${one.textContent}: ${caption}`));
    figure.querySelector("figcaption").append(tools);
    all(table, "thead th").forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = make("button", "", { type: "button" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, column, head));
    });
  });

  // Rules of the page's style sheet that a figure uses, with the colours of a light page.
  const rules = (svg) => {
    const used = new Set(all(svg, "[class]").flatMap((one) => [...one.classList]));
    const found = [...document.styleSheets[0].cssRules].filter((rule) => used.has((rule.selectorText || "").slice(1)));
    const plain = (text) => text.replace(/var\(--([0-9a-f]{6})\)/g, "#$1").replace(/currentcolor/gi, "#1f2328");
    return "*{stroke-linejoin:round;stroke-linecap:butt}" + found.map((rule) => plain(rule.cssText)).join("");
  };
  all(document, "figure.drawn").forEach((figure) => {
    const svg = figure.querySelector("svg");
    const label = svg.getAttribute("aria-label");
    const down = make("button", "SVG", { type: "button" });
    down.setAttribute("aria-label", `SVG: ${label}`);
    down.addEventListener("click", () => {
      const copy = svg.cloneNode(true);
      copy.removeAttribute("class");
      copy.removeAttribute("style");
      const style = document.createElementNS(svg.namespaceURI, "style");
      style.textContent = rules(svg);
      copy.prepend(style);
      save(`${named(label.split(/[.,:]/)[0])}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(copy));
    });
    figure.querySelector("figcaption").append(down);
  });

  const unfold = () => {
    const asked = decodeURIComponent(location.hash.slice(1));
    if (asked && !document.getElementById(asked)) unpackAll();
    const target = asked && document.getElementById(asked);
    if (!target) return;
    const own = target.querySelector(":scope > details");
    if (own) own.open = true;
    for (let one = target.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();

  const contents = document.querySelector(".contents");
  const wide = matchMedia("(min-width: 1200px)");
  const beside = () => contents && (contents.open = wide.matches);
  wide.addEventListener("change", beside);
  beside();

  const folds = all(document, "main details");
  const every = make("button", "Open all sections", { type: "button", className: "every" });
  every.addEventListener("click", () => {
    const open = folds.some((one) => !one.open);
    folds.forEach((one) => (one.open = open));
    every.textContent = open ? "Close all sections" : "Open all sections";
  });
  if (folds.length) document.querySelector("nav").prepend(every);

  let opened = [];
  if (document.body.classList.contains("full")) {
    addEventListener("beforeprint", () => {
      unpackAll();
      opened = folds.filter((one) => !one.open);
      opened.forEach((one) => (one.open = true));
    });
    addEventListener("afterprint", () => opened.forEach((one) => (one.open = false)));
  }
})();
