// Painting on the canvas. Nothing here knows about events.

const HEIGHT = { axis: 26, track: 20, smallTrack: 9, gap: 26, arcs: 24, text: 26, bottom: 8 };
// Okabe & Ito's colours, which people with colour-vision deficiencies can tell apart.
const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#b8a800", "#7f7f7f"];

function theme(element) {
  const style = getComputedStyle(element);
  const get = (name) => style.getPropertyValue(name).trim();
  return {
    ink: get("--ink"), faint: get("--faint"), line: get("--line"), paper: get("--paper"),
    accent: get("--accent"), dark: get("--scheme") === "dark",
  };
}

function categoryColour(code) {
  if (code < 0) return "#8a8f98";
  return code < PALETTE.length ? PALETTE[code] : `hsl(${(code * 137.508) % 360} 55% 52%)`;
}

function disorderColour(disorder, delta) {
  const x = Math.min(1, disorder / delta);
  // From blue through sand to vermilion: lightness changes little, hue much.
  const stops = [[58, 124, 184], [214, 178, 94], [204, 72, 38]];
  const k = x < 0.5 ? 0 : 1, t = x < 0.5 ? 2 * x : 2 * x - 1;
  const mix = stops[k].map((v, i) => Math.round(v + t * (stops[k + 1][i] - v)));
  return `rgb(${mix.join(",")})`;
}

// Colour of every unit, computed once for each way of colouring: painting asks for it very often.
function unitColours(view) {
  const { doc, groupOf, groups, rank } = view.model;
  return Array.from(groupOf, (g, row) => {
    if (view.colourBy === "category") return categoryColour(doc.units.category[row]);
    if (view.colourBy === "disorder") return disorderColour(groups[g].disorder, doc.delta);
    return `hsl(${(rank[g] * 137.508) % 360} 52% ${view.theme.dark ? 58 : 47}%)`;
  });
}

// Top of each shown lane and of each of its tracks; the canvas' height follows.
function layout(view) {
  // Without a gutter names stand above the lanes, below the axis' labels.
  const arcs = view.model.doc.links ? HEIGHT.arcs : 0;
  let y = HEIGHT.axis + (view.gutter > 8 ? 0 : 16) + arcs;
  const many = Math.max(...view.model.lanes.map((lane) => lane.tracks)) > 4;
  const track = many ? HEIGHT.smallTrack : HEIGHT.track;
  const lanes = view.model.lanes.map((lane) => {
    if (!view.filter.annotators[lane.annotator]) return null;
    const placed = { lane, top: y, track, bottom: y + lane.tracks * track };
    y = placed.bottom + HEIGHT.gap + arcs;
    return placed;
  });
  y -= arcs;
  const text = view.model.doc.text ? y - HEIGHT.gap + 10 : null;
  if (text !== null) y = text + HEIGHT.text + HEIGHT.gap;
  return { lanes, text, height: y - HEIGHT.gap + HEIGHT.bottom + 4 };
}

function xOf(view, place) {
  return view.gutter + (place - view.from) * view.scale;
}

function boxOf(view, placed, i) {
  const row = placed.lane.rows[i];
  const units = view.model.doc.units;
  const x = xOf(view, units.start[row]);
  const width = Math.max(1.5, xOf(view, units.end[row]) - x);
  const y = placed.top + placed.lane.track[i] * placed.track;
  return { row, x, y, width, height: placed.track - 2 };
}

function paint(view) {
  const { context: c, width } = view;
  const plan = view.plan;
  c.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  c.fillStyle = view.theme.paper;
  c.fillRect(0, 0, width, plan.height);
  paintAxis(view);
  c.save();
  c.beginPath();
  c.rect(view.gutter, 0, width - view.gutter, plan.height);
  c.clip();
  const boxes = collect(view);
  paintLinks(view, boxes);
  paintUnits(view, boxes);
  if (view.model.doc.links) paintArcs(view);
  if (plan.text !== null) paintText(view);
  c.restore();
  paintNames(view);
}

