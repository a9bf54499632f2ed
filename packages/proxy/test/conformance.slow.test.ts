import type { ServerBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { ChildConnection } from './support/child-connection.ts';
import {
  type RunningServer,
  startLegacyServer,
  startModernServer,
} from './support/conformance/http-servers.ts';
import { type Requirements, runSuite, type SuiteOutcome } from './support/conformance/run-suite.ts';
import { STDIO_PROGRAM } from './support/conformance/stdio-program.ts';
import { Proxies } from './support/proxy-under-test.ts';

const PAGE = new URL('../../../docs/reference/conformance.md', import.meta.url);

/** Ways in which the suite reaches a server. */
const PATHS = ['direct', 'transparent', 'bridge'] as const;
type Path = (typeof PATHS)[number];

/**
 * Requirements, era and number of scored scenarios of each run. The suite's own lists freeze the scenarios.
 */
const SETS: readonly {
  readonly requirements: Requirements;
  readonly era: 'legacy' | 'modern';
  readonly scored: number;
}[] = [
  { requirements: '0.1.16', era: 'legacy', scored: 30 },
  { requirements: '2025-11-25', era: 'legacy', scored: 30 },
  { requirements: '2026-07-28', era: 'modern', scored: 37 },
];

describe('official conformance suite', function () {
  this.timeout(180_000);
  const proxies = new Proxies();
  const servers: RunningServer[] = [];
  after(async () => {
    await proxies.close();
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  async function reach(path: Path, era: 'legacy' | 'modern'): Promise<URL> {
    if (path === 'bridge') return (await proxies.open(bridged(era), { limits: LIMITS })).url;
    const server = await (era === 'legacy' ? startLegacyServer() : startModernServer());
    servers.push(server);
    if (path === 'direct') return server.url;
    const { url } = await proxies.open(transparent(server.url));
    return url;
  }

  const outcomes = new Map<string, Promise<SuiteOutcome>>();
  const outcomeOf = (path: Path, requirements: Requirements): Promise<SuiteOutcome> => {
    const outcome = outcomes.get(`${path} ${requirements}`);
    if (outcome === undefined) throw new Error(`${path} was not run`);
    return outcome;
  };

  // The runs are concurrent, because the suite mostly waits.
  before(async () => {
    for (const { requirements, era } of SETS) {
      for (const path of PATHS) {
        const url = await reach(path, era);
        outcomes.set(`${path} ${requirements}`, runSuite(named(url), requirements));
      }
    }
    await Promise.all(outcomes.values());
  });

  for (const { requirements, scored } of SETS) {
    for (const path of PATHS) {
      it(`passes all ${scored} of ${scored} scored scenarios: ${requirements}, ${path}`, async () => {
        const { scenarios, output } = await outcomeOf(path, requirements);
        const failed = scenarios.filter(({ isScored, failed: faults }) => isScored && faults > 0);
        expect(failed, output).to.deep.equal([]);
        expect(scenarios.filter(({ isScored, passed }) => isScored && passed > 0)).to.have.lengthOf(scored);
      });
    }
  }

  it('matches the results in docs/reference/conformance.md', async () => {
    const rows: string[] = [];
    for (const { requirements } of SETS) {
      const cells = await Promise.all(PATHS.map(async (path) => cellOf(await outcomeOf(path, requirements))));
      rows.push(`| ${requirements} | ${cells.join(' | ')} |`);
    }
    const table = rows.join('\n');
    process.stdout.write(`\n| set | ${PATHS.join(' | ')} |\n${table}\n`);
    expect(await readFile(PAGE, 'utf8')).to.include(table);
  });
});

/**
 * Limits that evict idle sessions early, because neither the suite nor the SDK's `close()` ends a session. A
 * busy machine needs a long probe limit.
 */
const LIMITS = { maxProcesses: 6, makesRoomAfterMs: 250, probeMs: 60_000 };

function bridged(era: 'legacy' | 'modern'): ServerBackend {
  const openConnection = async () =>
    new ChildConnection(process.execPath, ['--conditions=@portolan/source', STDIO_PROGRAM, era]);
  return { carries: 'messages', mode: 'streamable-http', sessions: 'own', openConnection };
}

function transparent(url: URL): ServerBackend {
  return { carries: 'http', transport: 'streamable-http', target: new URL(url.origin), isRemote: false };
}

/** Returns the URL with the host `localhost`, the only host that the suite accepts. */
function named({ port, pathname }: URL): URL {
  return new URL(`http://localhost:${port}${pathname}`);
}

/**
 * Returns the count of passed scenarios. The number of checks depends on what the suite receives within half
 * a second, so it is left out.
 */
function cellOf({ scenarios }: SuiteOutcome): string {
  const scored = scenarios.filter(({ isScored }) => isScored);
  const passed = scored.filter(({ failed }) => failed === 0);
  return `${passed.length} of ${scored.length}`;
}
