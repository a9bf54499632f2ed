import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UndoStack } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { createRunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { beginPolicies } from '../../src/supervisor/policies/begin-policies.ts';
import type { Supervision } from '../../src/supervisor/supervision.ts';
import type { WorkloadContext } from '../../src/workload-context.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

describe('beginPolicies', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-policies-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Returns a supervision with the parts that `beginPolicies` uses. */
  function supervision(openProxyMiddleware: WorkloadContext['kinds']['openProxyMiddleware']): Supervision {
    const context = testWorkloadContext(folder);
    const work = {
      config: createRunConfig({ name: 'a', tools_filter: ['echo'] }),
      context: { ...context, kinds: { ...context.kinds, openProxyMiddleware } },
      order: { policySecrets: {} },
      opened: new UndoStack(createRecordingLogger()),
    };
    return work as unknown as Supervision; // beginPolicies uses no other part
  }

  it('returns at once, while close waits for the policies', async () => {
    const { promise, resolve } = Promise.withResolvers<never>();
    const work = supervision(() => promise);
    await beginPolicies(work);
    let isOver = false;
    const closing = work.opened.run().finally(() => {
      isOver = true;
    });
    await new Promise((then) => setImmediate(then));
    expect(isOver).to.equal(false);
    resolve(undefined as never);
    await closing;
    expect(isOver).to.equal(true);
  });

  it('passes an error only to callers that await `work.policies`', async () => {
    const work = supervision(() => Promise.reject(new Error('no such policy')));
    await beginPolicies(work);
    await work.opened.run();
    const said = await work.policies?.then(
      () => 'opened',
      (error: unknown) => String(error),
    );
    expect(said).to.equal('Error: no such policy');
  });
});
