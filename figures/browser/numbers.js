// Numbers as they are typed, shown, and moved by steps.

// Whether a number typed is the answer, rounded to the decimals that were typed (to two, where fewer were).
export function matches(typed, answer) {
  const decimals = (typed.split(/e/i)[0].split(".")[1] || "").length;
  const slack = decimals >= 2 ? 0.5 * 10 ** -Math.min(decimals, 4) : 0.00005;
  return Math.abs(Number(typed) - answer) <= slack + 1e-9 * Math.max(1, Math.abs(answer));
}

// A number as labs show it: four decimals, or an exponent where these would say nothing.
export function written(number) {
  const size = Math.abs(number);
  return size !== 0 && (size < 0.00005 || size >= 1e6) ? number.toExponential(3) : number.toFixed(4);
}

// A number after so many steps, without the dust that adding floats leaves: 0.1 + 0.2 is 0.3, and 0.3 - 3 · 0.1 is 0.
export function moved(number, steps, step) {
  const sum = number + steps * step;
  return Math.abs(sum) < 1e9 ? Number(sum.toFixed(10)) + 0 : sum;
}
