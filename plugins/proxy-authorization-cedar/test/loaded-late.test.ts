import { expect } from 'chai';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Runs in a thread of its own, where no other test has loaded anything. */
const PROGRAM = `
  const { createRequire } = require('node:module');
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData).then(({ decisionPointAuthorization, cedarAuthorization }) => {
    const isLoaded = () => Object.keys(createRequire(workerData).cache).some((file) => file.includes('cedar_wasm'));
    const before = isLoaded();
    decisionPointAuthorization.check({ pdp: { http: { url: 'https://pdp.example' } } });
    const forService = isLoaded();
    cedarAuthorization.check({ cedar: { policies: ['permit(principal, action, resource);'], entities_json: '', group_entity_type: 'G' } });
    parentPort.postMessage({ before, forService, forPolicies: isLoaded() });
  });
`;

describe('Cedar engine', () => {
  it('loads only for policies, not for a decision point', async function () {
    this.timeout(120_000);
    const workerData = new URL('../src/index.ts', import.meta.url).href;
    const worker = new Worker(PROGRAM, { eval: true, workerData });
    try {
      const [loaded]: unknown[] = await once(worker, 'message');
      expect(loaded).to.deep.equal({ before: false, forService: false, forPolicies: true });
    } finally {
      await worker.terminate();
    }
  });
});
