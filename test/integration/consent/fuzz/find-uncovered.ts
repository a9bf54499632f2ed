import path from 'node:path';
import type { ContainerSpec } from '@portolan/plugin-api';
import { isPublicAddress } from '@portolan/outbound';
import type { Grant } from '@portolan/run-spec';
import type { Effect } from './effect-recorder.ts';
import { CANARIES } from './random-strangers.ts';

/** Effects of one run, and the grants that a person saw. */
export interface ObservedRun {
  readonly grants: readonly Grant[];
  readonly effects: readonly Effect[];
  /** Specifications of the containers that the run would start. */
  readonly specs: readonly ContainerSpec[];
  /** Texts sent to the engine: build contexts. */
  readonly builds: readonly string[];
  readonly pulls: readonly string[];
  readonly isIsolated: boolean;
}

/** Facts about the false machine. */
export interface FalseMachineFacts {
  readonly home: string;
  readonly workingDirectory: string;
  /** Folders that Portolan itself mounts. */
  readonly ownFolders: readonly string[];
  readonly realPath: (file: string) => string;
  readonly addressOf: (hostname: string) => string;
}

/** Returns a sentence for each effect that no grant covers. */
export function findUncovered(run: ObservedRun, machine: FalseMachineFacts): readonly string[] {
  const covers = coverage(run.grants, machine);
  return [
    ...run.effects.flatMap((effect) => (covers.effect(effect) ? [] : [JSON.stringify(effect)])),
    ...run.specs.flatMap((spec) => covers.spec(spec, run.isIsolated)),
    ...run.builds.flatMap((context) => covers.text(context, undefined)),
    ...run.pulls.filter((image) => !covers.pull(image)).map((image) => `pulls ${image}`),
  ];
}

function coverage(grants: readonly Grant[], machine: FalseMachineFacts) {
  const of = (...kinds: readonly Grant['kind'][]): readonly Grant[] =>
    grants.filter(({ kind }) => kinds.includes(kind));
  const names = (grant: Grant, part: string): boolean =>
    `${grant.line} ${grant.destination ?? ''}`.includes(part);
  const holds = (grant: Grant, file: string): boolean => {
    const [written = ''] = grant.subject.split(' (a link to ');
    const whole = path.resolve(machine.workingDirectory, written.replace(/^~(?=\/|$)/, machine.home));
    return [file, machine.realPath(file)].some((one) =>
      [whole, machine.realPath(whole)].some((folder) => one === folder || one.startsWith(`${folder}/`)),
    );
  };
  const isPublic = (host: string): boolean =>
    isPublicAddress(machine.addressOf(host.replace(/^\[|\]$/g, '')));
  const mayConnect = (host: string, isTls: boolean): boolean =>
    (isTls && isPublic(host)) || grants.some((grant) => names(grant, host));

  /** Canary strings in an outgoing text. `host` is its destination. */
  function text(sent: string, host: string | undefined): readonly string[] {
    const given = (...kinds: readonly Grant['kind'][]): boolean =>
      of(...kinds).some((grant) => host === undefined || names(grant, host));
    const kinds = {
      file: ['read', 'mount', 'build'],
      secret: ['secret'],
      variable: ['variable'],
    } as const;
    return Object.entries(CANARIES)
      .filter(([what, canary]) => sent.includes(canary) && !given(...kinds[what as keyof typeof kinds]))
      .map(([what]) => `gives a ${what} to ${host ?? 'the server'}`);
  }

  function effect(one: Effect): boolean {
    switch (one.did) {
      case 'read':
        return isOfTools(one.path) || of('read', 'mount', 'build').some((grant) => holds(grant, one.path));
      case 'write':
        return false;
      case 'connect':
        return mayConnect(one.host, one.isTls);
      case 'listen':
        return (
          one.port !== 8666 && (isLoopback(one.host) || of('listen').some((grant) => names(grant, one.host)))
        );
      case 'send':
      default:
        return text(one.text, one.host).length === 0;
    }
  }

  function spec(one: ContainerSpec, isIsolated: boolean): readonly string[] {
    const faults = [...text(JSON.stringify([one.command, one.environment, one.labels]), undefined)];
    for (const mount of one.mounts ?? []) {
      if (mount.type !== 'bind' || machine.ownFolders.some((own) => mount.source.startsWith(own))) continue;
      const wanted = of('mount').filter((grant) => holds(grant, mount.source));
      const isWide = !mount.readOnly && !wanted.some(({ line }) => line.startsWith('write '));
      if (wanted.length === 0 || isWide) faults.push(`mounts ${JSON.stringify(mount)}`);
    }
    if (one.privileged === true) faults.push('is privileged');
    const { mode } = one.network ?? { mode: 'bridge' };
    if ((mode === 'host' || mode === 'named') && of('network').length === 0) faults.push(`network ${mode}`);
    const isOpen = mode === 'bridge' && !isIsolated;
    if (isOpen && of('isolation', 'network').length === 0) faults.push('is not isolated');
    for (const port of one.ports ?? []) {
      const isOwn = port.hostPort === undefined && isLoopback(port.hostAddress ?? '');
      if (!isOwn && of('publish').length === 0) faults.push(`publishes ${JSON.stringify(port)}`);
    }
    return faults;
  }

  function pull(reference: string): boolean {
    const [registry = ''] = reference.split('/');
    const isNamed = reference.includes('/') && /[.:]|^localhost$/.test(registry);
    return !isNamed || mayConnect(registry.replace(/:\d+$/, ''), true);
  }

  return { effect, spec, text, pull };
}

/** Files with the index or registry settings of package managers and engines. */
function isOfTools(file: string): boolean {
  return /\/(?:\.npmrc|pip\.conf|uv\.toml|\.netrc|\.docker\/config\.json|go\/env)$/.test(file);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
