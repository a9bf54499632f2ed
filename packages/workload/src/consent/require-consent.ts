import { type ConsentSource, recordGrants } from './grant-audit.ts';
import { type Demands, type Grant, isPublicRegistry, type UserSettings } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { consentDenied, consentNeeded, consentRefused } from './consent-errors.ts';
import { type AcceptedGrants, type Asker, changeTrust, isSameAsker, readTrust } from './trust-file.ts';

/** Request for consent to what a registry entry or a file needs in one run. */
export interface ConsentRequest {
  readonly asker: Asker;
  /**
   * Image or package without its version, because a consent applies only to this image or package. Left out
   * for files and remote servers.
   */
  readonly server?: string;
  readonly demands: Demands;
  /** Text lines of the grants that the workload already has; consent for these is not requested again. */
  readonly accepted?: readonly string[];
}

/**
 * Decides about a request for consent. While the gate has not returned true, no code may read, send or
 * connect to anything that the entry or file names.
 */
export type ConsentGate = (request: ConsentRequest) => Promise<boolean>;

export interface ConsentQuestion {
  readonly asker: Asker;
  readonly grants: readonly Grant[];
}

export type ConsentDecision = 'once' | 'always' | 'no';

export interface ConsentOptions {
  /** Asks the user. Left out when there is no terminal. */
  readonly consent?:
    | ((question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentDecision>)
    | undefined;
  readonly warn: (text: string) => void;
  /** Whether the user passed `--trust`, which accepts every grant that a user can accept. */
  readonly isTrusted: boolean;
}

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
 * Asks the user for missing grants and records all grants. Throws ERR_CONSENT_REFUSED for settings that no
 * one can accept, ERR_CONSENT_NEEDED without a terminal, and ERR_NOT_CONFIRMED.
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

/** Returns a gate that never asks the user. The gate throws ERR_CONSENT_REFUSED. */
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
  const consentGiven = await consent({ asker, grants }, signal);
  if (consentGiven === 'no') throw consentDenied(author);
  return consentGiven;
}

/**
 * Returns the grants to which the user must still consent: those not accepted earlier. Returns none for an entry
 * of a trusted registry.
 */
export async function findMissingGrants(
  { asker, server = '', demands, accepted = [] }: ConsentRequest,
  { directories, user }: ConsentContext,
): Promise<readonly Grant[]> {
  if (demands.grants.length === 0 || isTrustedRegistry(asker, user)) return [];
  const trust = await readTrust(directories);
  const own = trust.accepted.filter((one) => isSameAsker(one, asker) && one.server === server);
  const known = new Set([...accepted, ...own.flatMap(({ grants }) => grants)]);
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

export function describeAsker({ author, name, origin }: Asker): string {
  return author === 'entry' ? `The entry ${name} of ${origin}` : `The file ${name}`;
}

/**
 * Returns whether a registry that the user trusts published the entry. The public and the default registry
 * never count as trusted.
 */
function isTrustedRegistry(
  { author, origin }: Asker,
  { trustedRegistries, defaultRegistryUrl }: Pick<UserSettings, 'trustedRegistries' | 'defaultRegistryUrl'>,
): boolean {
  if (author !== 'entry' || isPublicRegistry(origin)) return false;
  const address = normalize(origin);
  if (defaultRegistryUrl !== undefined && normalize(defaultRegistryUrl) === address) return false;
  return trustedRegistries.some((trusted) => normalize(trusted) === address);
}

function normalize(address: string): string {
  return (URL.parse(address)?.href ?? address).replace(/\/+$/, '');
}