// Boxes of what is in the window, by row of the unit. Where several units of a track begin in one
// pixel, the one of the largest disorder stands for them; the chosen one is always there.
function collect(view) {
  const boxes = new Map();
  const { groupOf, groups } = view.model;
  const to = view.from + (view.width - view.gutter) / view.scale;
  for (const placed of view.plan.lanes) {
    if (!placed) continue;
    const [first, last] = visibleRange(view.model.doc, placed.lane, view.from, to);
    const latest = new Array(placed.lane.tracks).fill(null);
    for (let i = first; i < last; i++) {
      const box = boxOf(view, placed, i), track = placed.lane.track[i];
      const before = latest[track], g = groupOf[box.row];
      if (before !== null && box.x + box.width < before.x + 2.5 && g !== view.pinned) {
        if (groups[g].disorder <= groups[groupOf[before.row]].disorder) continue;
        if (groupOf[before.row] !== view.pinned) boxes.delete(before.row);
      }
      boxes.set(box.row, box);
      latest[track] = box;
    }
  }
  return boxes;
}

function paintAxis(view) {
  const { context: c, width } = view;
  const to = view.from + (width - view.gutter) / view.scale;
  c.font = "12px system-ui, sans-serif";
  c.textBaseline = "middle";
  c.textAlign = "center";
  for (const place of ticks(view.from, to, (width - view.gutter) / 90, view.model.counted ? 1 : 0)) {
    const x = Math.round(xOf(view, place)) + 0.5;
    c.strokeStyle = view.theme.line;
    c.beginPath();
    c.moveTo(x, HEIGHT.axis - 6);
    c.lineTo(x, view.plan.height - HEIGHT.bottom);
    c.stroke();
    c.fillStyle = view.theme.faint;
    const label = position(place);
    const half = c.measureText(label).width / 2;
    if (x - half > view.gutter && x + half < width) c.fillText(label, x, 10);
  }
}

function paintLinks(view, boxes) {
  const { context: c, model } = view;
  const seen = new Set();
  for (const row of boxes.keys()) seen.add(model.groupOf[row]);
  const chosen = view.pinned ?? view.hovered;
  for (const g of seen) {
    const placed = [];
    model.groups[g].rows.forEach((row, a) => {
      const lane = view.plan.lanes[a];
      if (row < 0 || !lane) return;
      placed.push(boxes.get(row) ?? boxOf(view, lane, model.slot[row]));
    });
    const strong = g === chosen || g === view.hovered;
    c.globalAlpha = !view.passes[g] ? 0.03 : strong ? 0.6 : 0.22;
    for (let i = 1; i < placed.length; i++) {
      const above = placed[i - 1], below = placed[i];
      c.fillStyle = view.colours[above.row];
      if (above.width < 3 && below.width < 3 && Math.abs(above.x - below.x) < 3) {
        const y = above.y + above.height;
        c.fillRect((above.x + below.x) / 2, y, 1.5, below.y - y);
        continue;
      }
      c.beginPath();
      c.moveTo(above.x, above.y + above.height);
      c.lineTo(above.x + above.width, above.y + above.height);
      c.lineTo(below.x + below.width, below.y);
      c.lineTo(below.x, below.y);
      c.fill();
    }
  }
  c.globalAlpha = 1;
}

