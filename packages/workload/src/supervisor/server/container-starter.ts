import { fillInlineSecrets, type RunConfig } from '@portolan/run-spec';
import type {
  Attachment,
  ContainerMount,
  ContainerSpec,
  EngineDescription,
  ImageDescription,
  ContainerEngine,
  Transport,
} from '@portolan/plugin-api';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkContainerSpec } from '../container/check-container-spec.ts';
import { checkMounts } from '../container/check-mounts.ts';
import { draftContainer, hardeningOf, mountsOf } from '../container/plan-container.ts';
import type { ContainerFacts } from '../container/container-user.ts';
import {
  type MountPaths,
  requireSamePaths,
  resolveMounts,
  withRealPaths,
} from '../container/resolve-mounts.ts';
import { settleContainer, type SettleRules } from '../container/settle-container.ts';
import { withVolumeLabels, workloadLabels, type WorkloadRole } from '../../state/workload-labels.ts';
import { removeForCertain, isUnreachable } from './engine-calls.ts';
import type { FindOverlays } from './open-overlays.ts';
import type { Supervision } from '../supervision.ts';
import type { SessionNetwork } from '../network/session-network.ts';
import type { JoinableNetwork, WorkloadNetwork } from '../network/workload-network.ts';

/** Iterations of the event loop until a request is sent: one to connect, one to write, one in reserve. */
const TURNS_TO_SEND = 3;

/** Running container whose output was attached before it started. */
export interface StartedContainer {
  readonly id: string;
  readonly name: string;
  readonly attachment: Attachment;
  /**
   * Network that only this container uses. The owner of the container closes the network after the container
   * is gone.
   */
  readonly network?: SessionNetwork | undefined;
  readonly writableRoot: boolean;
}

export interface StarterParts {
  readonly runtime: ContainerEngine;
  readonly engine: EngineDescription;
  readonly image: ImageDescription;
  readonly transport: Transport;
  readonly network: WorkloadNetwork | undefined;
  /**
   * Opens a network for one session, named after the session's container. Undefined when all processes share
   * the workload's network.
   */
  readonly openSessionNetwork: ((name: string, signal: AbortSignal) => Promise<SessionNetwork>) | undefined;
  readonly serves: 'session' | 'shared';
  readonly findOverlays: FindOverlays;
  readonly publishAddress: string;
}

interface ContainerRequest {
  readonly name: string;
  readonly role: WorkloadRole;
  readonly overlays: readonly ContainerMount[];
  readonly created: (() => void) | undefined;
}

export class ContainerStarter {
  readonly parts: StarterParts;
  readonly #work: Supervision;
  /**
   * Whether the server failed with a read-only root folder, so that its next containers get a writable one.
   */
  writableRoot: boolean;
  #mountPaths: MountPaths;

  constructor(work: Supervision, parts: StarterParts, writableRoot: boolean) {
    this.#work = work;
    this.parts = parts;
    this.writableRoot = writableRoot;
    this.#mountPaths = work.state.mountPaths;
  }

