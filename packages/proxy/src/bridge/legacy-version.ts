import { revisionUnknown } from '../errors/era-errors.ts';
import { isLegacyRevision, LEGACY_REVISIONS } from '../era/revisions.ts';
import { headerOf, type RequestContext } from '../request-state.ts';

/** Throws ERR_REVISION_UNKNOWN for a version header that names no revision with a handshake. */
export function checkLegacyVersion(ctx: RequestContext): void {
  const version = headerOf(ctx, 'MCP-Protocol-Version');
  if (version !== undefined && !isLegacyRevision(version)) throw revisionUnknown(version, LEGACY_REVISIONS);
}
