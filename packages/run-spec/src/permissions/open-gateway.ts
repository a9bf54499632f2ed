import { networkModeOf, type PermissionProfile } from './permission-profile.ts';

interface GatewayFacts {
  readonly isIsolated: boolean;
  /** `--allow-container-gateway`. */
  readonly isAllowed: boolean;
  /** Whether the operating system can list the ports of its services. Default: true on Linux. */
  readonly listsServices?: boolean;
}

/**
 * Returns a warning with the ports on which an isolated server can reach this host. Undefined when the
 * gateway is closed, or without isolation.
 */
export function describeOpenGateway(
  profile: PermissionProfile | undefined,
  { isIsolated, isAllowed, listsServices = process.platform === 'linux' }: GatewayFacts,
): string | undefined {
  const network = profile?.network;
  if (!isIsolated || !isAllowed || networkModeOf(network?.mode).mode !== 'bridge') return undefined;
  const listed = network?.outbound?.allow_port ?? [];
  const ports = (listed.length > 0 ? listed : [80, 443]).join(', ');
  const open = listsServices
    ? `every TCP port on which a service of this host listens, and on ${ports}`
    : `the TCP ports ${ports}`;
  return (
    `The container gateway is open: host.docker.internal on ${open}; allow_port of the permission profile adds others. ` +
    'The address, such as 172.17.0.1, is open through the proxy variables only: let programs connect to the name.'
  );
}
