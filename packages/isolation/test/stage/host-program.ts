// Host of a test stage, in its own network namespace without a route to the real network. It creates three
// more namespaces: for the outside (public, local network, metadata), for another container, and for the
// workload, which has only loopback. The policy engine runs in the host's namespace and the relay in the
// workload's. Usage: `host-program.ts SETTINGS`
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { readEgressRules } from '@portolan/outbound';
import { type Gate, openGate } from '../../src/gate/open-gate.ts';
import { readRelayProgram } from '../../src/relay/relay-program.ts';
import type { StageSettings } from './open-stage.ts';

const [, , text = '{}'] = process.argv;
// SAFETY: open-stage.ts wrote the settings.
const settings = JSON.parse(text) as StageSettings;
const children: ChildProcess[] = [];
const run = promisify(execFile);
const ip = (line: string): Promise<unknown> => run('ip', line.split(' '));
const say = (message: unknown): boolean => process.stdout.write(`${JSON.stringify(message)}\n`);

/** Starts a program, waits until it reports that it is up, and forwards its other lines. */
async function start(file: string, ...words: readonly string[]): Promise<ChildProcess> {
  const child = spawn(file, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const up = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) =>
    line === '{"up":true}' ? up.resolve() : process.stdout.write(`${line}\n`),
  );
  child.once('exit', (status) => up.reject(new Error(`${file} ${words.join(' ')} ended with ${status}`)));
  await up.promise;
  return child;
}

/** Creates a network namespace that exists as long as its process, and runs these lines of `ip` in it. */
async function makeNamespace(flags: readonly string[], ...lines: readonly string[]): Promise<number> {
  const script = ['ip link set lo up', ...lines, `echo '{"up":true}'`, 'exec sleep infinity'].join(' && ');
  return Number((await start('unshare', ...flags, 'sh', '-c', script)).pid);
}

const enter = (pid: number): readonly string[] => ['-t', String(pid), '-n'];
const standIn = [path.join(import.meta.dirname, 'stand-in-program.ts')];
const certificate = [settings.certificate, settings.key];

await ip('link set lo up');
const outside = await makeNamespace(
  ['-n'],
  ...[
    '203.0.113.7/32',
    '203.0.113.8/32',
    '10.20.30.40/32',
    '169.254.169.254/32',
    '100.100.100.200/32',
    '2001:db8::7/128',
  ].map((one) => `ip addr add ${one} dev lo`),
);
const other = await makeNamespace(['-n']);
const resolver = path.join(settings.folder, 'resolv.conf');
await writeFile(resolver, 'nameserver 127.0.0.1\noptions timeout:2 attempts:1\n');
const workload = await makeNamespace(['-n', '-m'], `mount --bind ${resolver} /etc/resolv.conf`);

// Networks of the host: its uplink, a bridge with another container, and an idle bridge without carrier.
for (const line of [
  `link add up0 type veth peer name eth0 netns ${outside}`,
  'addr add 198.51.100.1/24 dev up0',
  '-6 addr add fd51::1/64 dev up0 nodad',
  'link set up0 up',
  'link add idle0 type bridge',
  'addr add 172.17.0.1/16 dev idle0',
  'link set idle0 up',
  'link add idle1 type bridge', // none of the engine's
  'addr add 192.168.77.1/24 dev idle1',
  'link set idle1 up',
  'link add br0 type bridge',
  'addr add 172.18.0.1/16 dev br0',
  'link set br0 up',
  `link add port0 type veth peer name eth0 netns ${other}`,
  'link set port0 master br0 up',
])
  await ip(line);
for (const [pid, lines] of [
  [
    outside,
    ['addr add 198.51.100.2/24 dev eth0', '-6 addr add fd51::2/64 dev eth0 nodad', 'link set eth0 up'],
  ],
  [other, ['addr add 172.18.0.5/16 dev eth0', 'link set eth0 up']],
] as const)
  for (const line of lines) await run('nsenter', [...enter(pid), 'ip', ...line.split(' ')]);
await ip('route add default via 198.51.100.2');
await ip('-6 route add default via fd51::2');
await ip('route add local 192.0.2.0/24 dev lo'); // local addresses that no interface lists
await ip('-6 route add local 2001:db8:9::/64 dev lo');

await start('nsenter', ...enter(outside), process.execPath, ...standIn, 'outside', ...certificate);
await start('nsenter', ...enter(other), process.execPath, ...standIn, 'container', ...certificate);
await start(process.execPath, ...standIn, 'host', ...certificate);

const open = (): Promise<Gate> =>
  openGate({
    workload: 'notes',
    folder: settings.folder,
    ingress: settings.ingress,
    onEvent: (event) => say({ event }),
    ...(settings.network === 'off'
      ? {}
      : {
          egress: {
            rules: readEgressRules(settings.network),
            allowContainerGateway: settings.allowContainerGateway ?? false,
            context: {
              readEngineNetworks: () =>
                Promise.resolve({
                  defaultGateway: '172.17.0.1',
                  gateways: ['172.18.0.1'],
                  subnets: ['172.17.0.0/16', '172.18.0.0/16'],
                }),
              lookup: (name) =>
                Promise.resolve(settings.names[name] ?? settings.names[name.replace(/^[^.]*/, '*')] ?? []),
              ...(settings.isBlind === true ? { readHostAddresses: () => Promise.resolve([]) } : {}),
            },
          },
        }),
  });

let gate = await open();
const { source, nodeArguments } = await readRelayProgram();
const relayFile = path.join(settings.folder, 'relay.mjs');
await writeFile(relayFile, source);
const relay = spawn(
  'nsenter',
  [...enter(workload), process.execPath, ...nodeArguments, relayFile, settings.folder],
  { stdio: 'inherit' },
);
children.push(relay);
await gate.ready(AbortSignal.timeout(40_000));
say({ workload, relay: relay.pid });

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'reopen') {
    await gate.close();
    gate = await open();
    await gate.ready(AbortSignal.timeout(40_000));
  } else if (line === 'close') await gate.close();
  say({ done: line });
}
await gate.close();
for (const child of children) {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
  child.kill('SIGKILL');
  await ended;
}
