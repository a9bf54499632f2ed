import type { ContainerDescription } from '@portolan/plugin-api';
import { expect } from 'chai';
import { chooseAdopted, type LeftoverFacts } from '../../src/supervisor/server/leftovers.ts';

function container(
  id: string,
  role: string,
  change: Partial<ContainerDescription> = {},
): ContainerDescription {
  return {
    id,
    name: id,
    image: 'acme/notes',
    imageId: 'sha256:12',
    labels: { 'portolan.dev/role': role },
    createdAt: new Date(0),
    state: {
      status: 'running',
      running: true,
      exitCode: undefined,
      outOfMemory: false,
      error: undefined,
      startedAt: undefined,
      finishedAt: undefined,
    },
    networks: [],
    ports: [],
    ...change,
  };
}

const ended = { ...container('x', 'server').state, running: false, status: 'exited' as const };
const server = container('s', 'server');
const gateway = container('g', 'gateway');
const NONE = { server: undefined, gateway: undefined };

const CASES: readonly { title: string; facts: Partial<LeftoverFacts>; adopted: object }[] = [
  { title: 'adopts server and gateway', facts: {}, adopted: { server: 's', gateway: 'g' } },
  {
    title: 'adopts a server that needs no gateway',
    facts: { containers: [server], needsGateway: false },
    adopted: { server: 's', gateway: undefined },
  },
  { title: 'does not adopt processes of sessions', facts: { isShared: false }, adopted: NONE },
  { title: 'does not adopt a server without its gateway', facts: { containers: [server] }, adopted: NONE },
  { title: 'does not adopt a gateway without its server', facts: { containers: [gateway] }, adopted: NONE },
  {
    title: 'does not adopt a server with an unexpected gateway',
    facts: { needsGateway: false },
    adopted: NONE,
  },
  {
    title: 'does not adopt an exited server',
    facts: { containers: [container('s', 'server', { state: ended }), gateway] },
    adopted: NONE,
  },
  {
    title: 'does not adopt a server whose gateway has exited',
    facts: { containers: [server, container('g', 'gateway', { state: ended })] },
    adopted: NONE,
  },
  {
    title: 'does not adopt a server of another image',
    facts: { containers: [container('s', 'server', { imageId: 'sha256:34' }), gateway] },
    adopted: NONE,
  },
  {
    title: 'adopts none of two servers',
    facts: { containers: [server, container('t', 'server'), gateway] },
    adopted: NONE,
  },
];

describe('chooseAdopted', () => {
  for (const { title, facts, adopted } of CASES) {
    it(title, () => {
      const all = {
        containers: [server, gateway],
        image: { id: 'sha256:12' },
        isShared: true,
        needsGateway: true,
      };
      expect(chooseAdopted({ ...all, ...facts })).to.deep.equal(adopted);
    });
  }
});
