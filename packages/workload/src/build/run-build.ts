import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type {
  BuildHost,
  EngineDescription,
  ImageDescription,
  Labels,
  ContainerEngine,
} from '@portolan/plugin-api';
import { CREDENTIALS_HOST, labelLines } from '@portolan/scheme-kit';
import {
  type EgressPolicy,
  makeRuntimeFolder,
  openGateway,
  type EgressEvent,
  readEngineNetworks,
  readUpstreamProxies,
} from '@portolan/isolation';
import { ownLabels, WORKLOAD_LABELS } from '../state/workload-labels.ts';
import { buildNotClosed, buildTookTooLong, packageBuildFailed } from './build-errors.ts';
import type { OpenCredentials } from './build-credentials.ts';
import type { BuildContext, BuildOptions } from './build-request.ts';
import { BuiltIds } from './images/built-ids.ts';
import { builtLabels, labelStages, madeFor } from './images/image-labels.ts';
import { DOCKERFILE, packContext } from './context/pack-context.ts';
import { OutputBudget } from './output-budget.ts';
import type { Recipe } from './recipe.ts';
import { readEgressRules } from '@portolan/outbound';

const SCRIPT =
  'for file in /etc/apk/repositories /etc/apt/sources.list /etc/apt/sources.list.d/*; do [ ! -f "$file" ] || cat "$file"; echo; done';

/** Returns the hosts of an image's system package sources, read in a container without a network. */
async function readPackageSources(
  runtime: ContainerEngine,
  image: string,
  labels: Labels,
  signal?: AbortSignal,
): Promise<readonly BuildHost[]> {
  const container = await runtime.createContainer(
    {
      name: `portolan-sources-${randomBytes(6).toString('hex')}`,
      image,
      entrypoint: ['/bin/sh', '-c', SCRIPT],
      command: [],
      environment: {},
      labels,
      network: { mode: 'none' },
      logs: { maxBytes: 1_000_000, files: 1 },
    },
    signal,
  );
  try {
    await runtime.startContainer(container, signal);
    const lines: string[] = [];
    const options = { follow: true, ...(signal === undefined ? {} : { signal }) };
    for await (const { text } of runtime.readLogs(container, options)) lines.push(text);
    return hostsIn(lines);
  } finally {
    await runtime.removeContainer(container);
  }
}

