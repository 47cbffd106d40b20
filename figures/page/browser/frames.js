// Frames as plain data. A frame says what differs from the one before: for each part of the stage, by its data-key, its
// text, its state, or any attribute.

// Every frame in full, from frames that say only what changes. On another stage, in a recorded run, nothing is known yet.
export function completed(frames) {
  let [known, stage] = [{}, undefined];
  return frames.map((frame) => {
    known = merged(frame.stage === stage ? known : {}, frame.set || {});
    stage = frame.stage;
    return { ...frame, set: known };
  });
}

// The marks of all parts after some of them have changed. Neither is written to.
export function merged(marks, changes) {
  const found = { ...marks };
  for (const [key, { "d+": more, ...mark }] of Object.entries(changes)) {
    found[key] = { ...found[key], ...mark };
    if (more !== undefined) found[key].d += more; // a path that has grown
  }
  return found;
}

// A frame after a change of it: of its marks, its sentence, or where in the story it is.
export function changed(frame, { set = {}, say = frame.say, at = frame.at }) {
  return { ...frame, set: merged(frame.set, set), say, at };
}

// The longest sentence of some frames, so that the room for it is there from the first on.
export function longest(frames, least = "") {
  return frames.reduce((found, { say }) => (say.length > found.length ? say : found), least);
}
