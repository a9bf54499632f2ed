import type { PublicClient } from '@portolan/plugin-api';
import type { OauthConfig } from './oauth-config.ts';

export function publicClientsOf({ providers = [] }: OauthConfig): readonly PublicClient[] {
  return providers.flatMap(({ issuerUrl, login }) => {
    if (login?.publicClientId === undefined) return [];
    const { publicClientId, scopes, parameters, token } = login;
    const more = Object.keys(parameters).length === 0 ? {} : { parameters };
    return [{ issuer: issuerUrl, clientId: publicClientId, scopes, ...more, token }];
  });
}
