// Before anything of JupyterLite is fetched the service worker is asked to take over, so that it sees the first visit.
// The page waits for it no longer than PATIENCE; where there is none, as in some private windows, it just goes on. If the
// course was built anew since the last visit, the page begins again, so that all of it is of one build.

(() => {
  const PATIENCE = 3000;
  const version = document.currentScript.dataset.version;
  const ready = new Promise((resolve) => { document.addEventListener("DOMContentLoaded", resolve); });

  const late = () => new Promise((resolve) => { setTimeout(resolve, PATIENCE); });

  async function controlled(workers) {
    const before = workers.controller;
    const address = new URL("../service-worker.js?enableCache=false", location); // as JupyterLite itself names it
    try {
      localStorage.setItem(`${address}-version`, version); // else JupyterLite takes it for an old one's, and out
      const changed = new Promise((resolve) => { workers.addEventListener("controllerchange", resolve, { once: true }); });
      const registration = await workers.register(address);
      if (before) await Promise.race([registration.update(), late()]);
      if (!workers.controller || registration.installing || registration.waiting) await Promise.race([changed, late()]);
      if (before && workers.controller !== before) location.reload();
    } catch {
      // then without: the page works, but only with the network
    }
  }

  window.backpropReady = Promise.all([ready, navigator.serviceWorker && controlled(navigator.serviceWorker)]);
})();
