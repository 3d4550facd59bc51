// Paper shows the alignment of every document, as a picture with its name.

const MOST_PRINTED = 100;

Object.assign(AlignmentView.prototype, {
  print(on) {
    if (on) {
      this.before = [this.index, this.from, this.from + this.span, this.filter, this.pinned];
      this.root.classList.add("printing");
      this.pictures();
      return;
    }
    const [index, from, to, filter, pinned] = this.before;
    this.root.classList.remove("printing");
    this.root.querySelector(".printed")?.remove();
    this.open(index);
    this.filter = filter;
    this.buildFilters();
    this.refilter();
    this.pin(pinned);
    this.window(from, to);
    this.redraw(true);
  },

  pictures() {
    const { index } = this, several = this.documents.length > 1;
    const made = this.documents.slice(0, several ? MOST_PRINTED : 0).map((doc, i) => {
      this.open(i);
      this.redraw(true);
      const copy = element("canvas", { width: this.canvas.width, height: this.canvas.height });
      copy.style.width = this.canvas.style.width;
      copy.getContext("2d").drawImage(this.canvas, 0, 0);
      return element("figure", {}, element("figcaption", {}, doc.name), copy);
    });
    this.open(index);
    this.redraw(true);
    if (!several) return;
    const rest = this.documents.length - made.length;
    this.status.after(element("div", { className: "printed" }, ...made,
      rest > 0 ? element("p", {}, `${rest} further documents are not printed.`) : null));
  },
});
