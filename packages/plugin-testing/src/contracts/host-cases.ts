import { request } from 'node:http';
import { HOST_PROTECTIONS, type OpenServer } from '@portolan/plugin-api';
import { expect } from 'chai';
import { eventually } from '../eventually.ts';
import type { ContractCase } from './contract-case.ts';
import { rejectionOf } from './helpful-error.ts';
import { hostMessageCases } from './host-message-cases.ts';
import type { HostUnderTest } from './host-under-test.ts';
import { kindCases } from './kind-cases.ts';
import { serverOf, useHost, type UseHost } from './use-host.ts';

/** What a runtime kind with a host promises; see `WorkloadHost` in `@portolan/plugin-api`. */
export function hostCases(options: HostUnderTest): readonly ContractCase[] {
  const use: UseHost = (action) => () => useHost(options, action);
  const { http, stdio, missingImage, withinMs = 40_000 } = options;
  const soon = { withinMs };
  const started = async (server: OpenServer, signal: AbortSignal): Promise<void> => {
    await server.start(signal);
    await eventually(async () => expect(await answers(server)).to.equal(true), soon);
  };
  return [
    ...kindCases(options.kind, options.blocks),
    {
      title: 'says what it is, and what it enforces',
      run: use(async ({ host }) => {
        const description = await host.describe();
        for (const part of ['name', 'version', 'address', 'addressFrom'] as const) {
          expect(description[part], part).to.be.a('string').and.to.not.equal('');
        }
        expect(HOST_PROTECTIONS).to.include.members([...description.enforces]);
      }),
    },
    {
      title: 'opens a server without starting it, and removes it when it is closed, once or twice',
      run: use(async ({ host, open, labels }) => {
        const { server } = await open(http);
        expect(server.backend.carries).to.equal('http');
        expect(await answers(server)).to.equal(false);
        await server.close();
        await server.close();
        expect(await host.listServers(labels)).to.deep.equal([]);
      }),
    },
    {
      title: 'starts a server that is reached as its backend says, and lists it by its labels',
      run: use(async ({ host, open, labels, signal }) => {
        const { server } = await open(http);
        await started(server, signal);
        const listed = await host.listServers(labels);
        expect(listed.map(({ running, image }) => ({ running, image }))).to.deep.equal([
          { running: true, image: http.image },
        ]);
        expect(listed[0]?.labels).to.include(labels);
        expect(await host.listServers({ ...labels, 'portolan.dev/other': 'x' })).to.deep.equal([]);
        await server.close();
        expect(await answers(server)).to.equal(false);
      }),
    },
    {
      title: 'ends a server that does not answer, tells it once, and starts it again',
      run: use(async ({ open, signal }) => {
        const { server, exits } = await open(http);
        await started(server, signal);
        server.notAnswering('a test says so');
        await eventually(() => expect(exits).to.have.lengthOf(1), soon);
        expect(exits[0]?.how).to.be.a('string').and.not.to.equal('');
        expect(exits[0]?.removed ?? false).to.equal(false);
        await started(server, signal);
        await server.close();
        expect(exits).to.have.lengthOf(1);
      }),
    },
    {
      title:
        'removes a server that runs, tells that it was removed, and takes one that is not there for removed',
      run: use(async ({ host, open, labels, signal }) => {
        const { server, exits } = await open(http);
        await started(server, signal);
        const [listed] = await host.listServers(labels);
        await host.removeServer(listed?.id ?? '', { graceMs: 0 });
        await host.removeServer(listed?.id ?? '', { graceMs: 0 });
        await eventually(() => expect(exits.map(({ removed }) => removed)).to.deep.equal([true]), soon);
        expect(await answers(server)).to.equal(false);
        expect(await host.listServers(labels)).to.deep.equal([]);
        await server.close();
      }),
    },
    {
      title: 'refuses an image that it cannot run, before or when it starts, and leaves nothing',
      run: use(async ({ host, open, labels, signal }) => {
        const start = async (): Promise<void> => {
          const { server } = await open({ ...http, image: missingImage });
          await server.start(signal).finally(() => server.close());
        };
        expect(await rejectionOf(start())).to.be.instanceOf(Error);
        expect(await host.listServers(labels)).to.deep.equal([]);
      }),
    },
    {
      title: 'opens nothing when its signal has aborted, with the reason',
      run: use(async ({ host, labels }) => {
        const reason = new Error('aborted by the test');
        const told = { line: () => undefined, ended: () => undefined, progress: () => undefined };
        const opening = host.open(serverOf(http, labels), told, AbortSignal.abort(reason));
        expect(await rejectionOf(opening)).to.equal(reason);
        expect(await host.listServers(labels)).to.deep.equal([]);
      }),
    },
    ...(stdio === undefined ? [] : hostMessageCases(stdio, use)),
  ];
}

/** Whether anything is answered where the server is. */
async function answers({ backend }: OpenServer): Promise<boolean> {
  if (backend.carries !== 'http') throw new TypeError('a server that speaks HTTP has another backend');
  const { target, agent } = backend;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const asked = request(target, { ...(agent === undefined ? {} : { agent }), timeout: 2000 }, (answer) => {
    answer.destroy();
    resolve(true);
  });
  asked.once('timeout', () => asked.destroy(new Error('no answer in time')));
  asked.once('error', () => resolve(false));
  asked.end();
  return await promise;
}
