import { checkVirtualServer, isVirtualServer } from './members/is-virtual-server.ts';
import { findMiddlewareFaults } from './middleware-of.ts';
import { findOidcFaults } from './oidc-config.ts';
import { findRemoteAuthFaults } from './remote-auth.ts';
import { findCredentialsFaults } from './remote-credentials.ts';
import type { RunConfig } from './run-config.ts';

/** Returns problems with combinations of fields. `checkFields` checks each field separately. */
export function checkRunConfig(config: RunConfig): readonly string[] {
  const { session_store: store, authz_config: authz, authz_config_path: authzPath } = config;
  const faults: readonly (readonly [isWrong: boolean, fault: string])[] = [
    [
      !isVirtualServer(config) && config.image === '' && config.remote_url === '' && config.run_target === '',
      'image: found nothing to run; expected image, remote_url, run_target or members',
    ],
    // A file on another machine may differ or be missing. A run config must therefore contain its content.
    [
      authzPath !== '' && authz === undefined,
      'authz_config_path: found a file alone; expected authz_config beside it, with what stands in the file',
    ],
    [
      store !== '' && (!['', STREAMABLE].includes(config.transport) || config.stateless),
      `session_store: expected it with the transport ${STREAMABLE} alone, and without stateless`,
    ],
    ...(['start', 'stop_after_idle'] as const).flatMap((field) => {
      const isSet = config[field] !== '' && config[field] !== 'eager';
      return [
        [
          isSet && (config.remote_url !== '' || isVirtualServer(config)),
          `${field}: expected it only for a server in a container, because Portolan starts and stops no other`,
        ] as const,
        [isSet && store !== '', `${field}: expected it without session_store`] as const,
      ];
    }),
    [
      config.translate_eras === true &&
        (config.transport === 'sse' || config.proxy_mode === 'sse' || store !== ''),
      'translate_eras: expected true without HTTP+SSE and without session_store',
    ],
  ];
  return [
    ...faults.flatMap(([isWrong, fault]) => (isWrong ? [fault] : [])),
    ...checkOidc(config),
    ...findMiddlewareFaults(config),
    ...findRemoteAuthFaults(config),
    ...findCredentialsFaults(config),
    ...checkVirtualServer(config),
  ];
}

/** Only transport whose sessions several proxies can share. */
const STREAMABLE = 'streamable-http';

function checkOidc({ oidc_config: oidc }: RunConfig): readonly string[] {
  return (oidc === undefined ? [] : findOidcFaults(oidc)).map(
    ({ key, found, expected }) => `oidc_config.${key}: found ${found}; expected ${expected}`,
  );
}
