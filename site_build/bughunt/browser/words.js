// Texts in the language of the page, and numbers as it writes them.
import { TEXTS } from "./made.js";
import { short } from "./passes.js";

export const page = { language: "en" };
export const texts = () => TEXTS[page.language];
export const escaped = (text) => {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return String(text).replace(/[&<>"]/g, (character) => entities[character]);
};
/** A text of the page by its key, with words in the places of {names}. */
export const t = (key, words = {}) => texts().page[key].replace(/\{(\w+)\}/g, (_, name) => words[name]);
export const count = (n) => (n === 1 ? t("one_probe") : t("probes", { n }));
export const nice = (x) => short(x).replace("-", "−").replace(".", t("point"));
export const fine = (x) => Number(x.toFixed(5)).toString().replace("-", "−").replace(".", t("point"));
export const suspect = (id) => texts().suspects[id][0];
export const quoted = (id) => t("quoted", { name: escaped(suspect(id)) });
export const bold = (text) => escaped(text).replace(/\*([^*]+)\*/g, "<b>$1</b>");
export const places = (at) => Object.keys(at).map((x) => `<b>${x}</b> = ${nice(at[x])}`).join(", ");
