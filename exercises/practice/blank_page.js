// Shows how many of the fifteen minutes have passed.
for (const place of document.querySelectorAll(".bp-clock:not([data-mounted])")) {
  place.dataset.mounted = "yes";
  const show = () => {
    const minutes = Math.max(0, Math.floor((Date.now() - Number(place.dataset.begun)) / 60000));
    place.textContent = `${place.dataset.says} ${minutes} of ${place.dataset.minutes} minutes.`;
    if (!place.isConnected) clearInterval(timer);
  };
  const timer = setInterval(show, 5000);
  show();
}
