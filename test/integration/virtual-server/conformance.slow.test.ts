import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { MemberSource } from '@portolan/virtual-server';
import {
  type RunningServer,
  startLegacyServer,
  startModernServer,
} from '../../../packages/proxy/test/support/conformance/http-servers.ts';
import {
  type Requirements,
  runSuite,
  type SuiteOutcome,
} from '../../../packages/proxy/test/support/conformance/run-suite.ts';
import { STDIO_PROGRAM } from '../../../packages/proxy/test/support/conformance/stdio-program.ts';
import { VirtualServers } from '../../../packages/virtual-server/test/support/virtual-servers.ts';
import { httpMember, stdioMember } from './member-sources.ts';

const PAGE = new URL('../../../docs/reference/conformance.md', import.meta.url);

type Era = 'legacy' | 'modern';
/** How the virtual server reaches the server that has what the suite asks for. */
type Path = 'stdio' | 'http' | 'other era';

/** Scenarios that pass with a direct connection, in `packages/proxy/test/conformance.slow.test.ts`. */
const SETS: readonly { readonly requirements: Requirements; readonly era: Era; readonly scored: number }[] = [
  { requirements: '0.1.16', era: 'legacy', scored: 30 },
  { requirements: '2025-11-25', era: 'legacy', scored: 30 },
  { requirements: '2026-07-28', era: 'modern', scored: 37 },
];
const PATHS: readonly Path[] = ['stdio', 'http', 'other era'];

/** Scenarios that need what no Legacy server has: keys of its questions. */
const FAILING: Readonly<Record<string, readonly string[]>> = {
  '2026-07-28 other era': ['input-required-result-basic-elicitation'],
};

/** The suite ends no session, so unused ones are closed soon. The probe has time for a busy machine. */
const LIMITS = { maxProcesses: 6, makesRoomAfterMs: 250, probeMs: 60_000 };

describe('the official conformance suite with a virtual server of three members', function () {
  this.timeout(600_000);
  const virtualServers = new VirtualServers();
  const servers: RunningServer[] = [];
  const outcomes = new Map<string, SuiteOutcome>();

  before(async () => {
    for (const path of PATHS) {
      await Promise.all(
        SETS.map(async ({ requirements, era }) => {
          const members = await membersOf(path, era);
          const { url } = await virtualServers.open(members, { limits: LIMITS });
          const named = new URL(`http://localhost:${url.port}${url.pathname}`);
          outcomes.set(`${requirements} ${path}`, await runSuite(named, requirements));
        }),
      );
      await virtualServers.close();
    }
  });
  after(async () => {
    await virtualServers.close();
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  for (const { requirements, scored } of SETS) {
    for (const path of PATHS) {
      it(`passes the ${scored} scored scenarios: ${requirements}, ${path}`, () => {
        const { scenarios = [], output = '' } = outcomes.get(`${requirements} ${path}`) ?? {};
        const all = scenarios.filter(({ isScored }) => isScored);
        const failed = all.filter(({ failed: faults }) => faults > 0).map(({ name }) => name);
        expect(failed, output).to.deep.equal(FAILING[`${requirements} ${path}`] ?? []);
        expect(all.filter(({ passed }) => passed > 0)).to.have.lengthOf(scored);
      });
    }
  }

  it('matches the results in docs/reference/conformance.md', async () => {
    const rows = SETS.map(({ requirements }) => {
      const cells = PATHS.map((path) => cellOf(outcomes.get(`${requirements} ${path}`)));
      return `| ${requirements} | ${cells.join(' | ')} |`;
    });
    process.stdout.write(`\n${rows.join('\n')}\n`);
    const page = (await readFile(PAGE, 'utf8')).split('## Virtual servers').at(1);
    for (const row of rows) expect(page).to.include(row.slice(0, -1));
  });

  async function membersOf(path: Path, era: Era): Promise<readonly MemberSource[]> {
    const [legacy, modern] = await Promise.all([startLegacyServer(), startModernServer()]);
    servers.push(legacy, modern);
    return [
      await fixture(path, era),
      await httpMember('legacy', legacy.url),
      await httpMember('modern', modern.url),
    ];
  }

  async function fixture(path: Path, era: Era): Promise<MemberSource> {
    const settings = { prefix: false } as const;
    if (path === 'http') {
      const server = await (era === 'legacy' ? startLegacyServer() : startModernServer());
      servers.push(server);
      return await httpMember('fixture', server.url, settings);
    }
    const spoken = path === 'stdio' ? [era] : [era === 'legacy' ? 'modern' : 'legacy', 'all'];
    const args = ['--conditions=@portolan/source', STDIO_PROGRAM, ...spoken];
    return stdioMember('fixture', { command: process.execPath, args }, settings);
  }
});

function cellOf(outcome: SuiteOutcome | undefined): string {
  const scored = outcome?.scenarios.filter(({ isScored }) => isScored) ?? [];
  return `${scored.filter(({ failed }) => failed === 0).length} of ${scored.length}`;
}
