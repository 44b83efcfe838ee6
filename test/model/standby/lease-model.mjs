import { search } from './search.mjs';

export const LEASE_BREAKS = ['answer', 'suspended', 'margin', 'shorter', 'before', 'release', 'forced', 'restarted'];

// Time is in ticks. Each tick every clock advances by one, unless it drifts (slow: A's and B's may each lack or gain
// ticks, up to a bound together) or its machine is suspended: then nothing runs there, and only a clock that counts
// suspension advances. A is primary and renews; B sees versions of the record and takes over. A read has three steps:
// snapshot, check, answer. What must hold: when A takes a snapshot whose answer is sent, B has not answered anything
// yet. (B may have acknowledged a write as soon as it serves; the write of A is no question of clocks: see the other
// model.)
export function leaseModel(BREAK, { lease = 4, margin = 1, drift = 2, suspension = 6 } = {}) {
  const guard = BREAK === 'margin' ? 0 : margin,
    waits = (BREAK === 'shorter' ? lease - 2 : lease) + guard,
    most = lease + margin + 3;
  // age: A's clock since the beginning of the renewal that counts; ren: the renewal that A waits for: its age, whether
  // the store has executed it; rel: whether the record says released; late: a request to release it is under way;
  // fenced: A has begun to hand over; asks: requests of B for that, each another version of the record; snap: a read
  // under way; saw: B has seen the present version of the record, for `seen` by its clock.
  const initial = {
    age: 0,
    ren: null,
    rel: 0,
    late: 0,
    fenced: 0,
    asks: 1,
    snap: null,
    up: 1,
    kills: 1,
    sus: 0,
    left: suspension,
    drift,
    saw: 0,
    seen: 0,
    serves: 0,
    bad: '',
  };
  const key = (s) => JSON.stringify(s);
  const passes = (t, a, b) => {
    t.age = Math.min(most, t.age + a);
    if (t.ren) t.ren = { ...t.ren, age: Math.min(most, t.ren.age + a) };
    t.seen = Math.min(most, t.seen + b);
  };
  // Another version of the record: what depended on the one before fails.
  const written = (t) => {
    t.saw = 0;
    t.late = 0;
  };
  const stale = 'A has answered a read after B has begun to serve';
  function steps(s, emit) {
    const go = (label, change) => {
      const t = { ...s };
      change(t);
      emit(label, t);
    };
    const counts = BREAK === 'suspended' ? 0 : 1,
      owns = !s.serves;
    if (s.sus === 0) {
      go('a tick', (t) => passes(t, 1, 1));
      if (s.drift > 0) {
        go('a tick, late on the clock of A', (t) => {
          t.drift--;
          passes(t, 0, 1);
        });
        go('a tick, twice on the clock of B', (t) => {
          t.drift--;
          passes(t, 1, 2);
        });
      }
      if (s.left > 0 && s.up)
        go('A is suspended', (t) => {
          t.sus = 1;
        });
    } else {
      if (s.left > 0)
        go('a tick without A', (t) => {
          t.left--;
          passes(t, counts, 1);
        });
      go('A runs again', (t) => {
        t.sus = 0;
      });
    }
    const holds = s.age < lease - guard && !s.fenced;
    if (s.sus === 0 && s.up) {
      if (s.ren === null && !s.fenced)
        go('A begins a renewal', (t) => {
          t.ren = { age: 0, done: 0 };
        });
      if (s.ren?.done)
        go('A hears that it is renewed', (t) => {
          t.age = BREAK === 'answer' ? 0 : s.ren.age;
          t.ren = null;
        });
      if (s.ren !== null && !s.ren.done)
        go('A gives that renewal up', (t) => {
          t.ren = null;
        });
      if (s.snap === null) {
        if (BREAK !== 'before')
          go('A takes a snapshot', (t) => {
            t.snap = s.serves;
          });
        else if (holds)
          go('A checks its lease', (t) => {
            t.snap = 0;
          });
      } else if (BREAK === 'before')
        go('A takes a snapshot and answers', (t) => {
          t.snap = null;
          if (s.serves) t.bad = stale;
        });
      else
        go(holds ? 'A checks its lease and answers' : 'A checks its lease and answers DEPOSED', (t) => {
          t.snap = null;
          if (holds && s.snap) t.bad = stale;
        });
      if (!s.fenced && s.late === 0 && s.ren === null && owns)
        go('A hands over', (t) => {
          t.late = 1;
          if (BREAK !== 'release') t.fenced = 1;
        });
      if (s.fenced && s.late === 0 && !s.rel && owns)
        go('A repeats its release', (t) => {
          t.late = 1;
        });
      // It was fenced: it continues only as a new owner.
      if (s.fenced && owns)
        go('A takes its record anew', (t) => {
          t.fenced = 0;
          t.age = 0;
          t.rel = 0;
          written(t);
        });
      if (s.kills > 0)
        go('A is killed', (t) => {
          t.kills--;
          t.up = 0;
          t.snap = null;
          t.ren = null;
        });
    }
    if (!s.up && owns)
      go('A starts with its record', (t) => {
        t.up = 1;
        t.fenced = 0;
        t.age = 0;
        if (BREAK !== 'restarted') {
          t.rel = 0;
          written(t);
        }
      });
    if (!owns) return;
    if (s.ren !== null && !s.ren.done && !s.rel)
      go('store: renewed', (t) => {
        t.ren = { ...s.ren, done: 1 };
        written(t);
      });
    if (s.late)
      go('store: released', (t) => {
        written(t);
        t.rel = 1;
      });
    if (!s.saw)
      go('B sees the record', (t) => {
        t.saw = 1;
        t.seen = 0;
      });
    // Also conditional. Requests of A in the meantime are rejected, and A reads who has asked.
    if (s.saw && s.asks > 0 && !s.rel)
      go('B asks for a hand-over', (t) => {
        t.asks--;
        if (s.ren !== null && !s.ren.done) t.ren = null;
        written(t);
      });
    // Conditional: the record is still the version that it has seen.
    if (s.saw && (s.seen > waits || s.rel))
      go('B takes the record, seals and serves', (t) => {
        t.serves = 1;
      });
    if (BREAK === 'forced')
      go('B takes the record by force, seals and serves', (t) => {
        t.serves = 1;
      });
  }
  return search(`lease${BREAK ? ` (${BREAK})` : ''}`, initial, key, steps, (s) => s.bad || undefined);
}
