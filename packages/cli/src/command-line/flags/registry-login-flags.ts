import { string, strings } from './flag-types.ts';

/** Flags that say how to log in to a registry that does not publish it. */
export const registryLoginFlags = {
  issuer: string({ description: 'authorization server to log in at', helpValue: 'URL' }),
  'client-id': string({
    description: 'client to log in as; left out, the one that the registry publishes, or a new one',
    helpValue: 'ID',
  }),
  'client-secret': string({
    description:
      'name of the secret (`portolan secret set`) of a client that has one; needs --issuer and --client-id',
    helpValue: 'SECRET',
  }),
  audience: string({ description: 'who tokens are to be for; left out, the registry', helpValue: 'TEXT' }),
  scopes: strings({ description: 'scopes to ask for, between commas' }),
};

export interface RegistryLoginFlags {
  readonly issuer?: string | undefined;
  readonly 'client-id'?: string | undefined;
  readonly 'client-secret'?: string | undefined;
  readonly audience?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}
