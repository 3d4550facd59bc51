// The alignment view: state, events, keyboard, details. Text reaches the page through textContent
// only, so that no annotator or category name is ever read as markup.

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key in made) made[key] = value; else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

class AlignmentView {
  constructor(root, documents) {
    this.root = root;
    this.documents = documents;
    this.colourBy = root.dataset.colour = "category";
    this.build();
    this.open(0);
    this.listen();
  }

  build() {
    const find = (name) => this.root.querySelector(`[data-part="${name}"]`);
    this.canvas = find("canvas");
    this.map = find("overview");
    this.details = find("details");
    this.tooltip = find("tooltip");
    this.status = find("status");
    this.filters = find("filters");
    this.context = this.canvas.getContext("2d");
    this.overview = this.map.getContext("2d");
  }

  open(index) {
    const doc = this.documents[index];
    this.index = index;
    this.model = buildModel(doc);
    // Offsets count code points; a JavaScript string counts UTF-16 units.
    this.characters = doc.text ? Array.from(doc.text, visible) : [];
    const [low, high] = doc.bounds;
    const pad = (high - low) * 0.01 || 1;
    this.limits = [low - pad, high + pad];
    this.pinned = null;
    this.hovered = null;
    const highest = Math.max(doc.delta, ...doc.groups.disorder.map((d) => d));
    this.filter = {
      low: 0, high: Infinity, highest,
      annotators: doc.annotators.map(() => true),
      categories: [...doc.categories.map(() => true), true],
    };
    this.passes = passing(this.model, this.filter);
    this.buildFilters();
    this.resize();
    this.fit();
    this.describe(null);
  }

