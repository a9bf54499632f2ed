import type { ServerBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import { ChildConnection } from '../support/child-connection.ts';
import { type Requirements, runSuite, type SuiteOutcome } from '../support/conformance/run-suite.ts';
import { STDIO_PROGRAM } from '../support/conformance/stdio-program.ts';
import { Proxies } from '../support/proxy-under-test.ts';

/** Sets of the suite that run with a server of the other era. */
const SETS: readonly {
  readonly requirements: Requirements;
  readonly server: 'legacy' | 'modern';
  readonly failing: readonly string[];
}[] = [
  { requirements: '0.1.16', server: 'modern', failing: [] },
  { requirements: '2025-11-25', server: 'modern', failing: [] },
  // The suite expects the keys of input requests, which no Legacy server sends.
  { requirements: '2026-07-28', server: 'legacy', failing: ['input-required-result-basic-elicitation'] },
];

/** Limits that evict idle sessions early, because the suite ends no session. */
const LIMITS = { maxProcesses: 6, makesRoomAfterMs: 250, probeMs: 60_000 };

describe('official conformance suite with a server of the other era', function () {
  this.timeout(300_000);
  const proxies = new Proxies();
  const outcomes = new Map<string, SuiteOutcome>();

  before(async () => {
    await Promise.all(
      SETS.map(async ({ requirements, server }) => {
        const { url } = await proxies.open(backendOf(server), { limits: LIMITS });
        const named = new URL(`http://localhost:${url.port}${url.pathname}`);
        outcomes.set(requirements, await runSuite(named, requirements));
      }),
    );
  });
  after(() => proxies.close());

  for (const { requirements, server, failing } of SETS) {
    it(`passes the scenarios of ${requirements} through the bridge to a ${server} server`, () => {
      const { scenarios = [], output = '' } = outcomes.get(requirements) ?? {};
      const scored = scenarios.filter(({ isScored }) => isScored);
      const failed = scored.filter(({ failed: faults }) => faults > 0).map(({ name }) => name);
      process.stdout.write(`${requirements}: ${scored.length - failed.length} of ${scored.length}\n`);
      expect(failed, output).to.deep.equal(failing);
    });
  }
});

function backendOf(era: 'legacy' | 'modern'): ServerBackend {
  const openConnection = async () =>
    new ChildConnection(process.execPath, ['--conditions=@portolan/source', STDIO_PROGRAM, era, 'all']);
  return {
    carries: 'messages',
    mode: 'streamable-http',
    sessions: 'own',
    openConnection,
    translatesEras: true,
  };
}