export function hostsIn(lines: readonly string[]): readonly BuildHost[] {
  const addresses = lines
    .filter((line) => !line.trimStart().startsWith('#'))
    .flatMap((line) => line.match(/https?:\/\/[^\s"'<>]+/g) ?? [])
    .flatMap((text) => URL.parse(text) ?? []);
  const hosts = addresses.map(({ hostname, port, protocol }) => ({
    host: hostname,
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
  }));
  return [...new Map(hosts.map((one) => [`${one.host}:${one.port}`, one])).values()];
}

/**
 * Returns the network policy of a build. The build may reach the given hosts and the user's allowed hosts,
 * all on port 443 and on the ports of the given hosts. Throws ERR_PERMISSION_PROFILE for an invalid setting.
 */
function buildPolicy(
  hosts: readonly BuildHost[],
  { user, environment }: Pick<BuildContext, 'user' | 'environment'>,
  runtime: Pick<ContainerEngine, 'listNetworks'>,
  engine: Pick<EngineDescription, 'sharesSockets'>,
): EgressPolicy {
  const ports = [443, ...hosts.map(({ port }) => port)];
  return {
    rules: readEgressRules({
      outbound: { allow_host: [...hosts.map(({ host }) => host), ...user.buildAllowHost], allow_port: ports },
    }),
    allowContainerGateway: false,
    context: { readEngineNetworks: () => readEngineNetworks(runtime, engine.sharesSockets) },
    upstream: readUpstreamProxies(environment),
  };
}

export class RefusedHosts {
  readonly #seen = new Set<string>();

  readonly hear = ({ allowed, host, port }: EgressEvent): void => {
    if (!allowed) this.#seen.add(port === undefined ? host : `${host}:${port}`);
  };

  /**
   * Returns the hosts that the gateway refused. If a host was refused both with and without a port, only the
   * form with the port is listed.
   */
  list(): readonly string[] {
    const all = [...this.#seen].toSorted();
    return all.filter((one) => !all.some((other) => other.startsWith(`${one}:`)));
  }
}

export interface BuildJob {
  readonly recipe: Recipe;
  readonly what: string;
  readonly tag: string;
  readonly hosts: readonly BuildHost[];
  readonly runtime: ContainerEngine;
  readonly credentials?: OpenCredentials | undefined;
}

/**
 * Builds an image in a network that allows only package indexes. On an engine without such networks, the
 * build runs in the default network and the result contains a note; a build with credentials then fails.
 * Throws ERR_PACKAGE_BUILD.
 */
export async function runBuild(
  job: BuildJob,
  context: BuildContext,
  options: BuildOptions,
): Promise<{ readonly image: ImageDescription; readonly notes: readonly string[] }> {
  const engine = await job.runtime.describe(options.signal);
  const { timeoutMs } = context.user.build.limits;
  const late = AbortSignal.timeout(timeoutMs);
  const timed = { ...options, signal: AbortSignal.any([late, ...(options.signal ? [options.signal] : [])]) };
  try {
    if (!engine.buildsInClosedNetwork) return await buildInOpen(job, context, timed);
    return await buildClosed({ ...job, engine }, context, timed);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw late.aborted ? buildTookTooLong(job.what, timeoutMs) : error;
  }
}

async function buildClosed(
  job: BuildJob & { readonly engine: EngineDescription },
  context: BuildContext,
  options: BuildOptions,
): Promise<{ readonly image: ImageDescription; readonly notes: readonly string[] }> {
  const refused = new RefusedHosts();
  const mask = job.credentials?.mask;
  // A build script may connect to a host whose name contains a secret, so mask the refused hosts too.
  const listRefused = (): readonly string[] => refused.list().map((host) => mask?.(host) ?? host);
  try {
    const image = await buildInGateway(job, context, options, refused);
    const list = listRefused();
    const notes =
      list.length === 0 ? [] : [`The build of ${job.what} was denied access to: ${list.join(', ')}.`];
    return { image, notes };
  } catch (error) {
    options.signal?.throwIfAborted();
    throw packageBuildFailed(job.what, error, listRefused(), mask);
  }
}

async function buildInOpen(
  job: BuildJob,
  context: BuildContext,
  options: BuildOptions,
): Promise<{ readonly image: ImageDescription; readonly notes: readonly string[] }> {
  if (job.credentials !== undefined) throw buildNotClosed(job.what);
  const note = `This engine cannot build in a closed network: the build of ${job.what} had unrestricted network access.`;
  try {
    return { image: await build(job, context, options, {}), notes: [note] };
  } catch (error) {
    options.signal?.throwIfAborted();
    throw packageBuildFailed(job.what, error, [], undefined);
  }
}

async function buildInGateway(
  job: BuildJob & { readonly engine: EngineDescription },
  context: BuildContext,
  options: BuildOptions,
  refused: RefusedHosts,
): Promise<ImageDescription> {
  const { runtime, engine } = job;
  const { signal, labels: more = {} } = options;
  const id = `b-${randomBytes(5).toString('hex')}`;
  const labels = { ...ownLabels(undefined, context.directories), [WORKLOAD_LABELS.role]: 'build', ...more };
  const hosts = [...job.hosts, ...(await sourcesOf(job, labels, signal))];
  const folder = await makeRuntimeFolder(id, {
    environment: context.environment,
    temporary: tmpdir(),
    uid: process.getuid?.(),
    platform: process.platform,
  });
  try {
    const gateway = await openGateway({
      workload: job.what,
      containerName: `portolan-build-${id}`,
      labels,
      folder,
      egress: { ...buildPolicy(hosts, context, runtime, engine), ...answersOf(job) },
      ingress: [],
      runtime,
      engine,
      gatewayImage: context.user.gatewayImage,
      imageLabels: madeFor(context.directories),
      madeImages: new BuiltIds(context.directories),
      onEvent: refused.hear,
      logger: context.logger,
      signal,
    });
    try {
      return await build(job, context, options, {
        networkOf: gateway.containerId,
        buildArguments: gateway.environment,
      });
    } finally {
      await gateway.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function answersOf({ credentials }: BuildJob): Pick<EgressPolicy, 'answers'> {
  if (credentials === undefined) return {};
  const credentialsFile = { rule: 'build credentials', text: credentials.script };
  return { answers: new Map([[CREDENTIALS_HOST, credentialsFile]]) };
}

async function sourcesOf(
  { recipe, runtime }: BuildJob,
  labels: Labels,
  signal: AbortSignal | undefined,
): Promise<readonly BuildHost[]> {
  const [base] = recipe.plan.baseImages;
  if (recipe.input.addedPackages.length === 0 || base === undefined) return [];
  return await readPackageSources(runtime, base, labels, signal);
}

async function build(
  { recipe, tag, runtime, credentials }: BuildJob,
  { directories, user }: Pick<BuildContext, 'directories' | 'user'>,
  { onProgress, signal, labels = {} }: BuildOptions,
  network: { readonly networkOf?: string; readonly buildArguments?: Readonly<Record<string, string>> },
): Promise<ImageDescription> {
  const { networkOf, buildArguments = {} } = network;
  const all = {
    ...labels,
    ...builtLabels(recipe.scheme, recipe.input, recipe.hashes),
    ...madeFor(directories),
  };
  // All labels in one line of the Dockerfile take one build step.
  const { limits } = user.build;
  const buildId = randomUUID();
  const stages = labelStages(recipe.plan.dockerfile, buildId);
  const dockerfile = [stages.trimEnd(), ...labelLines(all), ''].join('\n');
  return await runtime.buildImage(packContext({ ...recipe.plan, dockerfile }, recipe.entries), {
    reference: tag,
    dockerfile: DOCKERFILE,
    buildId,
    memoryBytes: limits.memoryBytes,
    maxProcesses: limits.processes,
    maxImageBytes: limits.imageBytes,
    // Engines predefine the build arguments for proxies, and therefore keep their values out of the image's
    // layers and history.
    buildArguments: { ...buildArguments, ...recipe.plan.buildArguments },
    ...(networkOf === undefined ? {} : { networkOf }),
    ...(onProgress === undefined ? {} : { onProgress: shown(onProgress, credentials?.mask) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

type OnProgress = NonNullable<BuildOptions['onProgress']>;

/** Masks secrets before the output is shortened, because the mask would not recognize half of a secret. */
function shown(onProgress: OnProgress, mask: OpenCredentials['mask'] | undefined): OnProgress {
  const budget = new OutputBudget();
  return (progress) => {
    if (progress.step !== 'output') {
      onProgress(progress);
      return;
    }
    const text = budget.take(mask === undefined ? progress.text : mask(progress.text));
    if (text !== '') onProgress({ ...progress, text });
  };
}
