import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestContext, hostContract } from '@portolan/plugin-testing';
import { choosePort } from '@portolan/workload';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { processRuntime } from '../../support/process-host/index.ts';

const IMAGE = 'acme/everything:1';

describe('the process host (contract tests)', () => {
  let folder: string;
  let port = 0;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-hosts-'));
    port = await choosePort({ host: '127.0.0.1', reserved: new Set() });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const blockIn = (place: string): { folder: string; programs: Record<string, readonly string[]> } => ({
    folder: place,
    programs: { [IMAGE]: [process.execPath, EVERYTHING] },
  });
  hostContract({
    name: 'processes',
    kind: processRuntime,
    blocks: [blockIn('/nowhere')],
    create: () => processRuntime.create(blockIn(folder), createTestContext()),
    http: {
      image: IMAGE,
      arguments: ['streamableHttp'],
      // A hook chooses the port, after the cases were defined.
      get port() {
        return port;
      },
    },
    stdio: { image: IMAGE, arguments: ['stdio'] },
    missingImage: 'acme/missing:1',
  });
});
