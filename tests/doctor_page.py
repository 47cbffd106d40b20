"""A visitor to the page "Is your engine right?", who chooses and drops files; and what those files say."""

from tests import site_page
from tests.engines import CLOSURES, swapped

RIGHT = CLOSURES
WRONG = swapped(
    *(
        CLOSURES,
        ["import math\n", "import math\n\nfrom helpers import ONE\n"],
        ["self.grad = 1.0\n", "self.grad = ONE\n"],
    ),
    *(["self.grad += other.data", "self.grad = other.data"], ["other.grad += self.data", "other.grad = self.data"]),
)
ENDLESS = swapped(CLOSURES, ["def backward(self):\n", "def backward(self):\n        while True: pass\n"])
DONE = "() => /stopped|right|wrong/.test(document.querySelector('#status').dataset.state)"
DATA = """(files) => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  return data;
}"""


class Drop(site_page.Visit):
    """A visit whose every request is for a file of the site, and sends nothing."""

    def __init__(self, browser, address):
        self.requests = []
        super().__init__(browser, address)
        self.page.clock.install()
        self.page.goto(f"{address}doctor/index.html")

    def note(self, request):
        super().note(request)
        self.requests.append(request)

    def choose(self, name, text="hello", later=0):
        """Choose a file by key; return (state, sentence). later: seconds that pass for the page meanwhile."""
        self.page.locator("#file").focus()
        with self.page.expect_file_chooser() as chooser:
            self.page.keyboard.press("Space")
        chooser.value.set_files({"name": name, "mimeType": "text/plain", "buffer": text.encode()})
        if later:
            self.page.locator("#status").filter(has_text="is being examined").wait_for(timeout=120_000)
            while "is being examined" in self.page.locator("#status").inner_text():
                self.page.clock.fast_forward(1000 * later)
        return self.verdict()

    def let_fall(self, *files):
        """Drop files, (name, text); return (state, sentence)."""
        self.page.dispatch_event("#zone", "drop", {"dataTransfer": self.page.evaluate_handle(DATA, files)})
        return self.verdict()

    def verdict(self):
        self.page.wait_for_function(DONE, timeout=120_000)
        status = self.page.locator("#status")
        return status.get_attribute("data-state"), " ".join(status.inner_text().split())

    def close(self):
        assert self.outside == [] and len(self.requests) > 10
        for request in self.requests:
            assert request.method == "GET" and not request.post_data and "?" not in request.url
        super().close()
