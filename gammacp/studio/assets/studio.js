"use strict";
// The page of files and choices. Everything it shows is made by the server; what the server says of
// names is put in as text.
const find = (selector) => document.querySelector(selector);

async function send(path, body) {
  const answer = await ask(path, { method: "POST", body });
  if (answer.ok) return answer.json();
  const told = await answer.json().catch(() => ({ problem: `${answer.status} ${answer.statusText}` }));
  throw new Error(told.problem);
}

// Files with their place in what was dropped.
async function* entries(items) {
  for (const item of items) {
    if (item.isFile) yield [item.fullPath.slice(1), await new Promise((ok, no) => item.file(ok, no))];
    if (!item.isDirectory) continue;
    const reader = item.createReader();
    for (;;) {
      const some = await new Promise((ok, no) => reader.readEntries(ok, no));
      if (!some.length) break;
      yield* entries(some);
    }
  }
}

async function* chosen(files) {
  for (const file of files) yield [file.webkitRelativePath || file.name, file];
}

const BATCH = { files: 500, bytes: 8 << 20 };  // of a request: one for each file would take minutes
const SHOWN = 20;  // files that are refused, one by one
const few = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
let busy = null;
// Names and sizes in a line, then the contents one after the other; what became of each.
async function sendFiles(batch, signal) {
  const announced = JSON.stringify({ files: batch.map(([name, file]) => [name, file.size]) });
  const body = new Blob([announced, "\n", ...batch.map(([, file]) => file)]);
  try {
    const answer = await ask("./files", { method: "POST", body, signal });
    const told = await answer.json();
    return answer.ok ? told.files : batch.map(() => told);
  } catch (error) {
    if (signal.aborted) throw error;
    if (batch.length > 1) {  // one that cannot be read keeps all from being sent
      const half = batch.length >> 1;
      return [...await sendFiles(batch.slice(0, half), signal), ...await sendFiles(batch.slice(half), signal)];
    }
    await again.state();  // throws if it is the studio that is gone
    return [{ problem: `${batch[0][0]}: the browser cannot read this file` }];
  }
}

function* batches(files) {
  let batch = [], size = 0;
  for (const entry of files) {
    if (batch.length && (batch.length === BATCH.files || size + entry[1].size > BATCH.bytes)) {
      yield batch;
      batch = [], size = 0;
    }
    batch.push(entry);
    size += entry[1].size;
  }
  if (batch.length) yield batch;
}

async function upload(files) {
  if (busy) return;
  busy = new AbortController();
  const refused = find("#refused"), status = find("#uploads"), bar = find("#bar"), stop = find("#stop");
  const wanted = [], problems = [];
  let done = 0, sent = 0, hidden = 0, ended = "";
  refused.replaceChildren();
  for (const part of [bar, stop]) part.hidden = false;
  bar.removeAttribute("value");
  try {
    for await (const entry of files) {
      busy.signal.throwIfAborted();
      if (entry[0].split("/").some((part) => part.startsWith("."))) hidden++;
      else if (wanted.push(entry) % 100 === 0) status.textContent = `Found ${wanted.length} files.`;
    }
    bar.max = wanted.length;
    for (const batch of batches(wanted)) {
      status.textContent = `Copying: ${sent} of ${few(wanted.length, "file")}.`;
      bar.value = sent;
      for (const { problem } of await sendFiles(batch, busy.signal)) {
        if (problem) problems.push(problem); else done++;
      }
      sent += batch.length;
    }
  } catch (error) {
    ended = busy.signal.aborted ? "Cancelled: " : "The studio does not answer: ";
  }
  for (const part of [bar, stop]) part.hidden = true;
  const passed = hidden ? `; ${few(hidden, "hidden file was", "hidden files were")} skipped` : "";
  const here = ended ? `${done} of ${few(wanted.length, "file")}` : few(done, "file");
  const added = done || ended ? `${here} ${done === 1 ? "is" : "are"} here` : "No file was added";
  status.textContent = `${ended}${added}${passed}.`;
  const more = problems.length - SHOWN;
  const lines = more > 0 ? [...problems.slice(0, SHOWN), `… and ${few(more, "more file was", "more files were")} refused.`] : problems;
  refused.replaceChildren(...lines.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  busy = null;
  if (done && !ended) await act("read");
}

async function act(what) {
  try { await send(`./run/${what}`); } catch (error) { find("#uploads").textContent = error.message; }
  await look();
}

const drop = find("#drop");
addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.classList.remove("over"); });
addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const items = Array.from(event.dataTransfer.items, (item) => item.webkitGetAsEntry());
  upload(items.every(Boolean) ? entries(items) : chosen(event.dataTransfer.files));
});
for (const id of ["files", "folder"]) {
  const input = document.getElementById(id);
  input.tabIndex = -1;
  input.addEventListener("change", () => {
    upload(chosen(Array.from(input.files)));
    input.value = "";  // the same ones can be chosen again
  });
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-for], button[data-do], button[data-layout]");
  if (event.target.closest("#stop")) busy?.abort();
  if (!button) return;
  if (button.dataset.layout) {
    const form = find("#choosing");
    form.elements.layout.value = button.dataset.layout;
    form.requestSubmit();
    return;
  }
  if (button.dataset.for) document.getElementById(button.dataset.for).click();
  else act(button.dataset.do);
});

