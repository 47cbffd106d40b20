// Code, results and stages that are wider than their column scroll; so that keys scroll them too, they take the focus then.
const watch = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth + 1) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const block of document.querySelectorAll(".highlight pre, .cell_output pre, .bp-stage, .bp-chips")) watch.observe(block);

// In a rail that is longer than the screen, the page's own line and its contents are in sight.
const rail = document.querySelector(".sidebar-scroll");
const here = rail?.querySelector(".current-page");
if (here && here.getBoundingClientRect().bottom > innerHeight) {
  rail.scrollTo({ top: here.offsetTop - rail.clientHeight / 4, behavior: "instant" });
}