  /**
   * Plans a container, runs plugins on the plan, and starts the container. Calls `created` when all that
   * remains is to wait for the engine. If a step throws, no container is left behind.
   */
  async start(
    name: string,
    role: WorkloadRole,
    signal: AbortSignal,
    created?: () => void,
  ): Promise<StartedContainer> {
    const overlays = await this.parts.findOverlays(signal);
    if (role !== 'session' || this.parts.openSessionNetwork === undefined) {
      return await this.#startIn(
        await this.parts.network?.current(),
        { name, role, overlays, created },
        signal,
      );
    }
    const network = await this.parts.openSessionNetwork(name, signal);
    try {
      const started = await this.#startIn(network.joinable, { name, role, overlays, created }, signal);
      return { ...started, network };
    } catch (error) {
      await network.close();
      throw error;
    }
  }

  async #startIn(
    gateway: JoinableNetwork | undefined,
    { name, role, overlays, created }: ContainerRequest,
    signal: AbortSignal,
  ): Promise<StartedContainer> {
    const { runtime } = this.parts;
    const spec = await this.#plan(name, role, gateway, overlays);
    this.#logPlan(spec, role);
    const id = await runtime.createContainer(spec, signal);
    let attachment: Attachment | undefined;
    try {
      attachment = await attachInNetwork(runtime, id, gateway, signal);
      if (gateway === undefined) {
        await Promise.all([runtime.startContainer(id, signal), onceSent(created)]);
      } else {
        created?.();
        await gateway.ready();
        await runtime.startContainer(id, signal);
      }
      this.#work.lifecycle.begin();
      return { id, name, attachment, writableRoot: spec.writableRoot === true };
    } catch (error) {
      attachment?.close();
      await removeForCertain(runtime, id, this.#work.context.logger);
      throw error;
    }
  }

  /**
   * Logs the plan with the names of variables only, since values of variables and arguments may be secret.
   */
  #logPlan(
    { name, image, mounts, network, ports, user, writableRoot, environment }: ContainerSpec,
    role: WorkloadRole,
  ): void {
    const variables = Object.keys(environment ?? {});
    const fields = {
      container: name,
      role,
      image,
      mounts,
      network,
      ports,
      user,
      writable_root: writableRoot,
      variables,
    };
    this.#work.context.logger.debug(fields, 'container planned');
  }

  async #plan(
    name: string,
    role: WorkloadRole,
    gateway: JoinableNetwork | undefined,
    overlays: readonly ContainerMount[],
  ): Promise<ContainerSpec> {
    const { config, context, order } = this.#work;
    const { image } = this.parts;
    const facts: ContainerFacts = {
      ...this.parts,
      name,
      labels: workloadLabels(config, role, context.directories),
      secrets: order.secrets,
      gateway,
      overlays,
      paths: context,
      caller: ownUser(),
      writableRoot: this.writableRoot,
    };
    const planned = draftContainer(withInlineSecrets(config, order.policySecrets), facts);
    await checkMounts(planned.mounts ?? []);
    const mounts = withRealPaths(planned.mounts ?? [], await this.#requireMounts());
    const draft = { ...planned, mounts: withVolumeLabels(mounts, config.name, context.directories) };
    const hardening = hardeningOf(config, facts);
    const check: SettleRules['check'] = (before, changed, plugin) =>
      checkContainerSpec(before, changed, { imageUser: image.user, plugin });
    return await settleContainer(context.hooks, draft, { hardening, check });
  }

  /**
   * Returns the real paths of the workload's mounts, and records the paths of new mounts. Throws
   * ERR_MOUNT_MISSING and ERR_MOUNT_CHANGED.
   */
  async #requireMounts(): Promise<MountPaths> {
    const { config, context, record } = this.#work;
    const mounts = await resolveMounts(mountsOf(config.permission_profile, context));
    requireSamePaths(mounts, this.#mountPaths);
    const mountPaths = { ...mounts, ...this.#mountPaths };
    if (Object.keys(mountPaths).length > Object.keys(this.#mountPaths).length) {
      this.#mountPaths = mountPaths;
      record.note((state) => ({ ...state, mountPaths }));
    }
    return mounts;
  }
}

/**
 * Calls `told` once the request to the engine has been sent, because `told` blocks the event loop for a
 * while.
 */
async function onceSent(told: (() => void) | undefined): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_SEND; turn += 1) await nextTurn();
  told?.();
}

function ownUser(): { readonly uid: number; readonly gid: number } | undefined {
  const { getuid, getgid } = process;
  return getuid === undefined || getgid === undefined ? undefined : { uid: getuid(), gid: getgid() };
}

/**
 * Returns the run config with secrets in clear text in its arguments, for starting one container. The result
 * is never written to disk.
 */
function withInlineSecrets(config: RunConfig, secrets: Readonly<Record<string, string>>): RunConfig {
  const { cmd_args: args, inline_secrets: references } = config;
  return { ...config, cmd_args: args.map((text) => fillInlineSecrets(text, references, secrets)) };
}

/**
 * Attaches to a container before its start. On Podman this fails until the gateway whose network the
 * container joins is running. Therefore the function waits for the gateway and retries once. Throws what the
 * engine throws, or why there is no gateway.
 */
export async function attachInNetwork(
  runtime: Pick<ContainerEngine, 'attachContainer'>,
  id: string,
  gateway: Pick<JoinableNetwork, 'ready'> | undefined,
  signal: AbortSignal,
): Promise<Attachment> {
  try {
    return await runtime.attachContainer(id, signal);
  } catch (error) {
    if (gateway === undefined || isUnreachable(error) || signal.aborted) throw error;
    await gateway.ready();
    return await runtime.attachContainer(id, signal);
  }
}
