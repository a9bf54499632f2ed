import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/**
 * Addresses of the replacement hosts: ranges for documentation and benchmarks, and one of a local network.
 */
export const OUTSIDE = {
  public: '203.0.113.7',
  otherPublic: '203.0.113.8',
  lan: '10.213.40.5',
  metadata: '169.254.169.254',
  nameServer: '203.0.113.53',
  publicV6: '2001:db8::7',
} as const;

/** Hosts beyond this one in a network namespace of the test. No packet leaves the machine. */
export interface OutsideWorld {
  /** Packets so far, such as `http ::ffff:203.0.113.7`. The reader empties the list. */
  readonly hits: string[];
  close(): Promise<void>;
}

const STAGE = path.resolve(import.meta.dirname, '../../../../packages/isolation/test/stage');
const LINK_HERE = '198.18.77.1';
const LINK_THERE = '198.18.77.2';
const LINK_HERE_V6 = 'fd51:77::1';
const LINK_THERE_V6 = 'fd51:77::2';

const run = promisify(execFile);
const ip = (line: string): Promise<unknown> => run('ip', line.split(' '));

/**
 * Makes the namespace, a link to it, and routes for these addresses only. The link and the routes end with
 * the namespace, which ends with this process at the latest.
 */
export async function openOutsideWorld(certificate: string, key: string): Promise<OutsideWorld> {
  const link = `pt${randomBytes(4).toString('hex')}`;
  const hits: string[] = [];
  const children: ChildProcess[] = [];
  const close = async (): Promise<void> => {
    for (const child of children.toReversed()) await end(child);
    // The kernel removes a namespace shortly after its last process.
    await ip(`link del ${link}`).catch(() => undefined);
  };
  try {
    const holder = await start(children, hits, 'unshare', '-n', 'sh', '-c', HOLD);
    const enter = ['-t', String(holder.pid), '-n'];
    await makeLink(link, holder, enter);
    const node = [process.execPath, '--conditions=@portolan/source', '--disable-warning=ExperimentalWarning'];
    const standIn = path.join(STAGE, 'stand-in-program.ts');
    await start(children, hits, 'nsenter', ...enter, ...node, standIn, 'outside', certificate, key);
  } catch (error) {
    await close();
    throw error;
  }
  return { hits, close };
}

const HOLD = [
  'ip link set lo up',
  ...Object.values(OUTSIDE).map((one) => `ip addr add ${one}/${one.includes(':') ? 128 : 32} dev lo`),
  `echo '{"up":true}'`,
  'exec sleep infinity',
].join(' && ');

async function makeLink(link: string, { pid }: ChildProcess, enter: readonly string[]): Promise<void> {
  await ip(`link add ${link} type veth peer name eth0 netns ${pid}`);
  for (const line of [
    `addr add ${LINK_HERE}/30 dev ${link}`,
    `-6 addr add ${LINK_HERE_V6}/64 dev ${link} nodad`,
    `link set ${link} up`,
  ])
    await ip(line);
  for (const line of [
    `addr add ${LINK_THERE}/30 dev eth0`,
    `-6 addr add ${LINK_THERE_V6}/64 dev eth0 nodad`,
    'link set eth0 up',
    `route add default via ${LINK_HERE}`,
    `-6 route add default via ${LINK_HERE_V6}`,
  ])
    await run('nsenter', [...enter, 'ip', ...line.split(' ')]);
  for (const address of Object.values(OUTSIDE)) {
    await ip(
      address.includes(':')
        ? `-6 route add ${address}/128 via ${LINK_THERE_V6} dev ${link}`
        : `route add ${address}/32 via ${LINK_THERE} dev ${link}`,
    );
  }
}

/** Starts a program and waits for its ready line. Its other lines are packets. */
async function start(
  children: ChildProcess[],
  hits: string[],
  file: string,
  ...words: readonly string[]
): Promise<ChildProcess> {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', file, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const up = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    // SAFETY: stand-in-program.ts or the line above writes it.
    const said = JSON.parse(line) as { readonly up?: boolean; readonly kind?: string; readonly to?: string };
    if (said.up === true) up.resolve();
    else hits.push(`${said.kind} ${said.to}`);
  });
  child.once('exit', (status) => up.reject(new Error(`${file} ${words.join(' ')} ended with ${status}`)));
  await up.promise;
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
