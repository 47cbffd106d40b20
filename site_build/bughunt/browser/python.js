// What Python does and JavaScript does not: operators on objects, truth, `in`, classes whose methods get `self`.

const operator = (compute, method, reflected) => (a, b) => {
  if (typeof a !== "number") return a[method](b);
  return typeof b === "number" ? compute(a, b) : b[reflected](a);
};
export const plus = operator((a, b) => a + b, "__add__", "__radd__");
export const minus = operator((a, b) => a - b, "__sub__", "__rsub__");
export const times = operator((a, b) => a * b, "__mul__", "__rmul__");
export const divided = operator((a, b) => a / b, "__truediv__", "__rtruediv__");
export const power = operator((a, b) => a ** b, "__pow__", "__rpow__");

/** `a += b`: a list grows in place, as a loop over it may need. */
export function added(a, b) {
  if (!Array.isArray(a)) return plus(a, b);
  a.push(...b);
  return a;
}
export const len = (thing) => thing.size ?? thing.length;
export const truth = (thing) => (thing && typeof thing === "object" ? len(thing) !== 0 : Boolean(thing));
export const has = (things, thing) => (things instanceof Set ? things.has(thing) : [...things].includes(thing));
export const listOf = (things) => [...things];
export const reversed = (things) => [...things].reverse();
export const iter = (things) => things[Symbol.iterator]();

class Root {
  constructor(...given) { this.__init__?.(...given); }
}
export const define = (Base = Root) => class extends Base {};

/** Give a class a method, which can also be called on the class, with `self` first. */
export function put(Class, name, method) {
  Class[name] = method;
  Class.prototype[name] = function bound(...given) { return method(this, ...given); };
}
