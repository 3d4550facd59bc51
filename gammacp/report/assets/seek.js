// From the cell of a matrix to the unitary alignments behind it, the costliest first.

// Where two annotators meet, by what that costs the pair; where two categories meet, by disorder.
function behind(documents, kind, first, second) {
  const found = [];
  documents.forEach((doc, document) => {
    const n = doc.annotators.length, { category } = doc.units;
    const cost = new Map(doc.pairs.total.map((total, i) => [`${doc.pairs.first[i]} ${doc.pairs.second[i]}`, total]));
    const pair = [first, second].map((name) => doc.annotators.indexOf(name)).sort((x, y) => x - y);
    const label = (row) => (row < 0 ? "(no unit)" : categoryOf(doc, row) ?? "(unlabelled)");
    doc.groups.disorder.forEach((disorder, group) => {
      const rows = doc.groups.rows.slice(group * n, group * n + n);
      if (kind === "annotators") {
        const [a, b] = pair.map((i) => rows[i] ?? -1);
        if (pair[0] < 0 || (a < 0 && b < 0)) return;
        found.push({ document, group, weight: a < 0 || b < 0 ? doc.delta : cost.get(`${a} ${b}`) ?? 0 });
        return;
      }
      const labels = rows.map(label), there = labels.indexOf(first);
      if (there >= 0 && labels.some((name, i) => name === second && i !== there)) {
        found.push({ document, group, weight: disorder });
      }
    });
  });
  return found.sort((x, y) => y.weight - x.weight);
}

Object.assign(AlignmentView.prototype, {
  // The first click shows the costliest, each further one the next.
  seek(kind, first, second) {
    const asked = JSON.stringify([kind, first, second]);
    if (this.asked !== asked) {
      this.hits = behind(this.documents, kind, first, second);
      this.hit = -1;
      this.asked = asked;
    }
    if (!this.hits.length) return;
    this.hit = (this.hit + 1) % this.hits.length;
    const { document, group } = this.hits[this.hit];
    this.show(document, group);
    if (kind === "annotators") {
      this.filter.annotators = this.model.doc.annotators.map((name) => name === first || name === second);
      this.buildFilters();
      this.refilter();
    }
    this.status.textContent = `${first} and ${second}: ${this.hit + 1} of ${this.hits.length} unitary alignments, `
      + "the costliest first; click the cell again for the next";
  },
});
