"use strict";
// The page of files and choices. Everything it shows is made by the server; what the server says of
// names is put in as text.
const find = (selector) => document.querySelector(selector);

async function send(path, body) {
  const answer = await fetch(path, { method: "POST", body });
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

let busy = false;
async function upload(files) {
  if (busy) return;
  busy = true;
  const refused = find("#refused"), status = find("#uploads");
  refused.replaceChildren();
  let done = 0, hidden = 0;
  for await (const [name, file] of files) {
    if (name.split("/").some((part) => part.startsWith("."))) { hidden++; continue; }
    status.textContent = `${done} files are here, now ${name}`;
    try {
      await send(`./files?name=${encodeURIComponent(name)}`, file);
      done++;
    } catch (error) {
      const line = document.createElement("li");
      line.textContent = error.message;
      refused.append(line);
    }
  }
  const passed = hidden ? `, ${hidden} hidden files passed over` : "";
  status.textContent = `${done} ${done === 1 ? "file is" : "files are"} here${passed}.`;
  busy = false;
  if (done) await act("start");
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
  input.addEventListener("change", () => upload(chosen(Array.from(input.files))));
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-for], button[data-do], button[data-layout]");
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
  const boxes = (name, ticked) => Array.from(form.querySelectorAll(`input[name="${name}"]`))
    .filter((box) => box.checked === ticked).map((box) => box.value);
  const named = (name) => Object.fromEntries(Array.from(form.querySelectorAll(`input[name="${name}"]`))
    .filter((field) => field.value.trim()).map((field) => [field.dataset.of, field.value.trim()]));
  const map = named("map"), rename = named("rename");
  const all = boxes("only", false).length === 0;
  const bounds = text("bounds");
  return {
    format: text("format"), layer: text("layer"), feature: text("feature"), tier: text("tier"),
    layout: text("layout"), dissimilarity: text("dissimilarity"), reference: text("reference"), calibrate: data.has("calibrate"), map, rename,
    only: all ? [] : [...new Set(boxes("only", true).map((name) => map[name] ?? name))],
    round: text("round"),
    exclude: boxes("exclude", false).map((name) => rename[name] ?? name), bounds: bounds && bounds.split(":").map(Number),
    annotators: (text("annotators") ?? "").split(",").map((name) => name.trim()).filter(Boolean),
  };
}
document.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await send("./choice", JSON.stringify(choice(event.target)));
  } catch (error) {
    find("#uploads").textContent = error.message;
  }
  await look();
});

async function look() {
  const now = await (await fetch("./state")).json();
  const live = find("#live"), said = find("#live [role=status]");
  if (live.dataset.version === now.version) {
    if (now.state === "running" && said) said.textContent = `Working: ${now.stage}.`;
    return;
  }
  const page = new DOMParser().parseFromString(await (await fetch("./")).text(), "text/html");
  const focused = document.activeElement?.closest("#live") ? document.activeElement.textContent : null;
  live.replaceWith(document.adoptNode(page.querySelector("#live")));
  if (focused) Array.from(document.querySelectorAll("#live button")).find((b) => b.textContent === focused)?.focus();
}
async function watch() {
  // A server that is gone says so once, and is looked for on.
  try { await look(); } catch { find("#uploads").textContent = "The studio does not answer; is it still running?"; }
  setTimeout(watch, 500);
}
watch();
