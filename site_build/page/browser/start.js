// Before anything of JupyterLite is fetched the service worker is asked to take over, so that it sees the first visit.
// The page waits for it no longer than PATIENCE; where there is none, as in some private windows, it just goes on.

(() => {
  const PATIENCE = 3000;
  const version = document.currentScript.dataset.version;
  const ready = new Promise((resolve) => { document.addEventListener("DOMContentLoaded", resolve); });

  async function controlled(workers) {
    const address = new URL("../service-worker.js?enableCache=false", location); // as JupyterLite itself names it
    try {
      localStorage.setItem(`${address}-version`, version); // else JupyterLite takes it for an old one's, and out
      const changed = new Promise((resolve) => { workers.addEventListener("controllerchange", resolve, { once: true }); });
      await workers.register(address);
      if (!workers.controller) await Promise.race([changed, new Promise((resolve) => { setTimeout(resolve, PATIENCE); })]);
    } catch {
      // then without: the page works, but only with the network
    }
  }

  window.backpropReady = Promise.all([ready, navigator.serviceWorker && controlled(navigator.serviceWorker)]);
})();
