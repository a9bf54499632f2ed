import { unreachable } from '../parse/unreachable.ts';
import { networkModeOf, type PermissionProfile } from './permission-profile.ts';

/**
 * Returns a warning about what a server without isolation can connect to, and about network limits of its
 * profile that have no effect. Undefined with isolation or without a network.
 */
export function describeOpenNetwork(
  profile: PermissionProfile | undefined,
  isIsolated: boolean,
): string | undefined {
  const network = networkModeOf(profile?.network?.mode);
  if (isIsolated || network.mode === 'none') return undefined;
  const hasLimits = profile?.network !== undefined && profile.network.outbound?.insecure_allow_all !== true;
  const limits = hasLimits ? ' The network limits of its permission profile have no effect.' : '';
  switch (network.mode) {
    case 'host':
      return `The server is not isolated: on the network of this machine it can connect to everything that this machine can, services on loopback included.${limits}`;
    case 'named':
      return `The server is not isolated: it can connect to every container of the network ${network.name}, to the internet, and to services of this machine.${limits}`;
    case 'bridge':
      return `The server is not isolated: it can connect to the internet, to the local network, and to services of this machine.${limits}`;
    default:
      return unreachable(network.mode);
  }
}
