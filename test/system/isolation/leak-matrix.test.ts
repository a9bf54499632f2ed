import { memoryImages } from '../../support/memory-images.ts';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type EgressEvent, type OpenGateway, openGateway, readHostAddresses } from '@portolan/isolation';
import type { ContainerNetwork } from '@portolan/plugin-api';
import { type PermissionProfile } from '@portolan/run-spec';
import { expect } from 'chai';
import { describeNetworks } from '../../../packages/isolation/src/gateway/engine-networks.ts';
import { findStageObstacle } from '../../../packages/isolation/test/stage/open-stage.ts';
import { egressPolicyOf } from '../../../packages/workload/src/supervisor/network/egress-policy.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { type HostListener, openHostListener } from './support/host-listener.ts';
import { listHostTargets } from './support/host-targets.ts';
import {
  ATTEMPTS,
  COLUMNS,
  type Column,
  type Facts,
  formatTable,
  LIST,
  NAMES,
} from './support/leak-table.ts';
import { OUTSIDE, type OutsideWorld, openOutsideWorld } from './support/outside-world.ts';
import { gotThrough, makeProbe, type Probe } from './support/probe.ts';
import { NODE_IMAGE, TestRuntime } from './support/test-runtime.ts';

const PROFILES: Readonly<Record<Exclude<Column, 'isolation off'>, PermissionProfile>> = {
  none: { network: { outbound: {} } },
  network: { network: { outbound: { insecure_allow_all: true } } },
  'allow-list': { network: { outbound: LIST } },
};

/** Ways in which the gateway's sockets reach the supervisor. */
const WAYS = [
  { title: 'over a shared folder', sharesSockets: true },
  { title: 'over the standard input and output of the gateway', sharesSockets: false },
] as const;

describe('network access of an isolated workload', function () {
  this.timeout(120_000);
  const engine = new TestRuntime();
  let folder: string | undefined;
  let world: OutsideWorld | undefined;
  let listener: HostListener | undefined;
  let probe: Probe;
  let facts: Facts;
  let neighbour: { readonly id: string; readonly address: string } | undefined;

  before(async function () {
    const obstacle = await findStageObstacle();
    if (obstacle !== undefined) skipSuite(this, obstacle);
    if (await hasNoIpv6()) skipSuite(this, 'this host has no IPv6, one of the rows');
    await engine.open(this);
    folder = await mkdtemp(path.join(tmpdir(), 'pl-'));
    const { file } = await makeCertificate(folder, Object.keys(NAMES));
    world = await openOutsideWorld(file, path.join(folder, 'key.pem'));
    listener = await openHostListener();
    probe = await makeProbe(engine, file);
    neighbour = await startNeighbour(engine);
    facts = {
      hostPort: listener.port,
      hostAddress: await addressOfHost(),
      gateway: await gatewayOfEngine(engine),
      neighbour: neighbour.address,
    };
  });
  after(async () => {
    await listener?.close();
    await world?.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
    if (neighbour !== undefined) await engine.runtime.removeContainer(neighbour.id);
    await engine.close();
  });

  /** Returns the packets that arrived at this host and beyond it since the last call. */
  const takeHits = (): { readonly host: readonly string[]; readonly outside: readonly string[] } => ({
    host: listener?.hits.splice(0) ?? [],
    outside: world?.hits.splice(0) ?? [],
  });

  const withGateway = async (
    profile: PermissionProfile,
    sharesSockets: boolean,
    action: (gateway: OpenGateway, events: readonly EgressEvent[]) => Promise<void>,
  ): Promise<void> => {
    const events: EgressEvent[] = [];
    const { runtime } = engine;
    const gateway = await openGateway({
      madeImages: memoryImages(),
      workload: 'notes',
      containerName: engine.name(),
      labels: engine.labels,
      folder: await engine.folder(),
      egress: egressPolicyOf(profile, {
        runtime,
        engine: engine.engine,
        allowContainerGateway: false,
        lookup: (name) => Promise.resolve(addressesOf(name, facts)),
      }),
      ingress: [9000],
      runtime,
      engine: { ...engine.engine, sharesSockets },
      onEvent: (event) => events.push(event),
      logger: engine.logger,
    });
    try {
      await action(gateway, events);
    } finally {
      await gateway.close();
    }
  };

  const tryAll = async (network: ContainerNetwork): Promise<ReadonlyMap<string, string>> =>
    await probe.try(network, [...new Set(ATTEMPTS.map(({ attempt }) => attempt(facts)))]);

  for (const { title, sharesSockets } of WAYS) {
    describe(title, () => {
      for (const column of COLUMNS) {
        if (column === 'isolation off') continue;
        it(`${column} › reaches exactly what the table permits`, async () => {
          takeHits();
          await withGateway(PROFILES[column], sharesSockets, async ({ network }, events) => {
            const results = await tryAll(network);
            const wrong = ATTEMPTS.flatMap(({ row, attempt, opens }) => {
              const text = attempt(facts);
              const word = results.get(text) ?? '';
              return gotThrough(word) === opens.includes(column) ? [] : [`${row}: ${text}: ${word}`];
            });
            expect(wrong.join('\n')).to.equal('');
            const { host, outside } = takeHits();
            expect(host).to.deep.equal([]);
            expect(outside.filter((hit) => !MAY_ARRIVE[column].test(hit))).to.deep.equal([]);
            expect(events.some(({ allowed }) => !allowed)).to.equal(true);
          });
        });
      }

      for (const column of ['none', 'network'] as const) {
        it(`${column} › reaches this host under none of its names, addresses and spellings`, async () => {
          takeHits();
          const single = (await readHostAddresses()).flatMap((one) => ADDRESS.exec(one)?.[1] ?? []);
          const targets = await listHostTargets([...new Set(single)], facts.hostPort);
          expect(targets.length).to.be.greaterThan(50);
          await withGateway(PROFILES[column], sharesSockets, async ({ network, environment }) => {
            const results = await probe.try(network, targets, environment);
            expect(
              [...results].filter(([, word]) => gotThrough(word)).map((one) => one.join(': ')),
            ).to.deep.equal([]);
          });
          expect(takeHits()).to.deep.equal({ host: [], outside: [] });
        });
      }
    });
  }

  it('without isolation › reaches everything, which proves that the probes work', async () => {
    takeHits();
    const results = await tryAll({ mode: 'bridge', dns: [OUTSIDE.nameServer] });
    const reached = ATTEMPTS.flatMap(({ attempt }) => {
      const text = attempt(facts);
      return gotThrough(results.get(text) ?? '') ? [text] : [];
    });
    expect(reached).to.include.members([
      `tcp ${OUTSIDE.public} 8080`,
      `udp ${OUTSIDE.public} 8080`,
      `ping ${OUTSIDE.public}`,
      `tcp ${OUTSIDE.metadata} 80`,
      `tcp ${facts.gateway} ${facts.hostPort}`,
      `udp ${facts.gateway} ${facts.hostPort}`,
      `tcp ${facts.hostAddress} ${facts.hostPort}`,
      `tcp ${facts.neighbour} 8080`,
      'dns public.example A',
      'dns public.example AAAA',
      'dns data.to.public.example TXT',
    ]);
    expect(takeHits().host).to.not.deep.equal([]);
    const { PORTOLAN_LEAK_TABLE: file } = process.env;
    if (file !== undefined) await writeFile(file, formatTable(facts, results));
  });
});

