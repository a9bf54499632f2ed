import type { ContainerDescription, HostedServerDescription, JsonObject } from '@portolan/plugin-api';
import { type RunConfig, runConfigDocument, textOf } from '@portolan/run-spec';
import { ownLabels, roleOf } from '../../../state/workload-labels.ts';
import { runtimeIdOf } from '../../../state/directories.ts';
import type { WorkloadState } from '../../../state/workload-state.ts';
import { logFilesOf } from '../../../state/log-files.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { describeWorkload } from './describe-workload.ts';

/**
 * Returns everything known about a workload, without secrets and values of variables. Throws
 * ERR_WORKLOAD_UNKNOWN.
 */
export async function inspectWorkload(
  name: string,
  context: WorkloadContext,
  signal?: AbortSignal,
): Promise<JsonObject> {
  const description = await describeWorkload(name, context, signal);
  const stored = await context.store.find(name);
  const { config, state, faults = [] } = stored ?? {};
  return toJson({
    ...description,
    faults,
    state: state === undefined ? undefined : stateDocument(state),
    run_config: config === undefined ? undefined : withoutValues(config),
    egress: config === undefined ? undefined : egressOf(config),
    files: {
      logs: logFilesOf(name, context.directories),
      runtime: `${context.directories.runtime}/${runtimeIdOf(name, context.directories)}`,
    },
    ...(description.remote ? {} : await engineParts(name, context, signal)),
  });
}

function stateDocument(state: WorkloadState): object {
  return {
    status: state.status,
    status_context: state.statusContext,
    updated_at: state.updatedAt.toISOString(),
    supervisor: state.supervisor,
    instance: state.instance,
    image_digest: state.imageDigest,
    writable_root: state.writableRoot,
  };
}

/** Returns the run config without values of variables, which may be undeclared secrets. */
function withoutValues(config: RunConfig): object {
  const document = runConfigDocument(config);
  return 'env_vars' in document ? { ...document, env_vars: Object.keys(config.env_vars) } : document;
}

function egressOf({ isolate_network: isolated, permission_profile: profile, ...config }: RunConfig): object {
  if (!isolated) return { isolated };
  const { network } = profile ?? {};
  const outbound = network === undefined ? { insecure_allow_all: true } : (network.outbound ?? {});
  return { isolated, allow_container_gateway: config.allow_docker_gateway, outbound };
}

async function engineParts(
  name: string,
  context: WorkloadContext,
  signal: AbortSignal | undefined,
): Promise<object> {
  try {
    const runtime = await context.kinds.openRuntime();
    const labels = ownLabels(name, context.directories);
    if (runtime.runs === 'workloads') {
      const servers = await runtime.host.listServers(labels, signal);
      return { host: await runtime.host.describe(signal), servers: servers.map(serverDocument) };
    }
    const containers = await runtime.engine.listContainers(labels, signal);
    return { engine: await runtime.engine.describe(signal), containers: containers.map(containerDocument) };
  } catch (error) {
    signal?.throwIfAborted();
    return { engine: { fault: textOf(error) }, containers: [] };
  }
}

function containerDocument(container: ContainerDescription): object {
  const { id, name, image, imageId, labels, state, networks, ports } = container;
  return { id, name, role: roleOf(labels), image, image_id: imageId, state, networks, ports };
}

function serverDocument({ id, name, image, running, createdAt }: HostedServerDescription): object {
  return { id, name, image, running, created_at: createdAt };
}

function toJson(value: object): JsonObject {
  // Serializing and parsing an object gives an object.
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
