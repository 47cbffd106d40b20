// What the browser keeps of a player: solved cases, the moves in cases that were begun, days, a row of them. A private window may keep nothing.

const KEY = "bug-hunt";
function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}
export const kept = { cases: {}, begun: {}, days: {}, row: 0, ...read() };
export function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch { /* then it lasts as long as the page */ }
}
export function dayKey(date = new Date()) {
  const two = (n) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
/** How many days in a row were won, up to today or yesterday. */
export function streak() {
  let days = 0;
  for (let back = 0; back < 4000; back += 1) {
    const date = new Date();
    date.setHours(12);
    date.setDate(date.getDate() - back);
    if (kept.days[dayKey(date)]?.won) days += 1;
    else if (back) break;
  }
  return days;
}
