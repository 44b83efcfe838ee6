// 53 bits of a state: two that share them (1 in 2,000 runs of 3 million states) would hide one of both.
function fingerprint(text) {
  let a = 0x811c9dc5,
    b = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b);
  b = Math.imul(b ^ (b >>> 15), 0xc2b2ae35);
  return ((a ^ (a >>> 13)) >>> 0) * 0x200000 + ((b ^ (b >>> 16)) >>> 11);
}

// A search in breadth. `steps(s, emit)` calls emit(label, next) for each step, always in the same order.
export function search(name, initial, key, steps, wrong) {
  const beganMs = Date.now(),
    seen = new Set([fingerprint(key(initial))]),
    parents = [0],
    choices = [0];
  let level = [[initial, 0]],
    depth = 0,
    count = 0;
  const pathTo = (id) => {
    const chosen = [];
    for (let at = id; at !== 0; at = parents[at]) chosen.unshift(choices[at]);
    const labels = [];
    let s = initial;
    for (const choice of chosen) {
      let at = 0,
        next;
      steps(s, (label, t) => {
        if (at++ === choice) {
          labels.push(typeof label === 'function' ? label() : label);
          next = t;
        }
      });
      s = next;
    }
    return labels;
  };
  while (level.length > 0) {
    const following = [];
    for (const [s, id] of level) {
      count++;
      const problem = wrong(s);
      if (problem !== undefined) {
        const labels = pathTo(id);
        return { found: `${name}: WRONG after ${labels.length} steps: ${problem}`, labels, count };
      }
      let choice = 0;
      steps(s, (_, t) => {
        const before = seen.size;
        if (seen.add(fingerprint(key(t))).size > before) {
          const next = parents.length;
          parents.push(id);
          choices.push(choice);
          following.push([t, next]);
        }
        choice++;
      });
    }
    level = following;
    depth++;
  }
  return {
    count,
    text: `${name}: ${count} states, ${depth} steps deep, ${((Date.now() - beganMs) / 1000).toFixed(0)} s`,
  };
}
