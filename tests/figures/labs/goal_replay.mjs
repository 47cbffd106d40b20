// Replays answers of the goal lab in its page's script: what it shows at first, and after each, to standard output.
// In: the script's file, and {spec, answers: [{index, values, presses}]} on standard input.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

globalThis.document = { querySelectorAll: () => [] };
const { modelOf } = await import(pathToFileURL(process.argv[2]));
const { spec, answers } = JSON.parse(readFileSync(0, "utf-8"));
const model = modelOf("goal", spec);
const shown = () => (({ frames, message, jump }) => ({ frames, message, jump }))(model.get("news"));
const seen = [shown()];
for (const { index, values, presses } of answers) {
  model.set("index", index);
  model.set("request", { values, presses });
  seen.push(shown());
}
process.stdout.write(JSON.stringify(seen));