/**
 * Packets that may leave this host, by sender. A name service or the metadata address is never among them.
 */
const MAY_ARRIVE: Readonly<Record<Exclude<Column, 'isolation off'>, RegExp>> = {
  none: /^(?!)/,
  network: /^(http|tcp) (::ffff:(203\.0\.113\.[78]|10\.213\.40\.5)|2001:db8::7)$/,
  'allow-list': /^http ::ffff:203\.0\.113\.7$/,
};

const ADDRESS = /^([\d.]+|[\da-f:]+)(?:\/(?:32|128))?$/;

function addressesOf(name: string, facts: Facts): readonly string[] {
  const address = NAMES[name];
  return address === undefined ? [] : [typeof address === 'string' ? address : address(facts)];
}

async function hasNoIpv6(): Promise<boolean> {
  const file = '/proc/sys/net/ipv6/conf/all/disable_ipv6';
  return (await readFile(file, 'latin1').catch(() => '1')).trim() === '1';
}

/** Returns an address of this host that other machines use. */
async function addressOfHost(): Promise<string> {
  const found = await readHostAddresses();
  const [address] = found.flatMap((one) => /^(\d[\d.]+)$/.exec(one)?.[1] ?? []).filter(isOuter);
  if (address === undefined) throw new Error('this host has no address but loopback');
  return address;
}

function isOuter(address: string): boolean {
  return !address.startsWith('127.') && !address.startsWith('198.18.77.');
}

async function gatewayOfEngine({ runtime }: TestRuntime): Promise<string> {
  // An engine after its first start has the bridge but does not report its gateway.
  const { defaultGateway: gateway } = describeNetworks(await runtime.listNetworks(), true);
  if (gateway === undefined) throw new Error('the engine has no default bridge');
  return gateway;
}

/** Starts a container without isolation that serves on its ports 80 and 8080. */
async function startNeighbour(engine: TestRuntime): Promise<{ id: string; address: string }> {
  const { runtime } = engine;
  const program = `
    const answer = (socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\\r\\n\\r\\nneighbour');
    const udp = require('node:dgram').createSocket('udp4');
    udp.on('message', (_, from) => udp.send('neighbour', from.port, from.address)).bind(8080);
    require('node:net').createServer(answer).listen(80, () =>
      require('node:net').createServer(answer).listen(8080));`;
  const id = await runtime.createContainer({
    name: engine.name(),
    image: NODE_IMAGE,
    command: ['node', '-e', program],
    environment: {},
    labels: engine.labels,
    capabilities: engine.engine.opensLowPorts ? [] : ['NET_BIND_SERVICE'],
  });
  await runtime.startContainer(id);
  const address = (await runtime.inspectContainer(id))?.networks[0]?.address;
  if (address === undefined) throw new Error('the neighbour has no address');
  await untilConnects(address, 8080);
  return { id, address };
}

async function untilConnects(host: string, port: number): Promise<void> {
  const deadline = Date.now() + 40_000;
  for (;;) {
    const socket = connect(port, host);
    const word = await new Promise((resolve) =>
      socket.once('connect', () => resolve('up')).once('error', resolve),
    );
    socket.destroy();
    if (word === 'up') return;
    if (Date.now() > deadline) throw new Error(`nothing listens on ${host}:${port}`);
    await setTimeout(50);
  }
}
