// Puts the SVG itself in the place of its still image, so that it follows the colours of the page.
for (const place of document.querySelectorAll(".bp-picture:not([data-mounted])")) {
  place.dataset.mounted = "yes";
  const still = place.querySelector("img");
  if (still) { // else the page has the SVG itself
    const bytes = Uint8Array.from(atob(still.src.split(",")[1]), (character) => character.charCodeAt(0));
    const drawing = new DOMParser().parseFromString(new TextDecoder().decode(bytes), "image/svg+xml").documentElement;
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", still.alt);
    drawing.classList.remove("bp-still");
    const own = `bp-${Math.random().toString(36).slice(2)}`; // its rules are not all that others in the page need: for it alone
    drawing.classList.add(own);
    for (const style of drawing.querySelectorAll("style")) style.textContent = style.textContent.replace(/\.bp(?![\w-])/g, `.bp.${own}`);
    still.replaceWith(document.importNode(drawing, true));
  }
  new ResizeObserver(() => { // now, and where a fold around it is opened later
    if (place.scrollWidth > place.clientWidth + 1) place.tabIndex = 0; // so that keys scroll it
    else place.removeAttribute("tabindex");
  }).observe(place);
}
