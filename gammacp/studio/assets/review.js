"use strict";
// The queue of disagreements. Decisions are made by the server: the page sends what is wanted and
// shows what the journal says. All text reaches the page through textContent.
(() => {
const find = (selector) => document.querySelector(selector);
function made(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== null && child !== ""));
  return element;
}

const items = JSON.parse(find('#decide script[type="application/json"]').textContent);
const asked = find("#questions"), questions = asked ? JSON.parse(asked.querySelector("script").textContent) : [];
const view = find('[data-part="alignment"]').view;
const numbers = new Map(items.map((item, i) => [JSON.stringify([item.document, item.key]), i]));
const numberOf = (row) => numbers.get(JSON.stringify([row.document, row.item]));
const rows = [], underway = new Set();  // what is decided and not yet answered
let standing = new Map(), linked = new Map(), at = 0, begun = false, sending = Promise.resolve();

const reviewer = find("#reviewer");
reviewer.value = localStorage.getItem("gammacp-reviewer") ?? "";
reviewer.addEventListener("input", () => { find("#unnamed").textContent = ""; localStorage.setItem("gammacp-reviewer", reviewer.value.trim()); });

const position = (x) => String(Number(Number(x).toPrecision(15)));
const named = (category) => category ?? "(unlabelled)";
const measure = () => (["s", "ms"].includes(view.model.doc.unit) ? ` ${view.model.doc.unit}` : "");
const spelled = (unit) => `${named(unit.category)} ${position(unit.start)}–${position(unit.end)}${measure()}`;
const isLink = (row) => row.item.startsWith("link-");
const outcome = (row) => (row.kept ? (isLink(row) ? named(row.category) : spelled(row)) : isLink(row) ? "no link" : "no unit");
const colour = () => find('[data-part="colour"]');

// What an annotator has in the unit at hand.
function version(annotator) {
  const row = view.model.groups[items[at].group].rows[annotator], units = view.model.doc.units;
  if (row < 0) return null;
  const code = units.category[row];
  return { row, start: units.start[row], end: units.end[row], category: code < 0 ? null : view.model.doc.categories[code] };
}

