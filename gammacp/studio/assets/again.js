// An answer counts only with an HMAC under the page's key, which is in no request: once the studio has
// ended, anybody on the machine can take its port and answer. Nothing is sent there either: what
// changes something first asks who listens.
const ask = (() => {
  const holder = document.getElementById("key"), utf8 = new TextEncoder();
  const key = crypto.subtle.importKey("raw", utf8.encode(holder.dataset.key), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  holder.remove();
  const bytes = (digits) => Uint8Array.from(digits.match(/[0-9a-f]{2}/g) ?? [], (pair) => parseInt(pair, 16));
  return async function ask(path, how = {}) {
    if (how.method === "POST") await ask("./state");
    const nonce = crypto.randomUUID();
    const answer = await fetch(path, { ...how, headers: { "gammacp-nonce": nonce } });
    const { status, statusText, headers } = answer, body = await answer.arrayBuffer();
    const signed = await new Blob([`${nonce}\n${status}\n`, body]).arrayBuffer();
    if (!await crypto.subtle.verify("HMAC", await key, bytes(headers.get("gammacp-proof") ?? ""), signed)) {
      throw new Error("the answer does not come from this studio");
    }
    return new Response(body, { status, statusText, headers });
  };
})();
// A studio that is started again has another address. Its page tells it to those that are still open
// at the old one in this browser, and they go on there.
const again = (() => {
  const channel = new BroadcastChannel("gammacp-studio"), [, token] = location.pathname.split("/");
  let leaving = false;
  const known = { folder: null, back: location.hash === "#again" };
  async function state() {
    const answer = await ask("./state");
    if (!answer.ok) throw new Error("it was started again, or closed");
    const told = await answer.json();
    known.folder = told.folder;  // with every answer: whoever asked first need not be told first
    return told;
  }
  state().then(({ folder }) => channel.postMessage({ folder, token }), () => {});
  channel.addEventListener("message", async ({ data }) => {
    if (data.token === token || data.folder !== known.folder || leaving) return;
    await state().catch(() => {
      if (leaving) return;  // each page that is open there says the same, and a second move breaks the first off
      leaving = true;
      location.replace(location.pathname.replace(token, data.token) + "#again");
    });
  });
  if (known.back) history.replaceState(null, "", location.pathname);
  return Object.assign(known, {
    state,
    said: "The studio was restarted; this page goes on where it was.",
    gone: "The studio does not answer. Everything that was saved is safe. Start it again for the same folder, and this page goes on.",
  });
})();
