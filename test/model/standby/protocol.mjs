// An exhaustive search of the protocol by which services with one destination of the continuous backup can take over
// from each other. Two models:
//  chain  services and one store with atomic requests, requests that are delayed for ever, sent again by who gave up
//         waiting, or answered into nothing; crashes, older copies of a disk, merging and removing of objects, and no
//         clock at all: any lease may be taken for expired at any time. Nothing acknowledged is lost, there is one
//         chain, and what a primary has committed and not shipped is lost only when another service takes over.
//  lease  a primary and a standby whose clocks drift, a suspended machine, renewals and a hand-over that are late: no
//         service answers a read while another one may have acknowledged a write that it does not have.
// Run: node --max-old-space-size=8000 protocol.mjs [--model chain|lease]        all runs below, 80 s
//      ... --writes 2 --crashes 2 --takeovers 3 [--nodes 2 --timeouts 0 --removals 0 --rollbacks 0 ...]   one run
//      ... --break NAME | all        plants one mistake, which must be found (all: 30 s)
//  chain: snapshot   a snapshot takes a position without claiming its name
//         noseal     a takeover answers without a seal
//         unsealed   a restart resumes an epoch that it has not sealed
//         resume     a restart resumes its epoch if it has sealed it (the rule of the first design)
//         increment  a restart takes epoch + 1 without a seal, and adopts objects of that epoch only
//         ownepoch   a restart seals, and adopts objects of its new epoch only
//         sincelost  a restart keeps its tail only if it has sealed the very epoch in the record
//         tail       a deposed service keeps its own commits
//         early      answers before the object
//         reprepare  an attempt that was not answered is prepared again in the same epoch, with later commits
//         adopt      an own object whose answer was lost is taken for someone else's
//         ownseal    the same with one of its own seals that lands after the next restart
//         pipeline   requests for two positions are under way
//         names      every merged object of level 0 may be removed, also seals: their names are free again
//         unchecked  who has sealed serves without reading the record once more
//         nobase     objects are removed before the record says from which position on names are reliable
//         sealbelow  who takes over seals before that position without reading what is merged
//         unlisted   who takes over after a service without failover lists no objects, of which it knows nothing
//         below      a standby applies what it finds before that position
//         fullset    a restart whose data is not what the chain leads to ships all its pages (the code of today)
//  lease: answer     the lease counts from the answer of a renewal
//         suspended  the clock of the lease does not count suspension
//         margin     both sides use the lease without margins
//         shorter    who takes over waits for its own lease, which is shorter than that in the record
//         before     the lease is checked before the snapshot is read and not after it
//         release    a primary whose hand-over was not answered continues
//         forced     a forced takeover does not wait for the lease
//         restarted  a restart answers by the record that it has read, without a renewal
import { CHAIN_BREAKS, chainModel } from './chain-model.mjs';
import { LEASE_BREAKS, leaseModel } from './lease-model.mjs';

const print = (text) => process.stdout.write(`${text}\n`);
const arg = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
const number = (name, fallback) => Number(arg(name, fallback));

const NAMES = ['nodes', 'writes', 'crashes', 'takeovers', 'timeouts', 'removals', 'rollbacks', 'full', 'plain'];
const LEAST = {
  nodes: 2,
  writes: 2,
  crashes: 1,
  takeovers: 2,
  timeouts: 0,
  removals: 0,
  rollbacks: 0,
  full: 0,
  plain: 0,
};
const RUNS = [
  { timeouts: 1, removals: 1, rollbacks: 1 },
  { crashes: 2 },
  { full: 1 },
  { plain: 1, removals: 1 },
  { nodes: 3, crashes: 0, timeouts: 1, removals: 1 },
];
// Bounds in which a mistake is found soon.
const SOON = { fullset: { rollbacks: 1 }, sincelost: { crashes: 2 }, ownseal: { crashes: 2 }, unlisted: { plain: 1 } };
const given = Object.fromEntries(
  NAMES.filter((name) => process.argv.includes(`--${name}`)).map((name) => [name, number(name)]),
);
const isGiven = Object.keys(given).length > 0;
const boundsOf = (name) => ({ ...LEAST, ...(isGiven ? given : (SOON[name] ?? { timeouts: 1, removals: 1 })) });
const run = (name) => (LEASE_BREAKS.includes(name) ? leaseModel(name) : chainModel(name, boundsOf(name)));
const model = arg('model', 'both'),
  broken = arg('break', '');
if (broken !== '' && broken !== 'all' && ![...CHAIN_BREAKS, ...LEASE_BREAKS].includes(broken))
  throw new Error(`--break ${broken} is unknown`);
let isBad = false;
if (broken === 'all') {
  for (const name of [...CHAIN_BREAKS, ...LEASE_BREAKS]) {
    const { found, text } = run(name);
    if (found === undefined) isBad = true;
    print(found ?? `NOT FOUND: ${text}`);
  }
} else {
  const chains = isGiven ? [given] : RUNS;
  const runs =
    broken !== ''
      ? [() => run(broken)]
      : [
          ...(model !== 'lease' ? chains.map((each) => () => chainModel('', { ...LEAST, ...each })) : []),
          ...(model !== 'chain' && !isGiven ? [() => leaseModel('')] : []),
        ];
  for (const each of runs) {
    const { found, labels, text } = each();
    if (found !== undefined) isBad = true;
    print(found !== undefined ? `${found}\n  ${labels.join('\n  ')}` : `${text}: nothing wrong`);
  }
}
process.exitCode = isBad ? 1 : 0;