// Each annotator's own links, over the lane; directed ones have a head, bonds of chains are dashed.
function paintArcs(view) {
  const { context: c, model } = view;
  const { source, target, kind, type, types } = model.doc.links;
  const chosen = [view.pinned, view.hovered];
  c.font = "11px system-ui, sans-serif";
  c.textAlign = "center";
  c.textBaseline = "bottom";
  source.forEach((row, k) => {
    const lane = view.plan.lanes[model.doc.units.annotator[row]];
    if (!lane) return;
    const ends = [row, target[k]].map((r) => boxOf(view, lane, model.slot[r]));
    const [from, to] = ends.map((box) => box.x + box.width / 2);
    if (Math.max(from, to) < view.gutter || Math.min(from, to) > view.width) return;
    const groups = [row, target[k]].map((r) => model.groupOf[r]);
    const strong = groups.some((g) => chosen.includes(g));
    c.globalAlpha = !groups.some((g) => view.passes[g]) ? 0.06 : strong ? 1 : 0.55;
    const rise = Math.min(HEIGHT.arcs + 12, 12 + Math.abs(to - from) / 6);
    const top = Math.min(ends[0].y, ends[1].y) - rise, middle = (from + to) / 2;
    c.strokeStyle = c.fillStyle = view.theme.ink;
    c.lineWidth = strong ? 2 : 1;
    c.setLineDash(kind[k] === "chain" ? [3, 3] : []);
    c.beginPath();
    c.moveTo(from, ends[0].y);
    c.quadraticCurveTo(middle, top, to, ends[1].y);
    c.stroke();
    c.setLineDash([]);
    if (kind[k] === "directed") {
      const angle = Math.atan2(ends[1].y - top, to - middle);
      c.beginPath();
      c.moveTo(to, ends[1].y);
      for (const turn of [-0.45, 0.45]) {
        c.lineTo(to - 7 * Math.cos(angle + turn), ends[1].y - 7 * Math.sin(angle + turn));
      }
      c.fill();
    }
    const shown = strong || Math.abs(to - from) > 60 ? fitted(c, types[type[k]], Math.abs(to - from)) : "";
    if (shown) c.fillText(shown, middle, (top + Math.min(ends[0].y, ends[1].y)) / 2);
  });
  c.globalAlpha = 1;
  c.lineWidth = 1;
}

function paintUnits(view, boxes) {
  const { context: c, model } = view;
  c.textAlign = "left";
  c.textBaseline = "middle";
  c.font = "12px system-ui, sans-serif";
  for (const box of boxes.values()) {
    const g = model.groupOf[box.row];
    const alone = model.groups[g].size === 1;
    c.globalAlpha = view.passes[g] ? 1 : 0.12;
    c.fillStyle = view.colours[box.row];
    if (alone && box.width > 4) {
      // A unit that nobody else marked is hollow: recognisable without colour.
      c.globalAlpha *= 0.25;
      c.fillRect(box.x, box.y, box.width, box.height);
      c.globalAlpha = view.passes[g] ? 1 : 0.12;
      c.strokeStyle = c.fillStyle;
      c.setLineDash([4, 3]);
      c.strokeRect(box.x + 0.75, box.y + 0.75, box.width - 1.5, box.height - 1.5);
      c.setLineDash([]);
    } else {
      c.fillRect(box.x, box.y, box.width, box.height);
    }
    // What lies between the fragments of a unit: a line that holds them together.
    for (const [from, to] of model.doc.units.gaps[box.row] ?? []) {
      const x = xOf(view, from), gap = xOf(view, to) - x, line = Math.min(3, box.height / 3);
      c.globalAlpha = 1;
      c.fillStyle = view.theme.paper;
      c.fillRect(x, box.y - 1, gap, box.height + 2);
      c.globalAlpha = view.passes[g] ? 1 : 0.12;
      c.fillStyle = view.colours[box.row];
      c.fillRect(x, box.y + (box.height - line) / 2, gap, line);
    }
    if (g === view.pinned || g === view.hovered) {
      c.strokeStyle = view.theme.ink;
      c.lineWidth = g === view.pinned ? 2.5 : 1.5;
      c.strokeRect(box.x, box.y, box.width, box.height);
      c.lineWidth = 1;
    }
    const label = categoryOf(model.doc, box.row);
    const [, end] = fragmentsOf(model.doc, box.row)[0];
    const first = { ...box, width: Math.min(box.width, xOf(view, end) - box.x) };
    if (label !== null && first.width > 22 && box.height > 12) {
      paintLabel(view, first, label, alone);
    }
  }
  c.globalAlpha = 1;
}

function paintLabel(view, box, label, alone) {
  const c = view.context;
  // A long unit that begins left of the window keeps its label in sight.
  const x = Math.max(box.x, view.gutter) + 4;
  const room = box.x + box.width - x - 3;
  const shown = fitted(c, label, room);
  if (!shown) return;
  c.fillStyle = alone ? view.theme.ink : "#fff";
  if (!alone) {
    c.shadowColor = "rgba(0,0,0,.65)";
    c.shadowBlur = 2;
  }
  c.fillText(shown, x, box.y + box.height / 2 + 0.5);
  c.shadowBlur = 0;
}

