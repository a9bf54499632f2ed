import { protectionsOf } from '../run-config/middleware-of.ts';
import { isVirtualServer } from '../run-config/members/is-virtual-server.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import { networkModeOf, type PermissionProfile } from '../permissions/permission-profile.ts';

/** Policies that only measure and protect nothing. */
const MEASURES: readonly string[] = [
  'that calls are traced and measured',
  'that the server knows the trace of a call',
];

interface Protection {
  readonly protects: string;
  readonly only?: 'container';
  readonly isThere: (config: RunConfig) => boolean;
}

const OTHERS: readonly Protection[] = [
  {
    protects: 'for which audience tokens are accepted',
    isThere: ({ oidc_config: oidc }) => (oidc?.Audience ?? '') !== '',
  },
  {
    protects: 'of which clients tokens are accepted',
    isThere: ({ oidc_config: oidc }) => (oidc?.AllowedClients.length ?? 0) > 0,
  },
  {
    protects: 'that the network is isolated',
    only: 'container',
    isThere: ({ isolate_network: isIsolated, permission_profile: profile }) =>
      isIsolated || networkModeOf(profile?.network?.mode).mode === 'none',
  },
  {
    protects: 'where the container may connect to (permission profile)',
    only: 'container',
    isThere: ({ permission_profile: profile }) => isLimited(profile),
  },
  {
    protects: 'that the container is not privileged (permission profile)',
    only: 'container',
    isThere: ({ permission_profile: profile }) => profile?.privileged !== true,
  },
  {
    protects: 'that changed tools wait for an approval',
    isThere: ({ drift, frozen, lock_file: file }) =>
      drift !== 'warn' && (drift !== '' || frozen || file !== ''),
  },
  {
    protects: 'that the signature of the image holds',
    only: 'container',
    isThere: ({ image_verification: mode }) => mode === 'enabled',
  },
];

function isLimited(profile: PermissionProfile | undefined): boolean {
  const { network } = profile ?? {};
  if (networkModeOf(network?.mode).mode === 'none') return true;
  return network !== undefined && network.outbound?.insecure_allow_all !== true;
}

/** Returns what the first run config protects and the second does not, in words such as `who may call it`. */
export function findLostProtections(before: RunConfig, after: RunConfig): readonly string[] {
  const isContainer = [before, after].every((one) => one.remote_url === '' && !isVirtualServer(one));
  const remaining = protectionsOf(after);
  const policies = protectionsOf(before).filter((one) => !remaining.includes(one) && !MEASURES.includes(one));
  const lost = OTHERS.filter(
    ({ only, isThere }) => (only === undefined || isContainer) && isThere(before) && !isThere(after),
  );
  return [...policies, ...lost.map(({ protects }) => protects)];
}
