import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { IS_SOAK, limitMs } from '../../support/soak.ts';
import { giveSecretStore } from '../../support/own-secrets.ts';
import { foldersBelow } from '../../support/user-folders.ts';
import { type RemoteContext, useRemote } from './login-conformance/logging-in-client.ts';
import { runClientSuite, type ScenarioOutcome } from './login-conformance/run-client-suite.ts';

const PAGE = new URL('../../../docs/reference/conformance.md', import.meta.url);

/** Scenarios of the suite about logins of clients, as rows of the page. */
const SETS: readonly {
  readonly title: string;
  readonly wanted: readonly string[];
  readonly scored: number;
  readonly isShort: boolean;
}[] = [
  { title: '2026-07-28', wanted: ['--requirements', '2026-07-28'], scored: 25, isShort: true },
  { title: '2025-11-25', wanted: ['--requirements', '2025-11-25'], scored: 14, isShort: false },
  { title: '2025-03-26', wanted: ['--suite', 'backcompat'], scored: 2, isShort: true },
];

/** Scenarios in which the login has to fail, with the message of the command. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  'auth/resource-mismatch': /is about "https:\/\/evil\.example\.com\/mcp"/,
  'auth/metadata-issuer-mismatch': /is about "https:\/\/attacker\.example\.com"/,
  'auth/iss-supported-missing': /the answer came not from/,
  'auth/iss-wrong-issuer': /the answer came not from/,
  'auth/iss-unexpected': /the answer came not from/,
  'auth/iss-normalized': /the answer came not from/,
  // The suite counts requests, and ends the scenario after some.
  'auth/scope-retry-limit': /^Error: (?:4(?:03|10) |200 .*"code":403,)/,
};

describe('the official conformance suite for clients: logins of `portolan run URL`', function () {
  this.timeout(limitMs(600_000));
  let root: string;
  let context: RemoteContext;
  let count = 0;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-logins-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    context = { cwd: root, env: { ...foldersBelow(root), PORTOLAN_SECRETS_PASSWORD: 'correct horse' } };
    await giveSecretStore(root, 'correct horse');
  });
  after(async () => {
    await rm(root, { recursive: true, force: true });
  });

  for (const { title, wanted, scored } of SETS.filter((set) => IS_SOAK || set.isShort)) {
    it(`passes ${scored} of ${scored} scored scenarios about logins: ${title}`, async () => {
      const { scenarios, output } = await runClientSuite(wanted, async (asked) => {
        count += 1;
        await useRemote(asked, `remote-${count}`, context);
      });
      const odd = scenarios.filter((scenario) => !isAsItShouldBe(scenario));
      expect(odd, output).to.deep.equal([]);
      expect(scenarios).to.have.lengthOf(scored);
      const row = rowOf(title, scenarios);
      process.stdout.write(`\n${row}\n`);
      expect(await readFile(PAGE, 'utf8')).to.include(row);
    });
  }
});

function isAsItShouldBe({ name, failed, warnings, fault }: ScenarioOutcome): boolean {
  const refusal = REFUSED[name];
  const hasEnded = refusal === undefined ? fault === '' : fault.search(refusal) !== -1;
  return failed === 0 && warnings === 0 && hasEnded;
}

function rowOf(title: string, scenarios: readonly ScenarioOutcome[]): string {
  const passed = scenarios.filter(({ failed }) => failed === 0);
  return `| ${title} | ${passed.length} of ${scenarios.length} |`;
}