  listen() {
    const act = {
      "zoom-in": () => this.zoom(1.6), "zoom-out": () => this.zoom(1 / 1.6), fit: () => this.fit(),
      previous: () => this.step(-1), next: () => this.step(1), worst: () => this.worse(),
    };
    for (const button of this.root.querySelectorAll("button[data-action]")) {
      button.addEventListener("click", act[button.dataset.action]);
    }
    const choose = this.root.querySelector('[data-part="document"]');
    if (choose) choose.addEventListener("change", () => this.open(Number(choose.value)));
    this.root.querySelector('[data-part="colour"]').addEventListener("change", (event) => {
      this.colourBy = event.target.value;
      this.colours = unitColours(this);
      this.root.dataset.colour = this.colourBy;
      this.redraw();
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.listenToPointer();
    this.map.addEventListener("pointerdown", (event) => this.jump(event));
    this.map.addEventListener("pointermove", (event) => { if (event.buttons) this.jump(event); });
    new ResizeObserver(() => this.resize()).observe(this.root);
    const schemes = matchMedia("(prefers-color-scheme: dark)");
    schemes.addEventListener("change", () => this.resize());
    // Paper is white whatever the screen's scheme is, and shows the whole continuum.
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    document.addEventListener("click", (event) => {
      const link = event.target.closest("[data-show]");
      if (link) this.show(Number(link.dataset.document), Number(link.dataset.show));
      const cell = event.target.closest("[data-seek]");
      if (cell) this.seek(cell.dataset.seek, cell.dataset.first, cell.dataset.second);
    });
  }

  listenToPointer() {
    const down = new Map();
    let moved = 0, spread = 0;
    this.canvas.addEventListener("pointerdown", (event) => {
      down.set(event.pointerId, event.offsetX);
      this.canvas.setPointerCapture(event.pointerId);
      moved = 0;
      spread = 0;
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!down.has(event.pointerId)) return this.hover(event);
      const by = event.offsetX - down.get(event.pointerId);
      down.set(event.pointerId, event.offsetX);
      moved += Math.abs(by);
      if (down.size === 1) return this.pan(-by / this.scale);
      const [a, b] = [...down.values()];
      if (spread) this.zoom(Math.abs(a - b) / spread, (a + b) / 2);
      spread = Math.max(8, Math.abs(a - b));
    });
    const up = (event) => {
      if (!down.delete(event.pointerId) || moved > 4 || event.type !== "pointerup") return;
      this.pin(this.at(event.offsetX, event.offsetY));
    };
    this.canvas.addEventListener("pointerup", up);
    this.canvas.addEventListener("pointercancel", up);
    this.canvas.addEventListener("pointerleave", () => { this.hovered = null; this.tip(null); this.redraw(); });
  }

  resize() {
    this.theme = theme(this.root);
    this.colours = unitColours(this);
    this.ratio = devicePixelRatio || 1;
    const width = Math.max(240, this.canvas.parentElement.clientWidth);
    const span = this.scale ? (this.width - this.gutter) / this.scale : null;
    this.width = width;
    this.gutter = width < 560 ? 4 : 130;
    this.plan = layout(this);
    for (const [canvas, height] of [[this.canvas, this.plan.height], [this.map, 34]]) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(height * this.ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    if (span) this.scale = (width - this.gutter) / span;
    this.redraw(true);
  }

  redraw(now) {
    if (!this.scale) return;
    const work = () => { this.pending = false; paint(this); paintOverview(this); };
    if (now) return work();
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(work);
  }

  window(from, to) {
    const [low, high] = this.limits;
    const smallest = (high - low) * 1e-6;
    const span = Math.min(high - low, Math.max(smallest, to - from));
    this.from = Math.min(Math.max(low, from), high - span);
    this.scale = (this.width - this.gutter) / span;
    this.redraw();
  }

  get span() { return (this.width - this.gutter) / this.scale; }

  fit() { this.window(...this.limits); }

  zoom(factor, x) {
    const at = this.from + ((x ?? (this.gutter + this.width) / 2) - this.gutter) / this.scale;
    const span = this.span / factor;
    const from = at - (at - this.from) / factor;
    this.window(from, from + span);
  }

  pan(by) { this.window(this.from + by, this.from + by + this.span); }

  jump(event) {
    const [low, high] = this.limits;
    const at = low + ((event.offsetX - this.gutter) / (this.width - this.gutter)) * (high - low);
    const span = Math.min(this.span, high - low);
    this.window(at - span / 2, at + span / 2);
  }

  wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 300), event.offsetX);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan((event.deltaX || event.deltaY) / this.scale);
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {
      ArrowRight: () => (event.shiftKey ? this.pan(this.span / 4) : this.step(1)),
      ArrowLeft: () => (event.shiftKey ? this.pan(-this.span / 4) : this.step(-1)),
      "+": () => this.zoom(1.6), "=": () => this.zoom(1.6), "-": () => this.zoom(1 / 1.6),
      0: () => this.fit(), Home: () => this.fit(), w: () => this.worse(),
      Enter: () => this.close(), Escape: () => this.pin(null),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  at(x, y) {
    for (const placed of this.plan.lanes) {
      if (!placed || y < placed.top || y > placed.bottom) continue;
      const near = 3 / this.scale, place = this.from + (x - this.gutter) / this.scale;
      const [first, last] = visibleRange(this.model.doc, placed.lane, place - near, place + near);
      const track = Math.floor((y - placed.top) / placed.track);
      for (let i = last - 1; i >= first; i--) {
        if (placed.lane.track[i] !== track) continue;
        if (this.model.doc.units.end[placed.lane.rows[i]] < place - near) continue;
        return this.model.groupOf[placed.lane.rows[i]];
      }
    }
    return null;
  }

  hover(event) {
    const g = this.at(event.offsetX, event.offsetY);
    if (g !== this.hovered) {
      this.hovered = g;
      this.canvas.style.cursor = g === null ? "grab" : "pointer";
      this.redraw();
    }
    this.tip(g, event);
  }

  tip(g, event) {
    this.tooltip.hidden = g === null;
    if (g === null) return;
    this.tooltip.replaceChildren(this.pairTable(this.model.groups[g], true));
    const room = this.canvas.parentElement.clientWidth - this.tooltip.offsetWidth - 4;
    this.tooltip.style.left = `${Math.max(0, Math.min(event.offsetX + 14, room))}px`;
    this.tooltip.style.top = `${event.offsetY + 18}px`;
  }

  pin(g) {
    this.pinned = g;
    this.describe(g);
    this.redraw();
  }

  // The next unitary alignment that passes the filters, in the order of positions.
  step(by) {
    const order = this.model.order, n = order.length;
    let i = this.pinned === null ? (by > 0 ? -1 : n) : this.model.rank[this.pinned];
    do i += by; while (i >= 0 && i < n && !this.passes[order[i]]);
    if (i >= 0 && i < n) this.reveal(order[i]);
  }

  worse() {
    const list = this.model.worst.filter((g) => this.passes[g]);
    if (list.length) this.reveal(list[(list.indexOf(this.pinned) + 1) % list.length]);
  }

  reveal(g) {
    const group = this.model.groups[g];
    const span = Math.min(this.span, Math.max(20 * (group.end - group.start), this.span / 50) || this.span);
    if (group.start < this.from || group.end > this.from + this.span) {
      const middle = (group.start + group.end) / 2;
      this.window(middle - span / 2, middle + span / 2);
    }
    this.pin(g);
  }

  close() {
    if (this.pinned === null) return;
    const group = this.model.groups[this.pinned];
    // A text stays one that is read: no character has more room than it needs.
    const least = this.characters.length ? (this.width - this.gutter) / 10 : 0;
    const length = group.end - group.start;
    const room = Math.max(3 * length || this.span / 8, (least - length) / 2);
    this.window(group.start - room, group.end + room);
  }

  show(index, g) {
    if (index !== this.index) {
      this.root.querySelector('[data-part="document"]').value = String(index);
      this.open(index);
    }
    this.pin(g);
    this.close();
    this.root.scrollIntoView({ block: "start" });
    this.canvas.focus({ preventScroll: true });
  }
}