// What is ticked and written, as the server takes it.
function choice(form) {
  const data = new FormData(form), text = (name) => data.get(name) || null;
  const listed = (name) => (text(name) ?? "").split(",").map((entry) => entry.trim()).filter(Boolean);
  const boxes = (name, ticked) => Array.from(form.querySelectorAll(`input[name="${name}"]`))
    .filter((box) => box.checked === ticked).map((box) => box.value);
  const named = (name) => Object.fromEntries(Array.from(form.querySelectorAll(`input[name="${name}"]`))
    .filter((field) => field.value.trim()).map((field) => [field.dataset.of, field.value.trim()]));
  const columns = Object.fromEntries(Array.from(form.querySelectorAll('select[name^="columns-"]'))
    .filter((field) => field.value).map((field) => [field.name.slice("columns-".length), field.value]));
  const map = named("map"), rename = named("rename");
  const all = boxes("only", false).length === 0;
  const bounds = text("bounds");
  return {
    format: text("format"), layer: text("layer"), feature: text("feature"), tier: text("tier"),
    layout: text("layout"), columns, dissimilarity: text("dissimilarity"), reference: text("reference"), calibrate: data.has("calibrate"), map, rename,
    only: all ? [] : [...new Set(boxes("only", true).map((name) => map[name] ?? name))],
    round: text("round"),
    exclude: boxes("exclude", false).map((name) => rename[name] ?? name), bounds: bounds && bounds.split(":").map(Number),
    annotators: listed("annotators"), measures: listed("measures"),
  };
}
// What was typed and ticked and not yet sent. The form comes anew from the server while it works, and
// after a restart; what is here is put into it again.
const edited = new Map();
const fieldOf = (f) => JSON.stringify([f.name, f.dataset.of ?? (f.type === "checkbox" ? f.value : "")]);
function putBack() {
  for (const field of find("#choosing")?.elements ?? []) {
    const value = edited.get(fieldOf(field));
    if (value === undefined) continue;
    if (field.type === "checkbox") field.checked = value;
    else if (!field.options || Array.from(field.options).some((o) => o.value === value)) field.value = value;
  }
  const unsent = find("#unsent");
  if (unsent) unsent.textContent = edited.size ? "Changed, not computed yet." : "";
}
document.addEventListener("input", ({ target }) => {
  if (target.form?.id !== "choosing") return;
  edited.set(fieldOf(target), target.type === "checkbox" ? target.checked : target.value);
  putBack();
});
const KEPT = "gammacp-edited";
addEventListener("pagehide", () => {
  if (edited.size) sessionStorage.setItem(KEPT, JSON.stringify([again.folder, [...edited]]));
});
function takeUp() {
  const [folder, kept] = JSON.parse(sessionStorage.getItem(KEPT) ?? "[null, []]");
  sessionStorage.removeItem(KEPT);
  if (folder === again.folder) for (const [field, value] of kept) edited.set(field, value);
  putBack();
}

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const sent = [...edited];
  edited.clear();
  try {
    await send("./choice", JSON.stringify(choice(event.target)));
  } catch (error) {
    for (const [field, value] of sent) if (!edited.has(field)) edited.set(field, value);
    find("#uploads").textContent = error.message;
  }
  putBack();
  await look();
});

const WORKING = ["running", "paused", "cancelled"];
// The stage in words; the bar says how far it is where the stage counts.
function working(said, stage) {
  said.textContent = `Working: ${stage}.`;
  const bar = find("#live progress"), counted = /^(\d+) of (\d+)\b/.exec(stage);
  if (!counted) bar.removeAttribute("value");
  else [bar.max, bar.value] = [counted[2], counted[1]];
}
let lost = null;  // the field that had the focus when the form went: it comes back with the form
async function look() {
  const now = await again.state();
  const live = find("#live"), said = find("#live [role=status]");
  if (live.dataset.version === now.version) {
    if (now.state === "running" && said) working(said, now.stage);
    return;
  }
  const page = new DOMParser().parseFromString(await (await ask("./")).text(), "text/html");
  const active = document.activeElement, old = active?.closest("#live") ? active : null;
  const opened = new Set(Array.from(live.querySelectorAll("details[open] > summary"), nameOf));
  const held = old?.form && [fieldOf(old), old.type === "text" ? [old.selectionStart, old.selectionEnd] : null];
  const at = held || (!old && active === document.body ? lost : null);
  const fresh = document.adoptNode(page.querySelector("#live")), form = find("#choice");
  if (form && WORKING.includes(fresh.dataset.state) && !fresh.querySelector("#choice")) {
    // What is read has no form yet. The last one stays until the next is there, and is not even moved:
    // it would lose the focus, and with it the keys that are typed meanwhile.
    for (const part of Array.from(live.childNodes)) if (part !== form) part.remove();
    live.prepend(...fresh.childNodes);
    Object.assign(live.dataset, fresh.dataset);
    return;
  }
  live.replaceWith(fresh);
  for (const summary of document.querySelectorAll("#live summary")) summary.parentElement.open ||= opened.has(nameOf(summary));
  putBack();
  const field = at && Array.from(find("#choosing")?.elements ?? []).find((f) => f.name && fieldOf(f) === at[0]);
  lost = field ? null : at;
  const next = field || (old && Array.from(document.querySelectorAll("#live button")).find((b) => b.textContent === old.textContent));
  next?.focus();
  if (field && at[1]) field.setSelectionRange(...at[1]);
}
const nameOf = (summary) => summary.textContent.replace(/\d+/g, "");
let begun = false;
async function watch() {
  // A server that is gone says so once, and is looked for on.
  try {
    await look();
    if (!begun) takeUp();
    if (!begun && again.back) find("#uploads").textContent = again.said;
    begun = true;
  } catch {
    find("#uploads").textContent = again.gone;
  }
  setTimeout(watch, 500);
}
watch();
