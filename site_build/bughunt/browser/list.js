// All cases in a dialog, with how each went.
import { $ } from "./drawing.js";
import { fromDay, game, title } from "./game.js";
import { DATA } from "./made.js";
import { dayKey, kept, streak } from "./storage.js";
import { count, escaped, t, texts } from "./words.js";

const isPerfect = (mine, par) => Boolean(mine?.won && !mine.lucky && mine.probes <= par);
export const badge = () => $("#to-today").classList.toggle("new", !kept.days[dayKey()]?.done);

function tile(i) {
  const mine = kept.cases[i + 1];
  const [name, , , , , par] = DATA.cases[i];
  const won = mine?.won ? `${mine.lucky ? "🍀 " : ""}${count(mine.probes)}` : t("missed");
  const kinds = [mine && (mine.won ? "done" : "missed"), isPerfect(mine, par) && "best"].filter(Boolean).join(" ");
  const here = game.level.key === i + 1 ? ' aria-current="true"' : "";
  const note = mine ? won : texts().levels[name][0];
  return `<button type="button" data-case="${i + 1}" class="${kinds}"${here}><b>${i + 1}</b><small>${escaped(note)}</small></button>`;
}
export function list() {
  const each = Object.entries(kept.cases);
  const solved = each.filter(([, mine]) => mine.won).length;
  const best = each.filter(([key, mine]) => isPerfect(mine, DATA.cases[key - 1][5])).length;
  const days = streak();
  const sums = [
    t("n_solved", { n: solved, of: DATA.cases.length }), t("n_perfect", { n: best }), t("n_in_a_row", { n: kept.row }),
    days === 1 ? t("one_day") : t("n_days", { n: days }),
  ];
  const today = kept.days[dayKey()];
  const now = escaped(title(fromDay(dayKey())));
  let first = 0;
  const packs = DATA.packs.map((size, i) => {
    const tiles = Array.from({ length: size }, (_, k) => tile(first + k)).join("");
    first += size;
    return `<h3 class="pack">${texts().packs[i]}</h3><div class="tiles">${tiles}</div>`;
  });
  $("#listed").innerHTML =
    `<div class="sum">${sums.map((sum) => `<span>${sum}</span>`).join("")}</div><h3 class="pack">${t("today")}</h3>` +
    `<button type="button" class="today" data-open="today">${now}${today?.done ? ` ${today.marks}` : ""}</button>${packs.join("")}`;
  $("#list").showModal();
}
