import { string, strings } from './flag-types.ts';

/** Flags for the login at a registry that does not publish how to log in. */
export const registryLoginFlags = {
  issuer: string({ description: 'issuer URL of the authorization server', helpValue: 'URL' }),
  'client-id': string({
    description: 'OAuth client ID; by default, that of the registry, or a newly registered client',
    helpValue: 'ID',
  }),
  'client-secret': string({
    description:
      'name of the stored secret (`portolan secret set`) with the client secret; needs --issuer and --client-id',
    helpValue: 'SECRET',
  }),
  audience: string({ description: 'audience of the tokens; by default, the registry', helpValue: 'TEXT' }),
  scopes: strings({ description: 'scopes to request, separated by commas' }),
};

export interface RegistryLoginFlags {
  readonly issuer?: string | undefined;
  readonly 'client-id'?: string | undefined;
  readonly 'client-secret'?: string | undefined;
  readonly audience?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}
