import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { WORLD_PACKAGES } from './packages.ts';
import { REAL_MEMBERS } from './virtual-server/real-members.ts';

/** How a package behaved. */
export type Outcome = 'same' | 'differs' | 'fails' | 'not-by-itself';

/** Result of one package in the latest run that started it. */
export interface PackageResult {
  readonly target: string;
  /** Day of the run, in UTC. */
  readonly date: string;
  readonly outcome: Outcome;
  readonly version?: string;
  /** Seconds until the image was built. */
  readonly build?: number;
  /** Seconds until the tools were listed, with the build. */
  readonly list?: number;
  /** Number of tools without a container. */
  readonly bare?: number;
  /** Number of tools under Portolan. */
  readonly contained?: number;
  /** First line of the error, or the tools that differ. */
  readonly error?: string;
}

/** Result of one client or SDK in the latest run that tried it. */
export interface CheckResult {
  readonly name: string;
  readonly date: string;
  readonly version: string;
  /** `ok`, or the first line of the error. */
  readonly result: string;
}

/** Results of `npm run test:world`. */
export interface WorldResults {
  readonly packages: readonly PackageResult[];
  readonly sdks: readonly CheckResult[];
  readonly clients: readonly CheckResult[];
  /** Clients of the virtual server of real members. */
  readonly virtualServer: readonly CheckResult[];
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const DATA = path.join(import.meta.dirname, 'results.json');
const PAGE = path.join(ROOT, 'docs/reference/world.md');

const MEANINGS: Readonly<Record<Outcome, string>> = {
  same: 'same tools',
  differs: 'other tools',
  fails: 'fails under Portolan',
  'not-by-itself': 'does not start by itself',
};

const CAUSES = new Map<string, string | undefined>(
  WORLD_PACKAGES.map(({ target, cause }) => [target, cause]),
);

/** Reads the results of earlier runs. */
export function readResults(): WorldResults {
  // SAFETY: only `writeResults` writes this file.
  return JSON.parse(readFileSync(DATA, 'utf8')) as WorldResults;
}

/** Returns results in which the given ones replace earlier ones of the same package, SDK or client. */
export function mergeResults(earlier: WorldResults, later: Partial<WorldResults>): WorldResults {
  const order = WORLD_PACKAGES.map(({ target }): string => target);
  const packages = replaceBy(earlier.packages, later.packages ?? [], ({ target }) => target)
    .filter(({ target }) => order.includes(target))
    .toSorted((one, other) => order.indexOf(one.target) - order.indexOf(other.target));
  return {
    packages,
    sdks: replaceBy(earlier.sdks, later.sdks ?? [], ({ name }) => name),
    clients: replaceBy(earlier.clients, later.clients ?? [], ({ name }) => name),
    virtualServer: replaceBy(earlier.virtualServer, later.virtualServer ?? [], ({ name }) => name),
  };
}

function replaceBy<T>(earlier: readonly T[], later: readonly T[], keyOf: (one: T) => string): readonly T[] {
  const byKey = new Map(earlier.map((one) => [keyOf(one), one]));
  for (const one of later) byKey.set(keyOf(one), one);
  return [...byKey.values()];
}

/** Writes the results and the page of the documentation that shows them. */
export function writeResults(results: WorldResults): void {
  writeFileSync(DATA, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(PAGE, renderPage(results));
}

/** Returns `docs/reference/world.md`. */
export function renderPage({ packages, sdks, clients, virtualServer }: WorldResults): string {
  const count = (outcome: Outcome): number => packages.filter((one) => one.outcome === outcome).length;
  const startable = packages.length - count('not-by-itself');
  const untried = WORLD_PACKAGES.length - packages.length;
  return `${[
    '# Real servers, clients and SDKs',
    '',
    '`npm run test:world` wrote this page. [Tests](../contributing/tests.md#real-servers-clients-and-sdks) says how to run it.',
    '',
    '## Servers',
    '',
    `- ${packages.length} of ${WORLD_PACKAGES.length} packages were started; ${untried} were not.`,
    `- ${startable} start without a container. ${count('same')} of these list the same tools under the defaults of \`portolan run\`.`,
    `- ${count('differs')} list other tools, ${count('fails')} fail under Portolan.`,
    `- ${count('not-by-itself')} do not start by themselves.`,
    '',
    '| Package | Version | Date | Build (s) | List (s) | Tools bare | Tools under Portolan | Result | First line of the error | Cause |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...packages.map(packageRow),
    '',
    '## SDKs',
    '',
    ...checkTable('SDK and transport', sdks),
    '',
    '## Clients',
    '',
    ...checkTable('Client and workload', clients),
    '',
    '## A virtual server of real servers',
    '',
    `Its members are ${REAL_MEMBERS.map(({ target }) => `\`${target}\``).join(', ')}.`,
    'Each client lists the tools of all members, and calls a tool of each.',
    '',
    ...checkTable('Client', virtualServer),
  ].join('\n')}\n`;
}

function packageRow({
  target,
  version,
  date,
  build,
  list,
  bare,
  contained,
  outcome,
  error,
}: PackageResult): string {
  const cells = [
    `\`${target}\``,
    version,
    date,
    build,
    list,
    bare,
    contained,
    MEANINGS[outcome],
    quoteCell(error),
    outcome === 'same' ? undefined : CAUSES.get(target),
  ];
  return `| ${cells.map((cell) => cell ?? '').join(' | ')} |`;
}

function checkTable(title: string, rows: readonly CheckResult[]): readonly string[] {
  if (rows.length === 0) return ['None was tried.'];
  return [
    `| ${title} | Version | Date | Result |`,
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ name, version, date, result }) => `| ${name} | ${version} | ${date} | ${quoteCell(result)} |`,
    ),
  ];
}

function quoteCell(text: string | undefined): string {
  if (text === undefined || text === 'ok') return text ?? '';
  return `\`${text.replaceAll(/[`|]/g, "'")}\``;
}
