import path from 'node:path';
import { startBackend } from '../groups.ts';
import { ownProxy, type ProxyTarget, program, startTarget, type TargetSource } from '../targets.ts';
import { openPolicyBench, type PolicyBench, type PolicySettings } from './settings.ts';

/**
 * Starts proxies with all policies at once, and with each alone: authentication, authorization, audit,
 * telemetry.
 */
export async function startPolicies(
  source: TargetSource,
  way: 'passed through' | 'bridge',
): Promise<readonly ProxyTarget[]> {
  const bench = await openPolicyBench(source.folder, source.undo);
  const behind =
    way === 'bridge'
      ? ['shared', process.execPath, ...program('echo-stdio.ts')]
      : ['http', (await startBackend(source, [])).origin];
  const { oauth, cedar, observing } = bench;
  const start = policyStarter(source, bench, way, behind);
  return [
    await startTarget(source, 'portolan', (port) => ownProxy(port, ...behind)),
    await start('OpenID Connect', { oauth, middleware: [] }),
    await start('Cedar', { oauth, middleware: cedar }),
    await start('audit and telemetry', { middleware: observing }),
    await start('all', { oauth, middleware: [...observing, ...cedar] }),
  ];
}

const TOOLS = 500;

/** Starts proxies that show a client a part of 500 tools: by name, and by Cedar policies. */
export async function startLists(source: TargetSource): Promise<readonly ProxyTarget[]> {
  const bench = await openPolicyBench(source.folder, source.undo);
  const behind = ['http', (await startBackend(source, [`--tools=${TOOLS}`])).origin];
  const tools = ['echo', ...Array.from({ length: TOOLS / 2 }, (_none, at) => `tool-${2 * at + 1}`)];
  const start = policyStarter(source, bench, 'lists', behind);
  return [
    await startTarget(source, 'portolan', (port) => ownProxy(port, ...behind)),
    await start('--tools', { middleware: [{ kind: 'tool-filter', settings: { tools } }] }),
    await start('Cedar', { oauth: bench.oauth, middleware: bench.cedar }),
  ];
}

type Start = (
  name: string,
  settings: PolicySettings | undefined,
  environment?: Readonly<Record<string, string>>,
) => Promise<ProxyTarget>;

/** Starts proxies in front of one server, each with its own policies or with none. */
export function policyStarter(
  source: TargetSource,
  bench: PolicyBench,
  group: string,
  behind: readonly string[],
): Start {
  return async (name, settings, environment = {}) => {
    const file =
      settings === undefined
        ? undefined
        : await bench.file(`${group} ${name}`.replaceAll(/\W+/g, '-'), settings);
    const argsFor = (port: string): readonly string[] =>
      ownProxy(file === undefined ? port : `${port}=${path.resolve(file)}`, ...behind);
    const { tokenFor } = bench;
    const proof = settings?.oauth === undefined ? {} : { tokenFor };
    return await startTarget(source, name, argsFor, { ...proof, environment });
  };
}