function quoted(unit) {
  const text = view.characters.slice(unit.start, unit.end).join("");
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function go(number) {
  if (!items.length) return show();
  at = Math.min(items.length - 1, Math.max(0, number));
  const item = items[at];
  if (view.index !== item.place) {
    const choose = find('[data-part="document"]');
    if (choose) choose.value = String(item.place);
    view.open(item.place);
  }
  view.pin(item.group);
  view.close();
  find("#editor").hidden = true;
  find("#failed").textContent = "";
  show();
}

function show() {
  showLinks();
  if (!items.length) return;
  const item = items[at], row = standing.get(at);
  find("#decide-title").textContent = `Unit ${at + 1} of ${items.length}`;
  find("#why").replaceChildren(made("strong", {}, item.document), `: ${item.reasons.join("; ")}.`,
    row ? made("span", { className: "decided" }, ` ${row.reviewer} decided: ${outcome(row)}.`) : "");
  const merge = find('[data-act="merge"] span');
  merge.textContent = item.open ? "Merge: the category is tied; edit it" : `Merge: ${spelled(item)}${item.kept ? "" : " (left out so far)"}`;
  find("#versions").replaceChildren(...view.model.doc.annotators.map((name, a) => {
    const theirs = version(a);
    const swatch = made("span", { className: "swatch" });
    swatch.style.background = theirs ? view.colours[theirs.row] : "transparent";
    const button = made("button", { type: "button" }, a < 9 ? made("kbd", {}, String(a + 1)) : "", " ", swatch, " ",
      made("strong", {}, name), `: ${theirs ? spelled(theirs) : "no unit"}`,
      theirs && view.characters.length ? made("q", {}, quoted(theirs)) : "");
    button.dataset.act = "take";
    button.dataset.annotator = a;
    button.setAttribute("aria-pressed", String(row?.action === "take" && row.annotator === name));
    return button;
  }));
  const question = questions[item.question];
  if (question) {
    const same = made("button", { type: "button", className: "link" }, question.title);
    Object.assign(same.dataset, { question: item.question, answer: "list" });
    find("#why").append(" ", same);
  }
  showQuestions();
  passage(item);
  for (const figure of document.querySelectorAll("#shapes figure")) {
    figure.hidden = figure.dataset.document !== item.document;
    if (!figure.hidden) figure.querySelectorAll("image").forEach(lay);
  }
  for (const path of document.querySelectorAll("#shapes [data-group]")) {
    const here = path.dataset.group === String(item.group) && path.closest("figure").dataset.document === item.document;
    path.style.strokeWidth = here ? "5" : "";
    path.style.fillOpacity = here ? "0.35" : "";
  }
  hear(item);
  for (const label of document.querySelectorAll("[data-said]")) {
    const found = standing.get(Number(label.dataset.said));
    label.textContent = found ? `✓ ${found.reviewer}` : "";
    label.title = found ? outcome(found) : "";
    label.closest("tr").classList.toggle("here", Number(label.dataset.said) === at);
  }
}

// The image under a drawing, fetched once.
async function lay(image) {
  const address = image.dataset.href;
  delete image.dataset.href;
  const answer = address && await ask(address);
  if (answer?.ok) image.setAttribute("href", URL.createObjectURL(await answer.blob()));
}

function showLinks() {
  for (const button of document.querySelectorAll("[data-link]")) {
    const found = linked.get(JSON.stringify([button.dataset.document, button.dataset.link]));
    const here = found?.action === button.dataset.act && (found.annotator ?? undefined) === button.dataset.annotator;
    button.setAttribute("aria-pressed", String(here));
    if (button.dataset.act !== "drop") continue;
    const label = button.parentElement.querySelector("[data-said-link]");
    label.textContent = found ? `✓ ${found.reviewer}: ${outcome(found)}` : "";
  }
}

// How many units of each question are decided.
const openOf = (question) => question.items.filter(([document, item]) => {
  const number = numberOf({ document, item });
  return number !== undefined && !standing.has(number) && !underway.has(number);
});
function showQuestions() {
  for (const label of document.querySelectorAll("[data-answered]")) {
    const { items: all } = questions[label.dataset.answered], open = openOf(questions[label.dataset.answered]).length;
    label.textContent = open === all.length ? "" : `${open ? "" : "✓ "}${all.length - open} of ${all.length} decided`;
  }
}

// One answer for all units of a question that nobody has decided.
function answer(number, side) {
  const question = questions[number], open = openOf(question);
  if (side === "list") { asked.scrollIntoView(); return; }
  if (side === "look") {
    const [[document, item]] = open.length ? open : question.items;
    go(numberOf({ document, item }));
    find("#decide").scrollIntoView();
    return;
  }
  if (!isNamed()) return;
  if (!open.length) { find("#answered").textContent = "All units of this question are decided: undo, or decide one by one."; return; }
  const body = { request: crypto.randomUUID(), reviewer: reviewer.value.trim(), items: open,
    ...(side === "theirs" ? { action: "take", annotator: question.annotator } : { action: "agree" }) };
  const numbers = open.map(([document, item]) => numberOf({ document, item }));
  numbers.forEach((place) => underway.add(place));
  sending = sending.then(async () => {
    const told = await post(body);
    await read();
    const tied = told.tied ? ` ${told.tied} stay open: their category is tied.` : "";
    tell("");
    find("#answered").replaceChildren(`Saved for ${told.decisions} unit${told.decisions === 1 ? "" : "s"}.${tied} ${question.told[side]} `,
      ...(items.length === standing.size ? rest() : []));
  }).catch((error) => { find("#answered").textContent = `Not saved: ${error.message}`; })
    .finally(() => { numbers.forEach((place) => underway.delete(place)); show(); });
}

// The text around the unit, cut wherever a unit starts or ends; a line of its own per annotator.
function passage(item) {
  const box = find("#passage"), { units, annotators } = view.model.doc;
  box.hidden = find("#lines").hidden = view.characters.length === 0;
  if (box.hidden) return;
  const group = view.model.groups[item.group];
  const from = Math.max(0, Math.floor(group.start) - 160);
  const to = Math.min(view.characters.length, Math.min(Math.ceil(group.end), group.start + 900) + 160);
  const near = [], cuts = new Set([from, to]);
  units.start.forEach((start, row) => {
    if (units.end[row] <= from || start >= to) return;
    near.push(row);
    for (const cut of [start, units.end[row]]) if (cut > from && cut < to) cuts.add(cut);
  });
  const lanes = annotators.map((_, a) => a).filter((a) => near.some((row) => units.annotator[row] === a));
  const places = [...cuts].sort((a, b) => a - b);
  box.style.setProperty("--lanes", lanes.length);
  find("#lines").textContent = `Lines under the text, from the top: ${lanes.map((a) => annotators[a]).join(", ")}.`;
  box.replaceChildren(from > 0 ? "…" : "", ...places.slice(1).map((end, i) => {
    const start = places[i], piece = made("span", {}, view.characters.slice(start, end).join(""));
    const lines = lanes.flatMap((a, lane) => {
      const over = near.filter((row) => units.annotator[row] === a && units.start[row] <= start && units.end[row] >= end);
      const row = over.find((r) => view.model.groupOf[r] === item.group) ?? over[0];
      if (row === undefined) return [];
      const chosen = view.model.groupOf[row] === item.group, hue = view.colours[row];
      return [[chosen ? hue : `color-mix(in srgb, ${hue} 45%, transparent)`, lane, chosen ? 4 : 2]];
    });
    piece.style.backgroundImage = lines.map(([hue]) => `linear-gradient(${hue}, ${hue})`).join(", ");
    piece.style.backgroundPosition = lines.map(([, lane]) => `0 calc(1.35em + ${lane * 6}px)`).join(", ");
    piece.style.backgroundSize = lines.map(([, , height]) => `100% ${height}px`).join(", ");
    if (start >= group.start && end <= group.end) piece.className = "at";
    return piece;
  }), to < view.characters.length ? "…" : "");
}

// The recording, when there is one; of the unit, from its first start to its last end.
const sound = find("#sound");
let until = Infinity;
function hear(item) {
  find("#heard").hidden = !item.heard;
  const address = item.heard ? `./sound?document=${encodeURIComponent(item.document)}` : "";
  if (sound.getAttribute("src") === address) return;
  sound.pause();
  if (address) sound.setAttribute("src", address); else sound.removeAttribute("src");
}
function play() {
  if (!items[at]?.heard) return;
  if (!sound.paused) { sound.pause(); return; }
  const { start, end } = view.model.groups[items[at].group], second = view.model.doc.unit === "ms" ? 1000 : 1;
  sound.currentTime = start / second;
  until = Math.max(end, start + second / 2) / second;  // of a point, half a second
  sound.play().catch((error) => { find("#failed").textContent = `The recording cannot be played: ${error.message}`; });
}
sound.addEventListener("timeupdate", () => { if (sound.currentTime >= until) { until = Infinity; sound.pause(); } });
sound.addEventListener("seeking", () => { if (sound.currentTime > until) until = Infinity; });

// The journal, read on; what stands is the latest that was not undone.
async function read() {
  const after = rows.length ? rows[rows.length - 1].number : 0;
  const answer = await ask(`./decisions?after=${after}`);
  if (!answer.ok) throw new Error((await answer.json()).problem);
  const news = (await answer.json()).decisions.filter((row) => row.number > (rows.at(-1)?.number ?? 0));
  if (!news.length) return;
  rows.push(...news);
  const undone = new Set(rows.map((row) => row.undoes));
  standing = new Map();
  linked = new Map();
  for (const row of rows) {
    const number = numberOf(row);
    if (row.action === "undo" || undone.has(row.number)) continue;
    if (number !== undefined) standing.set(number, row);
    else if (isLink(row)) linked.set(JSON.stringify([row.document, row.item]), row);
  }
  show();
}

// One after the other, each about the unit that was at hand, and with what was there, when it was wanted.
function isNamed() {
  if (reviewer.value.trim()) return true;
  find("#unnamed").textContent = "Enter your name: decisions are saved with it.";
  reviewer.focus();
  return false;
}

function decide(wanted) {
  if (!isNamed()) return;
  const place = at, item = items[at];
  const body = { request: crypto.randomUUID(), reviewer: reviewer.value.trim(), ...wanted };
  if (wanted.action !== "undo" && !wanted.item) {
    Object.assign(body, { document: item.document, item: item.key });
    underway.add(place);
    find("#editor").hidden = true;
    next();  // at once: the next key is about what is shown then
  }
  sending = sending.then(() => send(body)).catch((error) => {
    underway.delete(place);
    if (find("#editor").hidden && wanted.action !== "undo" && !wanted.item) {
      go(place);
      if (wanted.action === "edit") edit(wanted);
    }
    find("#failed").textContent = `Not saved: ${error.message}`;
  }).finally(() => underway.delete(place));
}

async function post(body) {
  const once = () => ask("./decisions", { method: "POST", body: JSON.stringify(body) });
  const found = await once().catch(once);  // a connection that broke; one request is one decision
  const told = await found.json();
  if (!found.ok) throw new Error(told.problem);
  return told;
}

// How much is left; in the end the way to the export.
function rest() {
  const open = items.length - standing.size;
  if (open) return [`${open} ${open > 1 ? "units are" : "unit is"} still open.`];
  return ["All units are decided: ", made("a", { href: "./export" }, "export the gold standard"), "."];
}
function tell(what) { find("#said").replaceChildren(what ? `${what}. ` : "", ...rest()); }

async function send(body) {
  const told = await post(body), before = standing.size;
  await read();
  // Nothing that is answered leads away from an open editor.
  const number = body.action === "undo" ? numberOf(told.decision) : undefined;
  if (find("#editor").hidden && number !== undefined) go(number);
  const undone = before - standing.size;
  const what = body.action === "undo" ? `Undone${undone > 1 ? ` for ${undone} units` : ""}` : `Saved: ${outcome(told.decision)}`;
  if (body.item && isLink(body)) { find("#said").textContent = `${what}.`; return; }
  tell(what);
  if (asked && body.action === "undo") find("#answered").textContent = `${what}.`;
}

function next() {
  for (let i = 1; i <= items.length; i++) {
    const number = (at + i) % items.length;
    if (!standing.has(number) && !underway.has(number)) return go(number);
  }
  return go(at);
}

function edit(of) {
  const form = find("#editor"), item = of ?? (standing.get(at)?.kept ? standing.get(at) : items[at]);
  const step = view.model.counted ? 1 : "any";
  form.hidden = false;
  for (const field of [form.elements.start, form.elements.end]) field.step = step;
  form.elements.start.value = position(item.start);
  form.elements.end.value = position(item.end);
  form.elements.category.value = item.category ?? "";
  find("#categories").replaceChildren(...view.model.doc.categories.map((value) => made("option", { value })));
  preview();
  form.elements.start.focus();
}

function preview() {
  const { start, end } = find("#editor").elements;
  find("#editor output").textContent = view.characters.length ? quoted({ start: Number(start.value), end: Number(end.value) }) : "";
}

find("#editor").addEventListener("input", preview);
find("#editor").addEventListener("submit", (event) => {
  event.preventDefault();
  const { start, end, category } = event.target.elements;
  decide({ action: "edit", start: Number(start.value), end: Number(end.value), category: category.value });
  document.activeElement.blur();
});

const acts = {
  merge: () => (items[at].open ? edit() : decide({ action: "merge" })),
  drop: () => decide({ action: "drop" }), undo: () => decide({ action: "undo" }), edit: () => edit(),
  previous: () => go(at - 1), next: () => go(at + 1), open: next, play,
  leave: () => { find("#editor").hidden = true; },
};
function take(annotator) {
  const name = view.model.doc.annotators[annotator];
  if (name !== undefined) decide({ action: "take", annotator: name });
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-act], [data-item], [data-answer]");
  if (!button) return;
  begun = true;
  if (button.dataset.answer) { answer(Number(button.dataset.question), button.dataset.answer); return; }
  const { link, act, annotator } = button.dataset;
  if (link) decide({ action: act, annotator, document: button.dataset.document, item: link });
  else if (button.dataset.item) { go(Number(button.dataset.item)); find("#decide").scrollIntoView(); }
  else if (button.dataset.act === "take") take(Number(button.dataset.annotator));
  else acts[button.dataset.act]();
});
const KEYS = { p: "play", m: "merge", e: "edit", x: "drop", u: "undo", j: "next", k: "previous", n: "open", ArrowDown: "next", ArrowUp: "previous", ArrowRight: "next", ArrowLeft: "previous" };
document.addEventListener("keydown", (event) => {
  if (event.repeat && event.key === "Enter") event.preventDefault();
  const field = event.target.closest("input:not([type=checkbox]), select, textarea");
  if (event.key === "Escape" && field?.form === find("#editor")) { acts.leave(); field.blur(); }
  if (event.key === "Enter" && field === reviewer) reviewer.blur();
  if (field || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !find("#keys").checked) return;
  if (!items.length) return;
  if (event.repeat && !["next", "previous"].includes(KEYS[event.key])) return;  // a key that is held
  if (/^[1-9]$/.test(event.key)) take(Number(event.key) - 1);
  else if (KEYS[event.key]) acts[KEYS[event.key]]();
  else return;
  begun = true;
  event.preventDefault();
  find("#decide").scrollIntoView({ block: "nearest" });  // keys are about the unit: it is in sight
});

colour().addEventListener("change", show);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
// Links alone are in question: there is no unit at hand.
if (!items.length) for (const part of find("#decide").children) part.hidden = !["said", "failed"].includes(part.id);
go(0);
if (again.back) find("#said").textContent = again.said;
async function watch() {
  try { await read(); } catch { find("#failed").textContent = again.gone; }
  setTimeout(watch, 2000);
}
// The first open unit, unless somebody has gone on before the journal was read.
read().then(() => { if (!begun && standing.has(at)) next(); }).finally(watch);
})();
