// Tries real servers, clients and SDKs of the package indexes with Portolan, and writes docs/reference/world.md:
// npm run test:world [-- OPTIONS] [-- PART...] [-- TARGET...]
//   PART       servers, sdks, clients or virtual-server; without one, all
//   TARGET     starts only these packages, such as npx://@playwright/mcp, or tries only these clients, such as codex,
//              or only these SDKs, named by their folder, such as rust-sdk
//   --untried  starts only packages that the page does not have yet
//   --quick    what continuous integration tries: ten servers, the SDKs of TypeScript and Python; writes nothing
import { type ContainerEngine, isPortolanError } from '@portolan/plugin-api';
import { createTestContext, engineOf } from '@portolan/plugin-testing';
import { dockerRuntime } from '@portolan/runtime-docker';
import { run } from '../../scripts/run.ts';
import { OwnBaseImage } from '../support/own-base-image.ts';
import { WorkloadUser } from '../support/workload-user.ts';
import { BaseImages } from './base-images.ts';
import { HostPrograms } from './host-programs.ts';
import { WORLD_PACKAGES, type WorldPackage } from './packages.ts';
import { type CheckResult, mergeResults, type PackageResult, readResults, writeResults } from './results.ts';
import { tryClients } from './try-client.ts';
import { tryPackage } from './try-package.ts';
import { type ClientTarget, trySdk } from './try-sdk.ts';
import { SDK_LANGUAGES } from './sdk-languages.ts';
import { WORLD_SDKS, type WorldSdk } from './sdks.ts';
import { tryVirtualServer } from './virtual-server/try-clients.ts';

const DOCKER = { memoryMegabytes: 512, cpus: 2, processes: 256, openFiles: 1024, stopGrace: '10s' };

const PARTS = ['servers', 'sdks', 'clients', 'virtual-server'] as const;
/** Workload that clients and SDKs are tried with. */
const SERVER = 'npx://@modelcontextprotocol/server-everything';
/** Artifact whose version shows that the index of Java packages responds. */
const JAVA_SDK = 'io.modelcontextprotocol.sdk:mcp';

/** What a result counts as. A package that does not start without a container says nothing about Portolan. */
const OUTCOMES = { same: 'passed', differs: 'failed', fails: 'failed', 'not-by-itself': 'skipped' } as const;

const words = process.argv.slice(2);
const isQuick = words.includes('--quick');
const chosen = words.filter((word) => /^\w+:\/\//.test(word));
const named = PARTS.filter((part) => words.includes(part));
const parts: readonly (typeof PARTS)[number][] =
  named.length > 0 ? named : chosen.length > 0 ? ['servers'] : PARTS;
const totals = { passed: 0, failed: 0, skipped: 0 };

let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (isInterrupted = true));