function fitted(c, label, room) {
  if (c.measureText(label).width <= room) return label;
  for (let k = Math.min(label.length - 1, Math.floor(room / 5)); k > 0; k--) {
    const cut = `${label.slice(0, k)}…`;
    if (c.measureText(cut).width <= room) return cut;
  }
  return "";
}

function paintText(view) {
  const { context: c, model } = view;
  const characters = view.characters;
  const to = view.from + (view.width - view.gutter) / view.scale;
  const y = view.plan.text + HEIGHT.text / 2;
  c.fillStyle = view.theme.ink;
  c.textBaseline = "middle";
  if (view.scale < 4.5) {
    if (view.root.classList.contains("printing")) return;
    c.fillStyle = view.theme.faint;
    c.textAlign = "left";
    c.font = "12px system-ui, sans-serif";
    c.fillText("Zoom in to read the text here", view.gutter + 4, y);
    return;
  }
  c.font = `${Math.min(20, view.scale * 1.65)}px ui-monospace, monospace`;
  c.textAlign = "center";
  const first = Math.max(0, Math.floor(view.from)), last = Math.min(characters.length, Math.ceil(to));
  for (let i = first; i < last; i++) {
    const glyph = characters[i] === "\n" ? "¶" : characters[i].length > 2 ? "\ufffd" : characters[i];
    if (glyph.trim()) c.fillText(glyph, xOf(view, i + 0.5), y);
  }
}

function paintNames(view) {
  const c = view.context;
  c.font = "13px system-ui, sans-serif";
  c.textAlign = "left";
  c.textBaseline = "middle";
  c.fillStyle = view.theme.ink;
  for (const placed of view.plan.lanes) {
    if (!placed) continue;
    // On narrow screens the gutter is gone and names stand above their lanes.
    if (view.gutter > 8) {
      const y = placed.top + Math.min(placed.bottom - placed.top, 2 * HEIGHT.track) / 2;
      c.fillText(fitted(c, placed.lane.name, view.gutter - 12), 4, y);
    } else {
      const name = fitted(c, placed.lane.name, view.width - 8);
      c.strokeStyle = view.theme.paper;
      c.lineWidth = 3;
      c.strokeText(name, 4, placed.top - 9);
      c.lineWidth = 1;
      c.fillText(name, 4, placed.top - 9);
    }
  }
}

// The whole continuum at a glance: how much disorder where, and which part is in the window.
function paintOverview(view) {
  const { overview: c, width, model } = view;
  const height = 34;
  const [low, high] = view.limits;
  const left = view.gutter, room = width - view.gutter;
  c.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  c.fillStyle = view.theme.paper;
  c.fillRect(0, 0, width, height);
  const bins = new Float64Array(Math.max(1, Math.floor(room / 3)));
  for (const group of model.groups) {
    if (!view.passes[group.index]) continue;
    const place = (group.start + group.end) / 2;
    const bin = Math.floor(((place - low) / (high - low)) * (bins.length - 1));
    bins[Math.max(0, bin)] = Math.max(bins[Math.max(0, bin)], group.disorder);
  }
  bins.forEach((disorder, i) => {
    if (!disorder) return;
    const h = Math.max(3, Math.min(1, disorder / model.doc.delta) * (height - 8));
    c.fillStyle = disorderColour(disorder, model.doc.delta);
    c.fillRect(left + i * (room / bins.length), height - 3 - h, 2, h);
  });
  const a = left + ((view.from - low) / (high - low)) * room;
  const b = a + ((width - view.gutter) / view.scale / (high - low)) * room;
  c.strokeStyle = view.theme.accent;
  c.lineWidth = 2;
  c.strokeRect(a + 1, 1, Math.max(4, b - a - 2), height - 2);
  c.lineWidth = 1;
}
