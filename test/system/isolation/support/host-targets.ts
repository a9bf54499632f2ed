import { readFile } from 'node:fs/promises';

/**
 * Returns all ways to address this host as attempts of the probe: each address in each spelling, the names
 * that engines give it, the loopback of the proxy, and its name servers. `addresses` are single ones.
 * Loopback addresses are those of the container, so they are left out.
 */
export async function listHostTargets(
  addresses: readonly string[],
  port: number,
): Promise<readonly string[]> {
  const outer = addresses.filter((one) => !one.startsWith('127.') && one !== '::1');
  return [
    ...outer.flatMap((address) => [
      `tcp ${address} ${port}`,
      `udp ${address} ${port}`,
      `ping ${address}`,
      ...spellings(address).flatMap((host) => [`connect ${host} ${port}`, `get ${host} ${port}`]),
    ]),
    ...NAMES_OF_HOST.flatMap((name) => [
      `tcp ${name} ${port}`,
      `connect ${name} ${port}`,
      `get ${name} ${port}`,
      `dns ${name} A`,
    ]),
    ...LOOPBACKS.flatMap((host) => [`connect ${host} ${port}`, `get ${host} ${port}`]),
    'dns probe.acme.example A',
    ...(await listNameServers()).map((server) => `dns probe.acme.example A ${server}`),
  ];
}

const NAMES_OF_HOST: readonly string[] = [
  'host.docker.internal',
  'HOST.docker.internal.',
  'gateway.docker.internal',
  'host.containers.internal',
];

const LOOPBACKS: readonly string[] = ['127.0.0.1', 'localhost', '0.0.0.0', '0', '[::1]', '[::]'];

/**
 * Returns the spellings of an address that resolvers and URL parsers accept: dotted, one number, hexadecimal,
 * octal, IPv4-mapped IPv6.
 */
function spellings(address: string): readonly string[] {
  if (address.includes(':')) return [`[${address}]`];
  const bytes = address.split('.').map(Number);
  const number = Buffer.from(bytes).readUInt32BE();
  return [
    address,
    String(number),
    `0x${number.toString(16)}`,
    bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    `[::ffff:${address}]`,
  ];
}

async function listNameServers(): Promise<readonly string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8');
  return [...text.matchAll(/^nameserver\s+(\S+)/gm)].flatMap(([, server]) => server ?? []);
}
