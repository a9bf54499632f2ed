import { type ConsentSource, recordGrants } from './grant-audit.ts';
import type { Demands, Grant } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { isTrustedRegistry } from './trusted-registries.ts';
import { consentDenied, consentNeeded, consentRefused } from './consent-errors.ts';
import { type AcceptedGrants, type Asker, changeTrust, isSameAsker, readTrust } from './trust-file.ts';

/** What an entry or a file asks for in one run. */
export interface ConsentRequest {
  readonly asker: Asker;
  /** Image or package of an entry, without its version: another one asks again. Left out for files and remote servers. */
  readonly server?: string;
  readonly demands: Demands;
  /** Lines of grants that the workload has already. */
  readonly given?: readonly string[];
}

/**
 * Decides about the demands of a stranger. Returns false where they are not accepted yet: then nothing
 * that they name may be read, sent or connected to.
 */
export type ConsentGate = (request: ConsentRequest) => Promise<boolean>;

/** A question to a person about all grants of a run. */
export interface ConsentQuestion {
  readonly asker: Asker;
  /** Grants that the user has not allowed yet. */
  readonly grants: readonly Grant[];
}

export type ConsentAnswer = 'once' | 'always' | 'no';

/** How consent is found. */
export interface ConsentOptions {
  /** Asks a person; left out, nobody can be asked. */
  readonly consent?: ((question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentAnswer>) | undefined;
  readonly warn: (text: string) => void;
  /** `--trust`: accepts everything that a person could accept. */
  readonly isTrusted: boolean;
}

/** Returns how consent is found by those who start a workload. */
export function consentOptions({
  observer,
  trust,
}: {
  readonly observer: Pick<ConsentOptions, 'consent' | 'warn'>;
  readonly trust?: boolean | undefined;
}): ConsentOptions {
  const { consent } = observer;
  return { consent, warn: (text) => observer.warn(text), isTrusted: trust === true };
}

type ConsentContext = Pick<WorkloadContext, 'directories' | 'user' | 'clock'>;

/**
 * Returns when everything that a stranger asks for is accepted, and records each
 * grant. Throws ERR_CONSENT_REFUSED for settings that nobody can accept,
 * ERR_CONSENT_NEEDED without a terminal, and ERR_NOT_CONFIRMED.
 */
export async function requireConsent(
  request: ConsentRequest,
  context: ConsentContext,
  options: ConsentOptions,
  signal: AbortSignal,
): Promise<void> {
  const { asker, demands } = request;
  const { grants, refusals } = demands;
  if (refusals.length > 0) throw consentRefused(describeAsker(asker), refusals);
  if (grants.length === 0) return;
  const missing = await findMissingGrants(request, context);
  const isListed = isTrustedRegistry(asker, context.user);
  let source: ConsentSource = isListed ? 'registry' : 'remembered';
  if (missing.length > 0) source = await askFor(asker, missing, options, signal);
  if (source === 'always') await remember(request, context);
  await recordGrants({ asker, grants, source }, context);
}

/** Returns a gate for plans: it asks nobody. The gate throws ERR_CONSENT_REFUSED. */
export function planConsent(context: ConsentContext): ConsentGate {
  return async (request) => {
    const { asker, demands } = request;
    if (demands.refusals.length > 0) throw consentRefused(describeAsker(asker), demands.refusals);
    return (await findMissingGrants(request, context)).length === 0;
  };
}

async function askFor(
  asker: Asker,
  grants: readonly Grant[],
  { consent, warn, isTrusted }: ConsentOptions,
  signal: AbortSignal,
): Promise<ConsentSource> {
  const author = describeAsker(asker);
  if (isTrusted) {
    for (const { line } of grants) warn(`${author} is allowed by --trust: ${line}`);
    return 'trust';
  }
  if (consent === undefined) throw consentNeeded(author, grants);
  const answer = await consent({ asker, grants }, signal);
  if (answer === 'no') throw consentDenied(author);
  return answer;
}

/** Returns the grants that neither a curated registry nor an earlier answer covers. */
export async function findMissingGrants(
  { asker, server = '', demands, given = [] }: ConsentRequest,
  { directories, user }: ConsentContext,
): Promise<readonly Grant[]> {
  if (demands.grants.length === 0 || isTrustedRegistry(asker, user)) return [];
  const { accepted } = await readTrust(directories);
  const own = accepted.filter((one) => isSameAsker(one, asker) && one.server === server);
  const known = new Set([...given, ...own.flatMap(({ grants }) => grants)]);
  return demands.grants.filter(({ line }) => !known.has(line));
}

async function remember(
  { asker, server = '', demands }: ConsentRequest,
  { directories }: ConsentContext,
): Promise<void> {
  const isOwn = (one: AcceptedGrants): boolean => isSameAsker(one, asker) && one.server === server;
  await changeTrust(directories, (trust) => {
    const earlier = trust.accepted.filter(isOwn);
    const lines = [...earlier.flatMap((one) => one.grants), ...demands.grants.map(({ line }) => line)];
    const others = trust.accepted.filter((one) => !isOwn(one));
    return { ...trust, accepted: [...others, { ...asker, server, grants: [...new Set(lines)] }] };
  });
}

/** Returns who asks, for sentences. */
export function describeAsker({ author, name, origin }: Asker): string {
  return author === 'entry' ? `The entry ${name} of ${origin}` : `The file ${name}`;
}
