// A studio that is started again has another address. Its page tells it to those that are still open
// at the old one in this browser, and they go on there.
const again = (() => {
  const channel = new BroadcastChannel("gammacp-studio"), [, token] = location.pathname.split("/");
  const known = { folder: null, back: location.hash === "#again" };
  async function state() {
    const answer = await fetch("./state");
    if (!answer.ok) throw new Error("it was started again, or closed");
    const told = await answer.json();
    known.folder = told.folder;  // with every answer: whoever asked first need not be told first
    return told;
  }
  state().then(({ folder }) => channel.postMessage({ folder, token }), () => {});
  channel.addEventListener("message", async ({ data }) => {
    if (data.token === token || data.folder !== known.folder) return;
    await state().catch(() => location.replace(location.pathname.replace(token, data.token) + "#again"));
  });
  if (known.back) history.replaceState(null, "", location.pathname);
  return Object.assign(known, {
    state,
    said: "The studio was restarted; this page goes on where it was.",
    gone: "The studio does not answer. Everything that was saved is safe. Start it again for the same folder, and this page goes on.",
  });
})();
