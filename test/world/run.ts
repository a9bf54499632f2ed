// Tries real servers, clients and SDKs of the package indexes with Portolan, and writes docs/world.md:
// npm run test:world [-- OPTIONS] [-- PART...] [-- TARGET...]
//   PART       servers, sdks or clients; without one, all
//   TARGET     starts only these packages, such as npx://@playwright/mcp
//   --untried  starts only packages that the page does not have yet
//   --quick    what continuous integration tries: ten servers, the SDKs of TypeScript and Python; writes nothing
import { createTestContext, engineOf } from '@portolan/plugin-testing';
import { dockerRuntime } from '@portolan/runtime-docker';
import { run } from '../../scripts/run.ts';
import { OwnBaseImage } from '../support/own-base-image.ts';
import { WorkloadUser } from '../support/workload-user.ts';
import { BaseImages } from './base-images.ts';
import { HostPrograms } from './host-programs.ts';
import { WORLD_PACKAGES, type WorldPackage } from './packages.ts';
import { mergeResults, type PackageResult, readResults, writeResults } from './results.ts';
import { tryClients } from './try-client.ts';
import { tryPackage } from './try-package.ts';

const DOCKER = { memoryMegabytes: 512, cpus: 2, processes: 256, openFiles: 1024, stopGrace: '10s' };

const PARTS = ['servers', 'sdks', 'clients'] as const;
/** Workload that clients and SDKs are tried with. */
const SERVER = 'npx://@modelcontextprotocol/server-everything';

const words = process.argv.slice(2);
const isQuick = words.includes('--quick');
const targets = words.filter((word) => /^\w+:\/\//.test(word));
const named = PARTS.filter((part) => words.includes(part));
const parts: readonly (typeof PARTS)[number][] =
  named.length > 0 ? named : targets.length > 0 ? ['servers'] : PARTS;
const totals = { passed: 0, failed: 0, skipped: 0 };

const user = await WorkloadUser.at(engineOf(await dockerRuntime.create(DOCKER, createTestContext())));
const programs = await HostPrograms.open(user.root);
const images = new BaseImages();
try {
  const reachable = await findReachableIndexes();
  if (parts.includes('servers')) await tryServers(reachable);
  if (parts.includes('clients') && !isQuick)
    await inWorkloads(reachable, async (names) => {
      await tryClients(names, user, programs, (result) => {
        report(
          result.result === 'ok' ? 'passed' : 'failed',
          result.name,
          `${result.version} ${result.result}`,
        );
        writeResults(mergeResults(readResults(), { clients: [result] }));
      });
    });
} finally {
  await user.close();
}
console.log(`world: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = Math.min(totals.failed, 1);

async function tryServers(reachable: ReadonlySet<string>): Promise<void> {
  for (const one of choosePackages()) {
    if (!reachable.has(schemeOf(one))) {
      report('skipped', one.target, `the package index of ${schemeOf(one)} is unreachable`);
      continue;
    }
    const result = await tryPackage(one, { user, programs, images });
    await programs.removeDownloads();
    const isFailure = result.outcome === 'fails' || result.outcome === 'differs';
    report(isFailure ? 'failed' : 'passed', one.target, describe(result));
    if (!isQuick) writeResults(mergeResults(readResults(), { packages: [result] }));
  }
}

/** Runs an action while one workload responds by streamable HTTP, and another one by HTTP+SSE. */
async function inWorkloads(
  reachable: ReadonlySet<string>,
  action: (names: readonly string[]) => Promise<void>,
): Promise<void> {
  if (!reachable.has('npx')) return report('skipped', SERVER, 'the package index of npx is unreachable');
  const base = await OwnBaseImage.make(user.runtime, await images.provideFor({ target: SERVER }));
  try {
    const names = [`world-http-${process.pid}`, `world-sse-${process.pid}`];
    for (const [index, mode] of ['streamable-http', 'sse'].entries()) {
      const name = names[index] ?? '';
      await user.run(SERVER, '--name', name, '--runtime-image', base.reference, '--proxy-mode', mode);
    }
    await action(names);
  } finally {
    await user.removeLeft();
    await base.remove();
  }
}

function choosePackages(): readonly WorldPackage[] {
  if (targets.length > 0) return WORLD_PACKAGES.filter(({ target }) => targets.includes(target));
  if (isQuick) return WORLD_PACKAGES.filter((one) => one.isQuick);
  if (!words.includes('--untried')) return WORLD_PACKAGES;
  const tried = new Set(readResults().packages.map(({ target }) => target));
  return WORLD_PACKAGES.filter(({ target }) => !tried.has(target));
}

function schemeOf({ target }: WorldPackage): string {
  return target.slice(0, target.indexOf(':'));
}

/** Returns the schemes whose package index responds. */
async function findReachableIndexes(): Promise<ReadonlySet<string>> {
  const checks: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['npx', async () => await run('npm', ['view', '@modelcontextprotocol/server-memory', 'version'])],
    ['uvx', async () => await programs.installUv()],
    ['go', async () => await run('go', ['list', '-m', 'github.com/modelcontextprotocol/go-sdk@latest'])],
  ];
  const found = new Set<string>();
  for (const [scheme, check] of checks) {
    try {
      await check();
      found.add(scheme);
    } catch (error) {
      console.log(`${scheme}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    }
  }
  return found;
}

function describe({ bare, contained, build, list, error }: PackageResult): string {
  return [
    bare === undefined ? '' : `${bare} tools bare`,
    contained === undefined ? '' : `${contained} under Portolan`,
    build === undefined ? '' : `built in ${build} s`,
    list === undefined ? '' : `listed in ${list} s`,
    error ?? '',
  ]
    .filter((text) => text !== '')
    .join(', ');
}

function report(outcome: keyof typeof totals, name: string, text: string): void {
  totals[outcome] += 1;
  console.log(`${outcome} ${name}: ${text}`);
}
