import { search } from './search.mjs';

export const CHAIN_BREAKS = [
  'snapshot',
  'noseal',
  'unsealed',
  'resume',
  'increment',
  'ownepoch',
  'sincelost',
  'tail',
  'early',
  'reprepare',
  'adopt',
  'ownseal',
  'pipeline',
  'names',
  'unchecked',
  'nobase',
  'sealbelow',
  'unlisted',
  'below',
  'fullset',
];

// Sets of writes are bits: the order of writes is that of their numbers. An object: o its node, e its epoch, k 's'eal,
// 'w'rites or 'f'ull set, w its writes. State: log: the objects of level 0 that exist, null where the name is free
// again; tru: what each position was when it was first created (what everyone who has applied it relies on); mer: what
// is merged leads to this position. The record: re its epoch, ro its owner, rs the epoch at which that owner took it
// from another one, base: from this position on no name of level 0 is free again. net: requests under way. ack:
// answered. fs: the epoch since which all owners have had failover; one without it skips a position, ships a snapshot
// and says nothing of names. Node: l the epoch of the record before its last listing, r its role, e its epoch, p
// position of its copy, d its writes, of which s are at or before p, q: its request that it waits for, own: the last
// epoch that it has sealed (on its disk). m: what it has committed since it took the record from another one: mode
// local promises that only a takeover by another one loses some of it.
const DOWN = 0,
  STANDBY = 1,
  SEALING = 2,
  CHECKING = 3,
  PRIMARY = 4;

/** In place of a node: a service without failover. */
const PLAIN = -2;

const KINDS = { s: 'seal', w: 'object', f: 'full set', n: 'snapshot' };

