"""A player in a page without Jupyter: alone, or with a model in the page that a player in this process answers."""

import json

# What JupyterLab and anywidget put into a page for a widget: its model. What it says is answered by `answer`.
MODEL = """([name, state]) => {
  const heard = new Map();
  const model = {
    get: (trait) => state[trait],
    set(trait, value) { state[trait] = value; },
    on: (event, act) => heard.set(event, [...(heard.get(event) || []), act]),
    off: (event, act) => heard.set(event, (heard.get(event) || []).filter((each) => each !== act)),
    async save_changes() {
      const sent = { request: state.request, index: state.index };
      for (const [trait, value] of Object.entries(JSON.parse(await window.answer(JSON.stringify(sent))))) {
        if (JSON.stringify(state[trait]) === JSON.stringify(value)) continue;
        state[trait] = value;
        for (const act of heard.get(`change:${trait}`) || []) act();
      }
    },
  };
  const page = (globalThis[Symbol.for("backprop models")] ??= { models: new Map(), news: new EventTarget() });
  page.models.set(name, model);
  page.news.dispatchEvent(new CustomEvent(name));
}"""
TRAITS = ("news", "patch", "values", "index", "reply")  # in this order: the reply says that all has been told


def show(page, *players):
    """Put players into the page, which has no kernel."""
    parts = "".join(player.html() for player in players)
    page.set_content(f"<!DOCTYPE html><html lang='en'><title>Players</title><body>{parts}</body></html>")
    page.locator(".bp-player").nth(len(players) - 1).wait_for()


def join(page, player):
    """Let the page have the player's model, whose requests the player itself answers."""

    def answer(sent):
        sent = json.loads(sent)
        if sent["request"] and sent["request"]["number"] != player.reply:
            player.request = sent["request"]
        return json.dumps({name: getattr(player, name) for name in TRAITS})

    page.expose_function("answer", answer)
    state = {name: getattr(player, name) for name in TRAITS} | {"request": {}}
    page.evaluate(MODEL, [player.name, json.loads(json.dumps(state))])
