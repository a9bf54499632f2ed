import {
  envelopeInvalid,
  headerMismatch,
  revisionUnsupported,
  transportIsLegacy,
} from '../errors/era-errors.ts';
import { messageInvalid } from '../errors/message-errors.ts';
import { type JsonRecord, memberOf, type Message, metaOf, type RequestMessage } from '../message/message.ts';
import { isJsonObject } from '../message/message.ts';
import { findNameFault } from './mirrored-name.ts';
import { META } from './reserved-keys.ts';
import { isModern, LEGACY_REVISIONS, MODERN_REVISIONS } from './revisions.ts';

const { claim: CLAIM, capabilities: CAPABILITIES, clientInfo: CLIENT_INFO } = META;

export type Era =
  | { readonly era: 'legacy' }
  | { readonly era: 'modern'; readonly revision: string }
  /** Notification of a revision without a handshake: accepted with 202 and not forwarded. */
  | { readonly era: 'modern-notification' };

/** Protocol headers without surrounding blanks; undefined when missing. */
export interface EraHeaders {
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

export interface EraContext {
  readonly inKnownSession: boolean;
  /**
   * Modern revisions (2026-07-28 and later) that the server supports, as far as the proxy knows. Never empty.
   */
  readonly supported: readonly string[];
}

const LEGACY: Era = { era: 'legacy' };

export const NOTHING_KNOWN: EraContext = { inKnownSession: false, supported: MODERN_REVISIONS };

/**
 * Returns the era by the revision in the body, which the headers must match. Throws ERR_HEADER_MISMATCH,
 * ERR_MESSAGE_INVALID and ERR_REVISION_UNSUPPORTED.
 */
export function classifyMessage(message: Message, headers: EraHeaders, context: EraContext): Era {
  const { version } = headers;
  const saysModern = version !== undefined && isModern(version);
  if (message.kind === 'response') {
    if (saysModern) throw messageInvalid(`clients send no responses in revision ${version}`, message.id);
    return LEGACY;
  }
  const meta = metaOf(message.params);
  const claims = meta !== undefined && Object.hasOwn(meta, CLAIM);
  if (message.kind === 'notification') {
    if (claims) checkClaim(meta, version);
    return claims || saysModern ? { era: 'modern-notification' } : LEGACY;
  }
  if (message.method === 'initialize' && !(claims && isModernEnvelope(meta))) {
    if (saysModern) throw headerMismatch(`"initialize" belongs to older revisions than ${version}`);
    return LEGACY;
  }
  if (claims) return classifyClaim(message, meta, headers, context);
  if (saysModern) throw envelopeInvalid(missingOf(meta, version));
  const isStray = hasStrayKey(meta) && version === undefined && !context.inKnownSession;
  if (isStray)
    throw envelopeInvalid(`"${CLAIM}" is missing, although other keys of the envelope are present`);
  return LEGACY;
}

/**
 * Returns the era of a message over HTTP+SSE. Throws ERR_SERVER_IS_LEGACY for revisions without a handshake.
 */
export function classifyOnEvents(message: Message, version: string | undefined): Era {
  if (message.kind === 'response') return LEGACY;
  const meta = metaOf(message.params);
  const claims = meta !== undefined && Object.hasOwn(meta, CLAIM);
  const isGreeting = message.kind === 'request' && message.method === 'initialize';
  const isOfLater = isGreeting
    ? claims && isModernEnvelope(meta)
    : claims || (version !== undefined && isModern(version));
  if (!isOfLater) return LEGACY;
  if (message.kind === 'notification') return { era: 'modern-notification' };
  throw transportIsLegacy(LEGACY_REVISIONS);
}

/** Returns whether the body names a revision, valid or not, so that the message belongs to no session. */
export function hasClaim(message: Message): boolean {
  const meta = message.kind === 'response' ? undefined : metaOf(message.params);
  return meta !== undefined && Object.hasOwn(meta, CLAIM);
}

/**
 * Classifies a request that names its revision in the body. The order of the checks decides which error the
 * client gets.
 */
function classifyClaim(
  message: RequestMessage,
  meta: JsonRecord,
  headers: EraHeaders,
  context: EraContext,
): Era {
  const claim = checkClaim(meta, headers.version);
  if (headers.method !== undefined && headers.method !== message.method) {
    throw headerMismatch(`Mcp-Method differs from the method "${message.method}"`);
  }
  if (!context.supported.includes(claim)) throw revisionUnsupported(claim, context.supported);
  if (headers.version === undefined) throw headerMismatch('MCP-Protocol-Version is missing');
  if (headers.method === undefined) throw headerMismatch('Mcp-Method is missing');
  const nameFault = findNameFault(headers.name, message.method, message.params);
  if (nameFault !== undefined) throw headerMismatch(nameFault);
  return { era: 'modern', revision: claim };
}

/** Throws when the envelope is incomplete or the version header differs. */
function checkClaim(meta: JsonRecord, version: string | undefined): string {
  const fault = findEnvelopeFault(meta);
  if (fault !== undefined) throw envelopeInvalid(fault);
  const claim = String(memberOf(meta, CLAIM));
  if (version !== undefined && version !== claim) {
    throw headerMismatch(`MCP-Protocol-Version is not the "${CLAIM}" of the body`);
  }
  return claim;
}

function findEnvelopeFault(meta: JsonRecord): string | undefined {
  const claim = memberOf(meta, CLAIM);
  if (typeof claim !== 'string' || claim === '') return `"${CLAIM}" is not a revision`;
  if (!isJsonObject(memberOf(meta, CAPABILITIES))) return `"${CAPABILITIES}" is not an object`;
  if (Object.hasOwn(meta, CLIENT_INFO) && !isJsonObject(memberOf(meta, CLIENT_INFO))) {
    return `"${CLIENT_INFO}" is not an object`;
  }
  return undefined;
}

function isModernEnvelope(meta: JsonRecord): boolean {
  return findEnvelopeFault(meta) === undefined && isModern(String(memberOf(meta, CLAIM)));
}

function missingOf(meta: JsonRecord | undefined, version: string): string {
  return meta === undefined
    ? `"params._meta" is missing; ${version} has "${CLAIM}" in it`
    : `"${CLAIM}" is missing in "params._meta"`;
}

function hasStrayKey(meta: JsonRecord | undefined): boolean {
  return meta !== undefined && (Object.hasOwn(meta, CLIENT_INFO) || Object.hasOwn(meta, CAPABILITIES));
}
