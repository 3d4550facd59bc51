// One document of the report as columns that the view can search quickly.

// A character that nobody would see, but a browser would obey, as an escape; lines and tabs stay.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
function visible(character) {
  return character !== "\n" && character !== "\t" && HIDDEN.test(character)
    ? `\\u${character.codePointAt(0).toString(16).padStart(4, "0")}` : character;
}

// [start, end] of what a unit is made of: one piece, unless there are gaps inside.
function fragmentsOf(doc, row) {
  const { start, end, gaps } = doc.units;
  const edges = [start[row], ...(gaps[row] ?? []).flat(), end[row]];
  return edges.filter((_, i) => i % 2 === 0).map((from, i) => [from, edges[2 * i + 1]]);
}

// Units come as columns sorted by annotator and start. Within a lane, prefix maxima of the ends make
// "which units reach into this window" two binary searches, although units may overlap.
function buildModel(doc) {
  const count = doc.units.start.length;
  const groupOf = new Int32Array(count).fill(-1);
  const n = doc.annotators.length;
  const groups = doc.groups.disorder.map((disorder, g) => {
    const rows = doc.groups.rows.slice(g * n, g * n + n);
    for (const row of rows) if (row >= 0) groupOf[row] = g;
    return {
      index: g, rows, disorder, pairs: [], start: Infinity, end: -Infinity,
      size: rows.filter((row) => row >= 0).length,
    };
  });
  for (let i = 0; i < count; i++) {
    const group = groups[groupOf[i]];
    group.start = Math.min(group.start, doc.units.start[i]);
    group.end = Math.max(group.end, doc.units.end[i]);
  }
  const p = doc.pairs;
  for (let i = 0; i < p.first.length; i++) {
    groups[groupOf[p.first[i]]].pairs.push({
      first: p.first[i], second: p.second[i],
      positional: p.positional[i], categorial: p.categorial[i], total: p.total[i],
    });
  }
  const order = groups.map((g) => g.index);
  order.sort((x, y) => groups[x].start - groups[y].start || groups[x].end - groups[y].end || x - y);
  const rank = new Int32Array(groups.length);
  order.forEach((g, i) => { rank[g] = i; });
  const worst = order.slice().sort((x, y) => groups[y].disorder - groups[x].disorder);
  const lanes = doc.annotators.map((name, a) => buildLane(doc, name, a));
  const slot = new Int32Array(count);
  for (const lane of lanes) lane.rows.forEach((row, i) => { slot[row] = i; });
  return { doc, lanes, slot, groups, groupOf, order, rank, worst, counted: isCounted(doc) };
}

function buildLane(doc, name, annotator) {
  const rows = [];
  doc.units.annotator.forEach((a, row) => { if (a === annotator) rows.push(row); });
  rows.sort((x, y) => doc.units.start[x] - doc.units.start[y] || doc.units.end[x] - doc.units.end[y]);
  const reach = new Float64Array(rows.length);
  const track = new Int32Array(rows.length);
  const trackEnds = [];
  let furthest = -Infinity;
  rows.forEach((row, i) => {
    const start = doc.units.start[row], end = doc.units.end[row];
    furthest = Math.max(furthest, end);
    reach[i] = furthest;
    // The first track that is free again: overlapping units of one annotator are drawn in rows.
    let t = trackEnds.findIndex((last) => last <= start);
    if (t < 0 || (trackEnds[t] === start && end === start)) t = trackEnds.length;
    trackEnds[t] = end;
    track[i] = t;
  });
  return { name, annotator, rows, reach, track, tracks: Math.max(1, trackEnds.length) };
}

// First index whose value is at least x, in an ascending sequence read by `at`.
function lowerBound(length, at, x) {
  let low = 0, high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(middle) < x) low = middle + 1; else high = middle;
  }
  return low;
}

// Indices [first, last) of the units of a lane that can reach into [from, to].
function visibleRange(doc, lane, from, to) {
  const first = lowerBound(lane.rows.length, (i) => lane.reach[i], from);
  let last = lowerBound(lane.rows.length, (i) => doc.units.start[lane.rows[i]], to);
  while (last < lane.rows.length && doc.units.start[lane.rows[last]] <= to) last++;
  return [first, last];
}

function categoryOf(doc, row) {
  const code = doc.units.category[row];
  return code < 0 ? null : doc.categories[code];
}

// Which unitary alignments pass the filters; an alignment passes with one unit of a chosen category
// by a chosen annotator.
function passing(model, filter) {
  const { doc, groups } = model;
  return groups.map((group) => {
    if (group.disorder < filter.low || group.disorder > filter.high) return false;
    return group.rows.some((row, a) => row >= 0 && filter.annotators[a]
      && filter.categories[doc.units.category[row] < 0 ? doc.categories.length : doc.units.category[row]]);
  });
}

// Whether positions are counted: nothing is at half a character, but at half a second.
function isCounted(doc) {
  return doc.unit !== "s" && [doc.units.start, doc.units.end].every((all) => all.every(Number.isInteger));
}

// Round tick positions: 1, 2 or 5 times a power of ten, at most `most` of them.
function ticks(from, to, most, least = 0) {
  const raw = Math.max(least, (to - from) / Math.max(1, most));
  if (!(raw > 0)) return [from];
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw);
  const found = [];
  for (let k = Math.ceil(from / step); k * step <= to; k++) found.push(k * step);
  return found;
}

function shortNumber(x) {
  if (x === null || x === undefined) return "∞";
  return String(Number(x.toPrecision(4)));
}

function position(x) {
  return String(Number(x.toPrecision(15)));
}
