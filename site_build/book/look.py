"""The part of the book's look that is not a style sheet: the labs' colours for pages and code, contents in the rail."""

import re

from pygments.style import Style
from pygments.token import Comment, Keyword, Name, Number, Operator, String

from figures.page.style import PAPER, blocks, style_sheet

WHERE = {"light": ".bp", "dark": '[data-theme="dark"] .bp'}  # the rule of the labs' sheet that holds the colours
BESIDE = {  # what pages need besides the labs' colours: cards, fine lines, weak text, and what the pointer is over
    "light": {"card": "#ffffff", "rule": "#e2ddd2", "muted": "#6b6d72", "over": "#ece7dd"},
    "dark": {"card": "#1b1e23", "rule": "#343942", "muted": "#9a9da3", "over": "#2b3038"},
}
FURO = {  # furo's names for them
    "paper": ("background-primary", "sidebar-search-background", "sidebar-search-background--focus"),
    "wash": ("background-secondary", "inline-code-background", "code-background"),
    "over": ("background-hover", "sidebar-item-background--current"),
    "card": ("card-background", "admonition-background"),
    "rule": ("background-border", "background-item", "card-border", "table-border"),
    "ink": ("foreground-primary", "code-foreground", "api-name", "api-keyword"),
    "soft": ("foreground-secondary", "sidebar-link-text--top-level", "api-pre-name"),
    "muted": ("foreground-muted", "foreground-border"),
    "data": ("brand-primary", "brand-content", "brand-visited"),
    "grad": ("toc-item-text--active", "problematic"),
    "grad-wash": ("highlight-on-target",),
    "data-wash": ("highlighted-background",),
}
IMAGE = re.compile(r'<img ((?:(?!width=|src=)[^>])*)src="([^":]+\.svg)"')
AWAIT = """<script>{
  const { fonts, documentElement: { classList } } = document;
  classList.add("awaits");
  const faces = ["1em 'Course Serif'", "italic 1em 'Course Serif'", "bold 1em 'Course Serif'",
    "1em 'Course Sans'", "1em 'Course Mono'"];
  const late = new Promise((done) => { setTimeout(done, 1000); });
  const all = Promise.allSettled(faces.map((face) => fonts.load(face)));
  Promise.race([all, late]).then(() => classList.remove("awaits"));
}</script>"""  # a script waits for the style sheets before it, so the faces are known
PRELOAD = """<script>if (location.protocol !== "file:") {{
  for (const name of ["serif", "serif-bold", "serif-italic", "sans", "mono"]) {{
    const font = {{ rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href: `{folder}${{name}}.woff2` }};
    document.head.append(Object.assign(document.createElement("link"), font));
  }}
}}</script>"""  # a page that is opened as a file needs none, and a browser refuses it
CURRENT = re.compile(r'(<li class="[^"]*\bcurrent-page\b[^"]*"><a [^>]*>.*?</a>)', re.DOTALL)


def colours(theme):
    """Return the colours of the pages, "light" or "dark", by name: those of the labs' style sheet, and BESIDE."""
    sheet = re.sub(r"/\*.*?\*/", "", style_sheet(), flags=re.DOTALL)
    body = next(body for selectors, body in blocks(sheet) if selectors.split(", ")[-1] == WHERE[theme])
    found = dict(re.findall(r"--bp-([\w-]+): (?:var\([^,)]*, )?(#\w+)", body))
    return {**found, **BESIDE[theme], "paper": PAPER[theme]}


def variables(theme):
    """Return the colours as CSS variables: for the book's own sheet, and for furo."""
    found = colours(theme)
    furo = {f"color-{name}": f"var(--book-{colour})" for colour, names in FURO.items() for name in names}
    return {**{f"book-{name}": colour for name, colour in found.items()}, **furo}


def inks(theme):
    """Return the colours of code: keywords as data, strings as what is right, numbers as gradients."""
    found = colours(theme)
    return {
        **{Keyword: found["data"], Operator.Word: found["data"], Name.Decorator: found["data"]},
        **{Number: found["grad"], Keyword.Constant: found["grad"], String: found["right"]},
        Comment: found["soft"],
    }


class Light(Style):
    """Code on light paper."""

    background_color, styles = colours("light")["wash"], inks("light")


class Dark(Style):
    """Code in the dark."""

    background_color, styles = colours("dark")["wash"], inks("dark")


def settled(html, folder):
    """Return a page in which nothing moves once it is seen: it waits for its fonts, and has its SVG files' sizes."""

    def size(found):
        drawn = (folder / found[2]).read_text(encoding="utf-8")
        width, height = map(float, re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"', drawn).groups())
        wide = "data-wide " if width > 3 * height else ""
        return f'<img {wide}width="{width:.0f}" height="{height:.0f}" loading="lazy" {found[1]}src="{found[2]}"'

    return IMAGE.sub(size, html).replace("<body>", f"<body>\n{AWAIT}", 1)


def with_contents(app, pagename, templatename, context, doctree):
    """Put the contents of a page into the rail, under its name: this leaves room for labs at the right."""
    if not context.get("furo_hide_toc", True):
        inside = f'<div class="toc-scroll toc-tree">{context["toc"]}</div>'
        rail = CURRENT.sub(lambda found: found[0] + inside, context["furo_navigation_tree"], count=1)
        context["furo_navigation_tree"] = rail
        context["furo_hide_toc"] = True


def with_fonts(app, pagename, templatename, context, doctree):
    """Preload a page's fonts."""
    folder = context["pathto"]("_static/fonts/", 1)
    context["metatags"] = context.get("metatags", "") + PRELOAD.format(folder=folder)


def with_dark_code(app):
    """Set furo's style of dark code, after furo has made the setting and before furo reads it."""
    app.config.pygments_dark_style = f"{__name__}.Dark"


def setup(app):
    """Register with Sphinx; after furo, which makes the rail at the usual priority, 500."""
    app.connect("builder-inited", with_dark_code, priority=100)
    app.connect("html-page-context", with_contents, priority=900)
    app.connect("html-page-context", with_fonts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
