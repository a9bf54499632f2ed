import { expect } from 'chai';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { openHttpBackend } from '@portolan/proxy/http-backend';
import type { MemberOutcome, MemberSource } from '../src/index.ts';
import { echo, type FakeMember, fakeMember, toolsOf } from './support/fake-member.ts';
import { LegacyClient } from './support/legacy-client.ts';
import { modernRequest } from './support/modern-request.ts';
import { VirtualServers } from './support/virtual-servers.ts';

const SLOW_MS = 5000;
const CALLS = 300;
/** The goal is 1.2; other work on the machine of a test may disturb one of the two. */
const GENEROUS = 4;
const FEW_MS = 20;

describe('faulty members next to healthy ones', () => {
  const servers = new VirtualServers();
  const closing: (() => void)[] = [];
  afterEach(async () => {
    await servers.close();
    for (const close of closing.splice(0)) close();
  });

  const healthy = (name: string): FakeMember =>
    fakeMember(name, { results: { 'tools/list': toolsOf('ok') }, respond: echo(name) });

  async function limited(): Promise<MemberSource> {
    const server = createServer(
      (_request, response) => void response.writeHead(429, { 'Retry-After': '30' }).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    // SAFETY: the server listens on a port.
    const { port } = server.address() as AddressInfo;
    const listeners: ((outcome: MemberOutcome) => void)[] = [];
    const target = new URL(`http://127.0.0.1:${port}/mcp`);
    const http = await openHttpBackend(
      { carries: 'http', transport: 'streamable-http', target, isRemote: false },
      { version: '0.0.0', settled: () => listeners.forEach((listen) => listen('responded')) },
    );
    return {
      name: 'limited',
      settings: {},
      isPerCaller: false,
      open: (signal) => http.backend.openConnection(signal),
      onOutcome: (listen) => {
        listeners.push(listen);
        return () => listeners.splice(listeners.indexOf(listen), 1);
      },
      close: () => http.close(),
    };
  }

  async function faulty(): Promise<readonly MemberSource[]> {
    const slow = fakeMember('slow', {
      results: { 'tools/list': toolsOf('late') },
      respond: async () => {
        await pass(SLOW_MS);
        return { content: [{ type: 'text', text: 'late' }] };
      },
    });
    return [
      fakeMember('dead', {}, { open: () => Promise.reject(new Error('connect ECONNREFUSED')) }),
      fakeMember('hanging', { respond: () => undefined }),
      slow,
      await limited(),
    ];
  }

  async function took(promise: Promise<unknown>): Promise<number> {
    const start = performance.now();
    await promise;
    return performance.now() - start;
  }

  async function callP99(url: URL): Promise<number> {
    const client = await LegacyClient.connect(url);
    const times: number[] = [];
    for (let call = 0; call < CALLS; call += 1) {
      const member = call % 2 === 0 ? 'first' : 'second';
      times.push(await took(client.request('tools/call', { name: `${member}_ok` })));
    }
    await client.close();
    return times.toSorted((left, right) => left - right)[Math.floor(CALLS * 0.99)] ?? 0;
  }

  it('calls, lists and sessions › are about as fast as without the faulty members', async () => {
    const without = await servers.open([healthy('first'), healthy('second')]);
    const beside = await servers.open([healthy('first'), ...(await faulty()), healthy('second')]);
    const opened = await took(LegacyClient.connect(beside.url).then((client) => client.close()));
    expect(opened, 'initialize').to.be.below(1000);
    const client = await LegacyClient.connect(beside.url);
    expect(await took(client.request('tools/list')), 'the first list').to.be.below(12_000);
    const { result } = await client.request('tools/list');
    expect(JSON.stringify(result)).to.include('first_ok').and.include('second_ok').and.include('slow_late');
    expect(await took(client.request('tools/list')), 'a later list').to.be.below(2200);
    const calling = ['dead_x', 'hanging_x', 'slow_late', 'limited_x'].flatMap((name) => [
      client.request('tools/call', { name }),
      modernRequest(beside.url, 'tools/call', { name }),
    ]);
    const p99 = await callP99(beside.url);
    expect(p99, 'p99 beside faulty members').to.be.below((await callP99(without.url)) * GENEROUS + FEW_MS);
    await servers.close();
    await Promise.allSettled(calling);
  }).timeout(120_000);

  it('tools/call › of a member that responds with 429 says so in the form of the virtual server', async () => {
    const { url, server } = await servers.open([healthy('first'), await limited()]);
    for (let call = 0; call < 7; call += 1) {
      const { status, error } = await modernRequest(url, 'tools/call', { name: 'limited_x' });
      expect(status).to.equal(200);
      expect(error).to.deep.include({ code: -32603 });
      expect(error?.data).to.deep.include({ member: 'limited' });
    }
    expect(server.status()[1]?.state, '429 opens no circuit breaker').to.not.equal('failing');
  });
});
