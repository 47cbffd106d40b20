// Code and results that are wider than their column scroll; so that keys scroll them too, they take the focus then.
const watch = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth + 1) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const block of document.querySelectorAll(".highlight pre, .cell_output pre")) watch.observe(block);
