import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ConsentFacts, Demands } from '@portolan/run-spec';
import { expect } from 'chai';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { resolveDemands } from '../../src/consent/resolve-demands.ts';
import { planRun } from '../../src/run/plan-run.ts';
import { testWorkloadContext, type TestWorkloadContext } from '../support/test-workload-context.ts';

const { signal } = new AbortController();

const shows = (addressesOf: ConsentFacts['addressesOf']): Demands => {
  const line = addressesOf('mcp.acme.example')?.join(' ') ?? 'unresolved';
  return { grants: [{ kind: 'connect', line, subject: '', setting: '' }], refusals: [] };
};

describe('resolveDemands', () => {
  const folders = new TemporaryFolders();
  after(() => folders.removeAll());
  const never = (): Promise<readonly string[]> => Promise.withResolvers<readonly string[]>().promise;
  const resolve = (lookUpHost: TestWorkloadContext['lookUpHost'], aborted = signal): Promise<Demands> =>
    resolveDemands(shows, { lookUpHost, logger: createRecordingLogger() }, aborted, 1);

  it('looks up each name once, and judges by the addresses', async () => {
    const asked: string[] = [];
    const { grants } = await resolve(async (hostname) => {
      asked.push(hostname);
      return ['10.9.8.7'];
    });
    expect([asked, grants[0]?.line]).to.deep.equal([['mcp.acme.example'], '10.9.8.7']);
  });

  it('reports a name as unresolved when the lookup fails or takes too long', async () => {
    for (const lookUpHost of [never, () => Promise.reject(new Error('ENOTFOUND'))]) {
      expect((await resolve(lookUpHost)).grants[0]?.line).to.equal('unresolved');
    }
  });

  it('limits concurrent lookups, and starts none after the timeout', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `n${index}.acme.example`);
    const asksAll = (addressesOf: ConsentFacts['addressesOf']): Demands => {
      for (const name of names) addressesOf(name);
      return { grants: [], refusals: [] };
    };
    const begun: string[] = [];
    const pending = new Map<string, (addresses: readonly string[]) => void>();
    const lookUpHost = (hostname: string): Promise<readonly string[]> => {
      begun.push(hostname);
      const { promise, resolve: answer } = Promise.withResolvers<readonly string[]>();
      pending.set(hostname, answer);
      return promise;
    };
    await resolveDemands(asksAll, { lookUpHost, logger: createRecordingLogger() }, signal, 1);
    const late = [...begun];
    expect(late).to.have.length(2);
    for (const answer of pending.values()) answer(['8.8.8.8']);
    await setImmediate();
    expect(begun).to.deep.equal(late);
  });

  it('rejects with the reason of the signal', async () => {
    const controller = new AbortController();
    const ending = resolveDemands(
      shows,
      { lookUpHost: never, logger: createRecordingLogger() },
      controller.signal,
    );
    const reason = new Error('Ctrl-C');
    controller.abort(reason);
    expect(await ending.catch((error: unknown) => error)).to.equal(reason);
  });

  it('plans a grant for a remote whose name does not resolve, each time', async () => {
    const folder = await folders.make();
    const file = path.join(folder, 'stranger.json');
    const config = { name: 'w', remote_url: 'https://mcp.acme.example/mcp', transport: 'sse' };
    await writeFile(file, JSON.stringify(config));
    const request = { target: undefined, fromConfig: file, args: [], flags: {} };
    const context = testWorkloadContext(folder);
    const found = (): Promise<readonly string[]> => Promise.resolve(['8.8.8.8']);
    const lost = (): Promise<readonly string[]> => Promise.reject(new Error('ENOTFOUND'));
    const asked: (readonly string[])[] = [];
    for (const lookUpHost of [lost, found, lost]) {
      const { grants } = await planRun(request, { ...context, lookUpHost }, signal);
      asked.push(grants.map(({ line }) => line));
    }
    const line =
      'connects to https://mcp.acme.example/mcp, whose name does not resolve now and may lead to a private network';
    expect(asked).to.deep.equal([[line], [], [line]]);
  });

  it('plans a grant for a remote at a private address, and rejects a link-local one', async () => {
    const folder = await folders.make();
    const file = path.join(folder, 'stranger.json');
    const config = { name: 'w', remote_url: 'https://mcp.acme.example/mcp', transport: 'sse' };
    await writeFile(file, JSON.stringify(config));
    const request = { target: undefined, fromConfig: file, args: [], flags: {} };
    const context = (address: string): TestWorkloadContext => ({
      ...testWorkloadContext(folder),
      lookUpHost: () => Promise.resolve([address]),
    });
    expect((await planRun(request, context('8.8.8.8'), signal)).grants).to.deep.equal([]);
    const { grants } = await planRun(request, context('fd00::1'), signal);
    expect(grants.map(({ line }) => line)).to.deep.equal([
      'connects to https://mcp.acme.example/mcp, which is in a private network',
    ]);
    expect(await caught(() => planRun(request, context('169.254.169.254'), signal))).to.include({
      code: 'ERR_CONSENT_REFUSED',
    });
  });
});