export function chainModel(BREAK, o) {
  const ids = [...'ABCD'].slice(0, o.nodes);
  const node = () => ({ r: STANDBY, e: 0, p: 0, d: 0, s: 0, q: [], again: 0, own: 0, m: 0, l: 0 });
  const initial = {
    log: [],
    tru: [],
    snp: [],
    mer: 0,
    base: 1,
    re: 0,
    ro: -1,
    rs: 0,
    net: [],
    ack: 0,
    next: 0,
    cr: o.crashes,
    tk: o.takeovers,
    to: o.timeouts,
    rm: o.removals,
    rb: o.rollbacks,
    fl: o.full,
    pl: o.plain,
    fs: 0,
    bad: '',
    nodes: ids.map(node),
  };
  const window = BREAK === 'pipeline' ? 2 : 1;
  // Keys are cached with the objects that they describe, which never change.
  const objectKey = (x) => (x ? `${x.o}${x.e}${x.k}${x.w}` : '-');
  const listKey = (list) => (list.key ??= list.map(objectKey).join());
  const nodeKey = (n) =>
    (n.key ??= [
      n.r,
      n.e,
      n.p,
      n.d,
      n.s,
      n.own,
      n.m,
      n.l,
      n.again,
      n.q.map((x) => x.key + (x.done ? '!' : '')).join('+'),
    ].join());
  const key = (s) =>
    [
      ...[s.log, s.tru, s.snp].map(listKey),
      [s.mer, s.base, s.re, s.ro, s.rs, s.ack, s.next, s.cr, s.tk, s.to, s.rm, s.rb, s.fl, s.pl, s.fs].join(),
      s.net.length < 2
        ? (s.net[0]?.key ?? '')
        : s.net
            .map((m) => m.key)
            .sort()
            .join(),
      s.nodes.map(nodeKey).join(';'),
      s.bad,
    ].join('|');
  const request = (n, e, p, k, w, a) => ({ n, e, p, k, w, a, key: `${n}.${e}.${p}${k}${w}.${a}` });
  const fold = (objects, to) => {
    let w = 0;
    for (let at = 0; at < to; at++) {
      const x = objects[at];
      if (x) w = x.k === 'f' ? x.w : w | x.w;
    }
    return w;
  };
  const isKept = (s, p) => {
    if (BREAK === 'names') return false;
    // The first object of an epoch stays.
    return s.tru[p - 1]?.k === 's';
  };
  const copy = (s) => ({ ...s, nodes: s.nodes.slice() });
  const withoutTail = (m) => {
    m.again = 0;
    if (BREAK === 'tail') m.s = m.d;
    else m.d = m.s;
  };
  // Whether an object is what comes next in what a node has committed: by its frames and its pages, not by its epoch.
  const isOwn = (i, m, x) => {
    if (BREAK === 'adopt' || x.o !== i || x.k === 's')
      return x.o === i && x.k === 's' && BREAK !== 'adopt' && BREAK !== 'ownseal' && x.e !== m.e;
    if ((BREAK === 'increment' || BREAK === 'ownepoch') && x.e !== m.e) return false;
    const added = x.k === 'f' ? x.w & ~m.s : x.w;
    if (x.k === 'f' && (m.s & ~x.w) !== 0) return false;
    if (added === 0) return true;
    const tail = m.d & ~m.s,
      upTo = (1 << (32 - Math.clz32(added))) - 1;
    return (tail & upTo) === added;
  };
  const applied = (m, x) => {
    m.d = x.k === 'f' ? x.w : m.s | x.w;
    m.s = m.d;
    m.p++;
  };

  function steps(s, emit) {
    for (let i = 0; i < s.nodes.length; i++) {
      const n = s.nodes[i];
      const go = (label, change) => {
        const t = copy(s),
          m = { ...n, key: undefined };
        t.nodes[i] = m;
        change(t, m);
        emit(`${ids[i]} ${label}`, t);
      };
      const sends = (t, m, p, k, w) => {
        let a = 0;
        while (t.net.some((x) => x.n === i && x.a === a)) a++;
        const x = request(i, m.e, p, k, w, a);
        t.net = [...t.net, x];
        m.q = [...m.q, x];
      };
      const next = s.log[n.p];
      if (n.r === STANDBY) {
        // It looks at the name first, then at the record: what is there before the base may be there for the second
        // time.
        if (next && (BREAK === 'below' || n.p + 1 >= s.base)) go(`applies ${n.p + 1}`, (_, m) => applied(m, next));
        else if (s.snp[n.p]) go(`reads the snapshot of ${n.p + 1}`, (_, m) => applied(m, { ...s.snp[n.p], k: 'f' }));
        if (s.tk > 0)
          go('takes the record', (t, m) => {
            t.tk--;
            m.e = t.re = s.re + 1;
            if (s.ro === PLAIN) t.fs = m.e;
            t.ro = i;
            t.rs = m.e;
            m.r = BREAK === 'noseal' ? PRIMARY : SEALING;
            t.nodes = t.nodes.map((x, at) => (at === i || x.m === 0 ? x : { ...x, m: 0, key: undefined }));
            m.m = 0;
          });
      }
      if ((n.r === STANDBY || n.r === SEALING) && (!next || n.p + 1 < s.base) && s.mer > n.p && n.q.length === 0)
        go(`reads what is merged up to ${s.mer}`, (_, m) => {
          m.p = s.mer;
          m.d = m.s = fold(s.tru, s.mer);
          if (s.tru[s.mer - 1].e > m.e) m.r = STANDBY;
        });
      // Only what has been merged by then is missing under its name, unless the record says so.
      if (n.r === SEALING && n.l < s.fs && s.mer <= n.p)
        go('lists the objects', (_, m) => {
          m.l = s.re;
        });
      // A standby so far behind that names may be free again reads what is merged first.
      const isReliable = BREAK === 'nobase' || BREAK === 'sealbelow' || n.p + 1 >= s.base;
      if (n.r === SEALING && n.q.length === 0 && isReliable && (BREAK === 'unlisted' || n.l >= s.fs))
        go(`asks to seal ${n.p + 1}`, (t, m) => sends(t, m, n.p + 1, 's', 0));
      // As long as the record is its own after the seal was created, no one can have removed what the name was before.
      if (n.r === CHECKING)
        go('reads the record', (_, m) => {
          if (s.re !== n.e) {
            m.r = STANDBY;
            withoutTail(m);
          } else {
            m.r = PRIMARY;
            m.p++;
          }
        });
      if (n.r === PRIMARY) {
        // An attempt is repeated as it was until it is answered.
        if (s.next < o.writes)
          go(`commits ${s.next + 1}`, (t, m) => {
            const bit = 1 << s.next;
            m.d |= bit;
            m.m |= bit;
            t.next++;
            if (BREAK === 'early') t.ack |= bit;
          });
        const under = n.q.reduce((w, x) => w | x.w, n.s),
          tail = n.d & ~under;
        if (tail !== 0 && n.q.length < window) {
          go(`ships ${n.p + n.q.length + 1}`, (t, m) => sends(t, m, n.p + n.q.length + 1, 'w', n.again || tail));
          if (BREAK === 'snapshot') go(`ships a snapshot as ${n.p + 1}`, (t, m) => sends(t, m, n.p + 1, 'n', n.d));
        }
        if (s.fl > 0 && n.q.length === 0)
          go(`has lost its log, and ships all as ${n.p + 1}`, (t, m) => {
            t.fl--;
            sends(t, m, n.p + 1, 'f', n.d);
          });
        // Only the record's owner can raise the base: a conditional request.
        const canMerge =
          s.rm > 0 &&
          BREAK !== 'snapshot' &&
          n.p > s.mer &&
          n.q.length === 0 &&
          s.log.slice(s.mer, n.p).every((x) => x !== null && x !== undefined);
        if (canMerge && (BREAK === 'nobase' || s.re === n.e))
          go(`merges up to ${n.p}`, (t) => {
            t.mer = n.p;
            if (BREAK !== 'nobase') t.base = n.p + 1;
          });
      }
      if (n.q.length > 0 && s.to > 0 && window === 1)
        go('gives up waiting', (t, m) => {
          t.to--;
          m.again = BREAK === 'reprepare' || n.q[0].k !== 'w' ? 0 : n.q[0].w;
          m.q = [];
        });
      if (n.r !== DOWN && s.cr > 0)
        go('crashes', (t, m) => {
          t.cr--;
          m.r = DOWN;
          m.q = [];
          m.again = 0;
        });
      if (n.r === DOWN) {
        const start = (t, m) => {
          if (s.ro !== i) {
            withoutTail(m);
            m.r = STANDBY;
            return;
          }
          if (BREAK === 'resume' || BREAK === 'unsealed') {
            if (BREAK === 'unsealed' ? m.e === s.re : m.own === s.re) m.r = PRIMARY;
            else {
              withoutTail(m);
              m.r = STANDBY;
            }
            return;
          }
          const keeps = BREAK === 'increment' || (BREAK === 'sincelost' ? m.own === s.re : m.own >= s.rs && m.own > 0);
          if (!keeps) withoutTail(m);
          m.e = t.re = s.re + 1;
          m.r = SEALING;
          if (BREAK === 'increment') {
            m.r = PRIMARY;
            m.own = m.e;
          }
          if (BREAK === 'fullset' && n.p < s.tru.length && (fold(s.tru, s.tru.length) & ~m.d) !== 0) {
            // Its data is not what the chain leads to: the chain is to become what it has.
            m.r = PRIMARY;
            m.p = s.tru.length;
            m.s = fold(s.tru, s.tru.length);
            let a = 0;
            while (t.net.some((x) => x.n === i && x.a === a)) a++;
            const x = request(i, m.e, m.p + 1, 'f', m.d, a);
            t.net = [...t.net, x];
            m.q = [x];
          }
        };
        go('starts', start);
        if (s.rb > 0)
          for (let p = 0; p < n.p; p++)
            go(`starts with an older disk, of ${p}`, (t, m) => {
              t.rb--;
              m.p = p;
              m.d = m.s = fold(s.tru, p);
              m.m = 0;
              start(t, m);
            });
      }
    }
    // An owner without failover, which is given the record in an orderly way and gives it back.
    if (s.pl > 0 && s.net.length === 0 && s.next < o.writes && s.nodes.every(({ r }) => r === STANDBY || r === DOWN)) {
      const t = copy(s);
      t.pl--;
      t.re = s.re + 1;
      t.ro = PLAIN;
      const bit = 1 << s.next;
      const written = { o: PLAIN, e: t.re, k: 's', w: 0 };
      t.tru = [...s.tru, written, { ...written, k: 'f', w: fold(s.tru, s.tru.length) | bit }];
      t.mer = t.tru.length;
      t.next++;
      t.ack |= bit;
      emit(`a service without failover writes, and ships a snapshot of ${t.mer}`, t);
    }
    // Old objects are removed at any time, also by who was deposed meanwhile.
    if (s.rm > 0)
      for (let p = 1; p <= (BREAK === 'nobase' ? s.mer : s.base - 1); p++) {
        if (!s.log[p - 1] || isKept(s, p)) continue;
        const t = copy(s);
        t.rm--;
        t.log = s.log.slice();
        t.log[p - 1] = null;
        emit(`store: ${p} of level 0 is removed`, t);
      }
    for (let j = 0; j < s.net.length; j++) {
      if (j > 0 && s.net[j].key === s.net[j - 1].key) continue;
      const m = s.net[j],
        sender = s.nodes[m.n],
        waits = sender.q.find((x) => x.key === m.key);
      for (const heard of waits ? [true, false] : [false]) {
        const t = copy(s);
        t.net = s.net.filter((_, at) => at !== j);
        const there = m.k === 'n' ? s.snp[m.p - 1] : s.log[m.p - 1];
        const isCreated = there === undefined || there === null;
        const made = { o: m.n, e: m.e, k: m.k, w: m.w };
        if (isCreated && m.k === 'n') {
          t.snp = s.snp.slice();
          t.snp[m.p - 1] = made;
          if (s.tru[m.p - 1] && fold(s.tru, m.p) !== m.w) t.bad = `position ${m.p} is a snapshot and another object`;
        } else if (isCreated) {
          t.log = s.log.slice();
          t.log.key = undefined;
          while (t.log.length < m.p) t.log.push(null);
          t.log[m.p - 1] = made;
          const first = s.tru[m.p - 1];
          // No one looks at what is created late before the base; who asked for it must not take it for the chain.
          if (first && heard && m.k !== 's' && (first.o !== m.n || first.w !== m.w || first.k !== m.k))
            t.bad = `position ${m.p} was ${first.k}${first.o}${first.e}, and ${ids[m.n]} hears that it has created it`;
          if (s.snp[m.p - 1]) t.bad = `position ${m.p} is a snapshot and another object`;
          if (!first) {
            if (s.tru.length < m.p - 1 && BREAK !== 'pipeline')
              t.bad = `position ${m.p} was created before the one that it follows`;
            if (s.tru[m.p] && s.tru[m.p].o !== m.n)
              t.bad = `position ${m.p + 1} contains changes to something that is not in the chain`;
            if (m.k === 'w' && m.w & fold(s.tru, m.p - 1)) t.bad = `${m.p} contains a write that the chain has already`;
            const before = s.tru[m.p - 2];
            if (before && before.e > m.e) t.bad = `epochs decrease at ${m.p}`;
            if (m.p > 1 && m.k === 'w' && before && before.o !== m.n)
              t.bad = `${m.p} does not follow what its writer had`;
            t.tru = s.tru.slice();
            t.tru[m.p - 1] = made;
          }
        }
        if (waits) {
          const n = { ...sender, key: undefined };
          t.nodes[m.n] = n;
          if (!heard && window > 1);
          else if (!heard) {
            n.again = BREAK === 'reprepare' || n.q[0].k !== 'w' ? 0 : n.q[0].w;
            n.q = n.q.filter((x) => x !== waits);
          } else {
            const x = isCreated ? made : there;
            // Who seals reads the record after the object that it has met: if it is still its own, no one has removed
            // anything.
            const isOver = m.k === 's' && !isCreated && s.re !== m.e && BREAK !== 'unchecked';
            const isMine =
              isCreated ||
              (!isOver &&
                (isOwn(m.n, n, x) || (x.o === m.n && x.e === m.e && x.k === m.k && x.w === m.w && BREAK !== 'adopt')));
            if (isMine && n.q[0] !== waits) n.q = n.q.map((y) => (y === waits ? { ...y, done: true } : y));
            else if (isMine) {
              n.q = n.q.filter((y) => y !== waits);
              n.again = 0;
              if (m.k === 's' && x.k === 's' && x.e === m.e && BREAK !== 'unchecked') {
                // Recorded before the record is read: as long as the record is its own, no one has taken over since.
                n.own = m.e;
                n.r = CHECKING;
                emitStore(t);
                continue;
              }
              const took = (w) => {
                n.p++;
                n.s |= w;
                if (m.k !== 's' || w !== 0) t.ack |= w;
              };
              took(x.w);
              for (; n.q[0]?.done; n.q = n.q.slice(1)) took(n.q[0].w);
              if (m.k === 's' && x.k === 's' && (isCreated || x.e === m.e)) {
                n.r = PRIMARY;
                n.own = m.e;
              }
            } else if (n.r === SEALING && x.e <= n.e && !isOver) {
              n.q = [];
              withoutTail(n);
              applied(n, x);
            } else {
              n.q = [];
              withoutTail(n);
              n.r = STANDBY;
            }
          }
        }
        emitStore(t);
        function emitStore(t) {
          emit(
            () =>
              `store: ${KINDS[m.k]} ${m.p} of ${ids[m.n]}${m.e} ${isCreated ? 'created' : 'rejected'}` +
              (heard ? '' : waits ? ', answer lost' : ', nobody waits'),
            t,
          );
        }
      }
    }
  }

  const bits = (w) => {
    const out = [];
    for (let at = 0; at < 31; at++) if (w & (1 << at)) out.push(at + 1);
    return out.join(', ');
  };
  function wrong(s) {
    if (s.bad !== '') return s.bad;
    const chain = fold(s.tru, s.tru.length) | s.snp.reduce((w, x) => w | (x?.w ?? 0), 0);
    if (s.ack & ~chain) return `the acknowledged write ${bits(s.ack & ~chain)} is nowhere`;
    for (const [i, n] of s.nodes.entries()) {
      if (n.r === PRIMARY && n.e === s.re && s.ack & ~n.d)
        return `${ids[i]} answers without the acknowledged write ${bits(s.ack & ~n.d)}`;
      if (n.s !== fold(s.tru, n.p) && s.snp.length === 0)
        return `the copy of ${ids[i]} differs from the chain at ${n.p}`;
      if (s.ro === i && n.r >= SEALING && n.m & ~n.d)
        return `${ids[i]} has lost its own commit ${bits(n.m & ~n.d)}, although nobody took over`;
    }
    return undefined;
  }
  return search(`chain${BREAK ? ` (${BREAK})` : ''}`, initial, key, steps, wrong);
}
