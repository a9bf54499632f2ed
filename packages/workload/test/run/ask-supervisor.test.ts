import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { askSupervisor } from '../../src/run/operations/lock/ask-supervisor.ts';
import { requestIdIn, responseNameOf } from '../../src/state/definitions-exchange.ts';
import { ownProcess, type ProcessIdentity } from '../../src/state/process-identity.ts';

const DEFINITIONS = { server: { capabilities: {} }, tools: '[]', prompts: '[]', templates: '[]' };

describe('askSupervisor', () => {
  let policies: string;
  let folder: string;
  let supervisor: ProcessIdentity | undefined;

  beforeEach(async () => {
    policies = await mkdtemp(path.join(tmpdir(), 'portolan-ask-'));
    folder = path.join(policies, 'own');
    await mkdir(folder);
    supervisor = await ownProcess();
  });
  afterEach(async () => await rm(policies, { recursive: true, force: true }));

  const ask = async (signal: AbortSignal = AbortSignal.timeout(10_000), maxMs = 5000): Promise<unknown> => {
    // SAFETY: a question uses only these members.
    const context = {
      directories: { policies },
      store: { find: async () => ({ supervisor }) },
    } as unknown as Parameters<typeof askSupervisor>[1];
    return await askSupervisor('own', context, signal, maxMs).catch((error: unknown) => error);
  };

  /** Waits for a request, and responds to it. */
  async function respond(response: unknown): Promise<void> {
    const id = await eventually(async () => {
      const [found] = (await readdir(folder)).flatMap((file) => requestIdIn(file) ?? []);
      return found ?? expect.fail('no request');
    });
    await writeFile(path.join(folder, responseNameOf(id)), JSON.stringify(response));
  }

  it('askSupervisor › returns the definitions, and removes the files', async () => {
    const [received] = await Promise.all([ask(), respond({ definitions: DEFINITIONS })]);
    expect(received).to.deep.equal(DEFINITIONS);
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('askSupervisor › throws the error of the supervisor', async () => {
    const error = { code: 'ERR_X', class: 'unavailable', message: 'It is gone.', hint: 'Look.' };
    const [received] = await Promise.all([ask(), respond({ error })]);
    expect(received).to.include({
      code: 'ERR_X',
      class: 'unavailable',
      message: 'It is gone.',
      hint: 'Look.',
    });
  });

  it('askSupervisor › throws ERR_STATE_DAMAGED when the response is something else', async () => {
    const [received] = await Promise.all([ask(), respond({ definitions: { tools: '[]' } })]);
    expect(received).to.include({ code: 'ERR_STATE_DAMAGED' });
  });

  it('askSupervisor › returns undefined when the supervisor has ended', async () => {
    supervisor = { pid: 2 ** 22 + 1, started: 'never' };
    expect(await ask()).to.equal(undefined);
    supervisor = undefined;
    expect(await ask()).to.equal(undefined);
  });

  it('askSupervisor › throws ERR_DEFINITIONS_UNREADABLE when the supervisor does not respond', async () => {
    const error = await ask(undefined, 50);
    expect(error).to.include({ code: 'ERR_DEFINITIONS_UNREADABLE' });
    expect(error).to.have.property('message').that.includes('did not respond within 0.05 s');
  });

  it('askSupervisor › rejects with the reason of the signal', async () => {
    const reason = new Error('interrupted');
    expect(await ask(AbortSignal.abort(reason))).to.equal(reason);
    expect(await readdir(folder)).to.deep.equal([]);
  });
});