const runtime = await openEngine();
// Each part has a user of its own, because quick runs try parts at the same time.
const users = { servers: await WorkloadUser.at(runtime), others: await WorkloadUser.at(runtime) };
const programs = await HostPrograms.open(users.servers.root);
const images = new BaseImages();
try {
  const reachable = await findReachableIndexes();
  const tryOthers = async (): Promise<void> => await inWorkloads(reachable, tryClientsAndSdks);
  const needsOthers = parts.includes('sdks') || (parts.includes('clients') && !isQuick);
  const runs = [
    ...(parts.includes('servers') ? [async () => await tryServers(reachable)] : []),
    ...(needsOthers ? [tryOthers] : []),
    ...(parts.includes('virtual-server') && !isQuick ? [async () => await tryMembers(reachable)] : []),
  ];
  if (isQuick) await Promise.all(runs.map(async (one) => await one()));
  else for (const one of runs) await one();
} finally {
  await users.servers.close();
  await users.others.close();
}
console.log(`world: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = Math.min(totals.failed, 1);

/** Ends the program with the reason if no container engine responds. */
async function openEngine(): Promise<ContainerEngine> {
  try {
    return engineOf(await dockerRuntime.create(DOCKER, createTestContext()));
  } catch (error) {
    if (!isPortolanError(error) || error.code !== 'ERR_RUNTIME_UNREACHABLE') throw error;
    console.log('world: skipped: no container engine; scripts/container-env.sh up starts one');
    return process.exit(0);
  }
}

async function tryServers(reachable: ReadonlySet<string>): Promise<void> {
  for (const one of choosePackages()) {
    if (isInterrupted) return; // after a package, so that nothing of it stays
    if (!reachable.has(schemeOf(one))) {
      report('skipped', one.target, `the package index of ${schemeOf(one)} is unreachable`);
      continue;
    }
    const result = await tryPackage(one, { user: users.servers, programs, images });
    if (!isQuick) await programs.removeDownloads();
    report(OUTCOMES[result.outcome], one.target, describe(result));
    if (!isQuick) writeResults(mergeResults(readResults(), { packages: [result] }));
  }
}

async function tryMembers(reachable: ReadonlySet<string>): Promise<void> {
  if (!['npx', 'uvx', 'go'].every((index) => reachable.has(index)))
    return report('skipped', 'virtual server', 'a package index is unreachable');
  await tryVirtualServer({ user: users.others, programs, images }, (result) => {
    report(result.result === 'ok' ? 'passed' : 'failed', `virtual server, ${result.name}`, result.result);
    writeResults(mergeResults(readResults(), { virtualServer: [result] }));
  });
}

async function tryClientsAndSdks(
  targets: readonly ClientTarget[],
  reachable: ReadonlySet<string>,
): Promise<void> {
  const record = (part: 'sdks' | 'clients', result: CheckResult): void => {
    report(result.result === 'ok' ? 'passed' : 'failed', result.name, `${result.version} ${result.result}`);
    if (!isQuick) writeResults(mergeResults(readResults(), { [part]: [result] }));
  };
  const context = { user: users.others, programs, images };
  for (const sdk of chooseSdks()) {
    if (isInterrupted) break;
    const { index } = SDK_LANGUAGES[sdk.language];
    if (reachable.has(index)) await trySdk(sdk, targets, context, (result) => record('sdks', result));
    else report('skipped', sdk.name, `the package index of ${index} is unreachable`);
  }
  if (!parts.includes('clients') || isQuick) return;
  const names = targets.map(({ name }) => name);
  const ids = words.filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith('--') && !isPart(word));
  const isChosen = (client: string): boolean => ids.length === 0 || ids.includes(client);
  await tryClients(names, users.others, programs, (result) => record('clients', result), isChosen);
}

/** Runs an action while one workload responds by streamable HTTP, and another one by HTTP+SSE. */
async function inWorkloads(
  reachable: ReadonlySet<string>,
  action: (targets: readonly ClientTarget[], reachable: ReadonlySet<string>) => Promise<void>,
): Promise<void> {
  if (!reachable.has('npx')) return report('skipped', SERVER, 'the package index of npx is unreachable');
  const base = await OwnBaseImage.make(runtime, await images.provideFor({ target: SERVER }));
  try {
    const targets: ClientTarget[] = [];
    for (const transport of ['streamable-http', 'sse'] as const) {
      const name = `world-${transport}-${process.pid}`;
      const flags = ['--runtime-image', base.reference, '--proxy-mode', transport, '--tools', 'echo,get-sum'];
      targets.push({ name, transport, url: await users.others.run(SERVER, '--name', name, ...flags) });
    }
    await action(targets, reachable);
  } finally {
    await users.others.removeLeft();
    await base.remove();
  }
}

function isPart(word: string): boolean {
  return PARTS.some((part) => part === word);
}

function choosePackages(): readonly WorldPackage[] {
  if (chosen.length > 0) return WORLD_PACKAGES.filter(({ target }) => chosen.includes(target));
  if (isQuick) return WORLD_PACKAGES.filter((one) => one.isQuick);
  if (!words.includes('--untried')) return WORLD_PACKAGES;
  const tried = new Set(readResults().packages.map(({ target }) => target));
  return WORLD_PACKAGES.filter(({ target }) => !tried.has(target));
}

function schemeOf({ target }: WorldPackage): string {
  return target.slice(0, target.indexOf(':'));
}

/** Returns the SDKs to try. */
function chooseSdks(): readonly WorldSdk[] {
  if (!parts.includes('sdks')) return [];
  const listed = WORLD_SDKS.filter(({ folder }) => words.includes(folder));
  if (listed.length > 0) return listed;
  return isQuick ? WORLD_SDKS.filter((one) => one.isQuick) : WORLD_SDKS;
}

/** Returns the package indexes that respond, of those that are needed. */
async function findReachableIndexes(): Promise<ReadonlySet<string>> {
  const needed = new Set([
    'npx',
    'uvx',
    ...(parts.includes('servers') ? choosePackages().map(schemeOf) : []),
    ...chooseSdks().map(({ language }) => SDK_LANGUAGES[language].index),
    ...(parts.includes('virtual-server') && !isQuick ? ['go'] : []),
  ]);
  const checks: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['npx', async () => await run('npm', ['view', '@modelcontextprotocol/server-memory', 'version'])],
    ['uvx', async () => await programs.installUv()],
    ['go', async () => await run('go', ['list', '-m', 'github.com/modelcontextprotocol/go-sdk@latest'])],
    ['cargo', async () => await run('cargo', ['info', '--quiet', 'rmcp'])],
    ['maven', async () => await run('mvn', ['-B', '-q', 'dependency:get', `-Dartifact=${JAVA_SDK}:LATEST`])],
  ];
  const found = new Set<string>();
  for (const [scheme, check] of checks) {
    if (!needed.has(scheme)) continue;
    try {
      await check();
      found.add(scheme);
    } catch (error) {
      console.log(`${scheme}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    }
  }
  return found;
}

function describe({ outcome, bare, contained, build, list, error }: PackageResult): string {
  return [
    outcome === 'not-by-itself' ? 'does not start by itself' : '',
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
