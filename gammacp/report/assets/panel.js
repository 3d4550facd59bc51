// Filters and details beside the canvas.

Object.assign(AlignmentView.prototype, {
  buildFilters() {
    const { doc } = this.model;
    const box = (name, label, list, i, colour) => {
      const input = element("input", { type: "checkbox", checked: list[i] });
      input.addEventListener("change", () => { list[i] = input.checked; this.refilter(); });
      const swatch = colour ? element("span", { className: "swatch", "aria-hidden": "true" }) : null;
      if (swatch) swatch.style.background = colour;
      return element("label", {}, input, swatch, label);
    };
    const annotators = element("fieldset", {}, element("legend", {}, "Annotators"),
      ...doc.annotators.map((name, i) => box("annotator", name, this.filter.annotators, i)));
    const labels = doc.categories.map((name, i) =>
      box("category", name, this.filter.categories, i, categoryColour(i)));
    if (doc.units.category.some((code) => code < 0)) {
      labels.push(box("category", "(unlabelled)", this.filter.categories, doc.categories.length, categoryColour(-1)));
    }
    const categories = element("fieldset", {}, element("legend", {}, "Categories"), ...labels);
    const disorder = element("fieldset", {}, element("legend", {}, "Disorder"),
      this.slider("at least", "low", 0), this.slider("at most", "high", this.filter.highest), this.ramp());
    this.filters.replaceChildren(annotators, categories, disorder);
  },

  // The legend of colours by disorder; swatches of categories are the one of colours by category.
  ramp() {
    const { delta } = this.model.doc, bar = element("span", { className: "ramp", "aria-hidden": "true" });
    bar.style.background = `linear-gradient(90deg, ${[0, 0.5, 1].map((x) => disorderColour(x, 1)).join(", ")})`;
    return element("span", { className: "ramp-key" }, "colours: 0 ", bar, ` ${shortNumber(delta)} and more`);
  },

  slider(label, side, value) {
    const input = element("input", {
      type: "range", min: 0, max: this.filter.highest, step: this.filter.highest / 100, value,
      "aria-label": `Disorder ${label}`,
    });
    const shown = element("output", {}, shortNumber(Number(value)));
    input.addEventListener("input", () => {
      const chosen = Number(input.value);
      // The slider's end means "no limit": rounding must not hide the worst alignment.
      this.filter[side] = side === "high" && chosen >= this.filter.highest * 0.995 ? Infinity : chosen;
      shown.textContent = shortNumber(chosen);
      this.refilter();
    });
    return element("label", {}, `${label} `, input, shown);
  },

  refilter() {
    this.passes = passing(this.model, this.filter);
    this.resize();
    const left = this.passes.filter(Boolean).length;
    this.status.textContent = `${left} of ${this.passes.length} unitary alignments shown`;
  },

  quote(row) {
    if (!this.characters.length) return null;
    const covered = ([from, to]) => this.characters.slice(Math.max(0, from), Math.max(0, to)).join("");
    const text = fragmentsOf(this.model.doc, row).map(covered).join(" … ");
    return text.length > 160 ? `${text.slice(0, 160)}…` : text;
  },

  // The text around a unitary alignment, with what its units cover marked.
  passage(group) {
    if (!this.characters.length) return null;
    const cut = (from, to) => this.characters.slice(Math.max(0, Math.floor(from)), Math.max(0, Math.ceil(to))).join("");
    const covered = cut(group.start, group.end);
    return element("p", { className: "passage" }, cut(group.start - 90, group.start),
      element("mark", {}, covered.length > 600 ? `${covered.slice(0, 600)}…` : covered || "|"),
      cut(group.end, group.end + 90));
  },

  describe(g) {
    if (g === null) {
      this.details.replaceChildren(element("p", { className: "hint" },
        "Click a unit, or press → in the view, to see its unitary alignment and what each pair costs."));
      return;
    }
    const { doc } = this.model, group = this.model.groups[g];
    const unit = doc.unit ? ` ${doc.unit}` : "";
    const rows = group.rows.map((row, a) => element("tr", {},
      element("th", { scope: "row" }, doc.annotators[a]),
      ...(row < 0
        ? [element("td", { colSpan: this.characters.length ? 3 : 2, className: "none" }, "no unit")]
        : [element("td", {}, categoryOf(doc, row) ?? "(unlabelled)"),
          element("td", {},
            `${fragmentsOf(doc, row).map((f) => f.map(position).join(" – ")).join("; ")}${unit}`),
          this.characters.length ? element("td", { className: "quote" }, this.quote(row)) : null])));
    const heads = ["Annotator", "Category", "From – to", ...(this.characters.length ? ["Text"] : [])];
    this.details.replaceChildren(
      element("h3", {}, `Unitary alignment ${this.model.rank[g] + 1} of ${this.model.groups.length}`,
        element("small", {}, ` disorder ${shortNumber(group.disorder)}`)),
      this.passage(group) ?? "",
      element("div", { className: "scroll" }, element("table", {},
        element("thead", {}, element("tr", {}, ...heads.map((h) => element("th", { scope: "col" }, h)))),
        element("tbody", {}, ...rows))),
      this.pairTable(group, false));
  },

  pairTable(group, short) {
    const { doc } = this.model;
    const name = (row) => doc.annotators[doc.units.annotator[row]];
    const label = (row) => categoryOf(doc, row) ?? "(unlabelled)";
    const real = group.rows.filter((row) => row >= 0);
    if (real.length === 1) {
      return element("p", {}, `${name(real[0])} alone: ${label(real[0])}. `
        + `Every pair with an empty unit costs ${shortNumber(doc.delta)}.`);
    }
    const rows = group.pairs.map((p) => element("tr", {},
      element("th", { scope: "row" }, `${name(p.first)} – ${name(p.second)}`),
      short ? element("td", {}, label(p.first) === label(p.second) ? label(p.first) : `${label(p.first)} / ${label(p.second)}`) : null,
      element("td", { className: "number" }, shortNumber(p.positional)),
      element("td", { className: "number" }, shortNumber(p.categorial)),
      element("td", { className: "number" }, shortNumber(p.total))));
    const empty = doc.annotators.length - real.length;
    const heads = ["Pair", ...(short ? ["Category"] : []), "Positional", "Categorial", "Sum"];
    return element("div", { className: "scroll" }, element("table", { className: "pairs" },
      element("caption", {}, short ? `Disorder ${shortNumber(group.disorder)}` : "What each pair costs"),
      element("thead", {}, element("tr", {}, ...heads.map((h, i) =>
        element("th", { scope: "col", className: i < heads.length - 3 ? "" : "number" }, h)))),
      element("tbody", {}, ...rows)),
    empty ? element("p", { className: "hint" }, `${empty} without a unit: each pair with an empty unit costs ${shortNumber(doc.delta)}.`) : null);
  },
});

for (const root of document.querySelectorAll('[data-part="alignment"]')) {
  const source = root.querySelector('script[type="application/json"]');
  root.view = new AlignmentView(root, JSON.parse(source.textContent));
}
