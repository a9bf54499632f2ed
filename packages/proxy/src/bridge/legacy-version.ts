import { revisionUnknown, isLegacyRevision, LEGACY_REVISIONS } from '@portolan/mcp-protocol';
import { headerOf, type RequestContext } from '../request/request-state.ts';

/** Throws ERR_REVISION_UNSUPPORTED unless the version header names a revision with a handshake. */
export function checkLegacyVersion(ctx: RequestContext): void {
  const version = headerOf(ctx, 'MCP-Protocol-Version');
  if (version !== undefined && !isLegacyRevision(version)) throw revisionUnknown(version, LEGACY_REVISIONS);
}
