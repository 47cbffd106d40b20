// Numbers as they are typed, shown, and moved by steps.

function refuse(fault) {
  throw new Error(fault);
}

// How far off a number is that was rounded to the decimals typed; one alone, or none, is taken as exact.
function slip(number) {
  const decimals = /e/i.test(number) ? 0 : (number.split(".")[1] || "").length;
  return decimals > 1 ? 0.5 * 10 ** -Math.min(decimals, 4) : 0;
}

// What was typed, a number or arithmetic such as 0.8556*2: { value, slack }, or { fault }, a sentence. slack: how far off
// it may be, rounded as it was typed. No part is ever evaluated. exercises/explaining/typed_numbers.py does the same, to the same table.
export function reading(text) {
  const parts = text.replace(/[−–]/g, "-").replace(/[×·]/g, "*").replace(/÷/g, "/").trim();
  const left = parts.match(/(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|\*\*|[^\s]/gi) || [];
  const take = (...signs) => signs.includes(left[0]) && left.shift();
  const atom = () => {
    const first = left.shift() || "";
    if (/\d/.test(first)) return [Number(first), slip(first)];
    const inside = first === "(" ? sum() : refuse("");
    return take(")") ? inside : refuse("");
  };
  const power = () => {
    const [a, off] = atom();
    if (!take("**")) return [a, off];
    const [n] = signed();
    return Math.abs(n) > 1000 ? refuse("An exponent goes from -1000 to 1000 here.") : [a ** n, Math.abs(n * a ** (n - 1)) * off];
  };
  const signed = () => {
    const sign = take("-", "+");
    const [a, off] = sign ? signed() : power();
    return [sign === "-" ? -a : a, off];
  };
  const product = () => {
    let [a, off] = signed();
    for (let sign; (sign = take("*", "/")); ) {
      const [b, other] = signed();
      off = sign === "*" ? Math.abs(b) * off + Math.abs(a) * other : (off + Math.abs(a / b) * other) / Math.abs(b);
      a = sign === "*" ? a * b : a / b;
    }
    return [a, off];
  };
  const sum = () => {
    let [a, off] = product();
    for (let sign; (sign = take("+", "-")); ) {
      const [b, other] = product();
      [a, off] = [sign === "+" ? a + b : a - b, off + other];
    }
    return [a, off];
  };
  try {
    if (/\d,\d/.test(parts)) refuse("A decimal point is a point here, as in 0.5.");
    if (parts.length > 80) refuse("At most 80 characters are read here.");
    const [value, off] = sum();
    if (left.length || !Number.isFinite(value)) refuse("");
    const alone = /^[-+]?\d*\.\d+$/.test(parts);
    const rounded = alone ? value && (slip(parts) || 0.005) : off || 0; // what is typed as 0 is meant as 0
    return { value, slack: Math.min(Math.max(rounded, 0.00005), 0.005) };
  } catch ({ message }) {
    return { fault: message || `"${text.trim()}" is not a number. Write one such as -4 or 0.2403, or a product such as 0.8*3.` };
  }
}

// Whether what was typed is the answer, rounded to the decimals that were typed: two at the least, where there is a point.
export function matches(typed, answer) {
  const { value, slack } = reading(typed);
  return Math.abs(value - answer) <= slack + 1e-9 * Math.max(1, Math.abs(answer));
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
