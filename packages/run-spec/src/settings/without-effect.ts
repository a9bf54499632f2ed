import type { Carries } from '../run-config/transports.ts';
import { flagRow, RUN_FLAG_NAMES, type RunFlagName, type RunFlags, typedFlag } from './run-flags.ts';

export interface EffectFacts {
  readonly flags: RunFlags;
  readonly args: readonly string[];
  readonly runs: 'container' | 'remote';
  /** Whether the workload has a registry entry, whose inputs some container flags fill. */
  readonly hasEntry: boolean;
  /** How the transport carries messages; undefined when it depends on an image that was not inspected. */
  readonly carries: Carries | undefined;
  readonly proxyMode: string | undefined;
  /** Whether the network is isolated; undefined for a remote server. */
  readonly isIsolated: boolean | undefined;
  readonly isStateless: boolean;
  /** Whether callers must send tokens. The metadata for their login then contains the external address. */
  readonly asksForTokens: boolean;
}

interface EffectRow {
  readonly flags: readonly RunFlagName[];
  readonly isIdle: (facts: EffectFacts) => boolean;
  readonly because: string;
}

const OF_CONTAINERS = RUN_FLAG_NAMES.filter((name) => flagRow(name).only === 'container');
const ANSWERS = OF_CONTAINERS.filter((name) => flagRow(name).answersEntry === true);

/**
 * Table of flags without effect, with the reason for each message. The first matching row of a flag applies.
 */
const ROWS: readonly EffectRow[] = [
  {
    flags: OF_CONTAINERS.filter((name) => !ANSWERS.includes(name)),
    isIdle: ({ runs }) => runs === 'remote',
    because: 'a remote server runs in no container',
  },
  {
    flags: ANSWERS,
    isIdle: ({ runs, hasEntry }) => runs === 'remote' && !hasEntry,
    because: 'a remote server runs in no container',
  },
  {
    flags: ['targetHost', 'targetPort', 'targetPath'],
    isIdle: ({ carries }) => carries === 'messages',
    because: 'a server on standard input and output listens on no port',
  },
  {
    flags: ['endpointPrefix'],
    isIdle: ({ proxyMode, asksForTokens }) =>
      proxyMode !== undefined && proxyMode !== 'sse' && !asksForTokens,
    because: 'only clients of HTTP+SSE get endpoint URLs, and nobody needs the metadata of a login',
  },
  {
    flags: ['proxyMode'],
    isIdle: ({ carries }) => carries === 'http',
    because: 'in front of an HTTP server the proxy speaks what the server speaks',
  },
  {
    flags: ['stdioSessions', 'maxSessions'],
    isIdle: ({ carries }) => carries === 'http',
    because: 'only sessions of a server on standard input and output have processes',
  },
  {
    flags: ['sessionTtlMs'],
    isIdle: ({ isStateless }) => isStateless,
    because: 'a stateless server has no sessions',
  },
  {
    flags: ['allowContainerGateway'],
    isIdle: ({ isIsolated }) => isIsolated === false,
    because: 'without network isolation nothing blocks the gateway addresses',
  },
];

/** Returns a warning for each given flag without effect, except for `--flag=false`. */
export function warnWithoutEffect(facts: EffectFacts): readonly string[] {
  const { flags, args, runs } = facts;
  const usedFlags = RUN_FLAG_NAMES.filter((name) => flags[name] !== undefined && flags[name] !== false);
  const ofFlags = usedFlags.flatMap((name) => {
    const row = ROWS.find(({ flags: names, isIdle }) => names.includes(name) && isIdle(facts));
    return row === undefined ? [] : [hasNoEffect(typedFlag(name), row.because)];
  });
  if (runs === 'container' || args.length === 0) return ofFlags;
  return [...ofFlags, hasNoEffect('--', 'a remote server runs in no container')];
}

export function hasNoEffect(what: string, because: string): string {
  return `${what} has no effect: ${because}.`;
}
