/** IP addresses and networks as strings. */

const V4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const GROUPS = 8;
const BITS = 128;
/** Prefix bits of an IPv4 address mapped to IPv6. */
const MAPPED_BITS = 96;

/**
 * Returns the eight 16-bit groups of an address, with IPv4 mapped to IPv6, or undefined if the text is not an address.
 */
function groupsOf(address: string): number[] | undefined {
  const octets = V4.exec(address)?.slice(1).map(Number);
  if (octets !== undefined) {
    const [a = 0, b = 0, c = 0, d = 0] = octets;
    return octets.every((octet) => octet < 256) ? [0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d] : undefined;
  }
  const [text = ''] = address.split('%');
  // The URL parser shortens the longest run of zeros.
  const url = /^[0-9a-f:.]+$/i.test(text) ? URL.parse(`http://[${text}]`) : null;
  if (url === null) return undefined;
  const [front = [], back = []] = url.hostname
    .slice(1, -1)
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))));
  return [...front, ...new Array<number>(GROUPS - front.length - back.length).fill(0), ...back];
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}

/** Reports whether a string is an IP address. */
export function isAddress(text: string): boolean {
  return groupsOf(text) !== undefined;
}

/** Returns the network of an address: an IPv4 address itself, or the /64 prefix of an IPv6 address. */
export function networkOf(address: string): string {
  if (V4.test(address)) return address;
  const groups = groupsOf(address);
  if (groups === undefined) return address;
  if (isMapped(groups)) {
    const [high = 0, low = 0] = groups.slice(6);
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  }
  const prefix = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}

/** A set of addresses, declared as addresses and as networks in CIDR notation. */
export class AddressSet {
  readonly #networks: ReadonlyArray<{ readonly value: bigint; readonly shift: bigint }>;

  /** Throws an error for a string that is neither. */
  constructor(texts: readonly string[]) {
    this.#networks = texts.map((text) => {
      const [address = '', length, ...rest] = text.split('/');
      const groups = groupsOf(address);
      const isV4 = V4.test(address);
      const longest = isV4 ? BITS - MAPPED_BITS : BITS;
      const bits = length === undefined ? longest : Number(length);
      if (
        groups === undefined ||
        rest.length > 0 ||
        (length !== undefined && !/^\d{1,3}$/.test(length)) ||
        bits > longest
      )
        throw new Error(`"${text}" is neither an IP address nor a network such as 10.0.0.0/8`);
      const shift = BigInt(longest - bits);
      return { value: numberOf(groups) >> shift, shift };
    });
  }

  get isEmpty(): boolean {
    return this.#networks.length === 0;
  }

  has(address: string): boolean {
    const groups = groupsOf(address);
    if (groups === undefined) return false;
    const value = numberOf(groups);
    return this.#networks.some((network) => value >> network.shift === network.value);
  }
}

function numberOf(groups: readonly number[]): bigint {
  return groups.reduce((value, group) => value * 65_536n + BigInt(group), 0n);
}
