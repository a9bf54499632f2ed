import { string } from './flag-types.ts';

export const lookupFlags = {
  url: string({
    description: 'registry in which to look up names; overrides `config set-registry`',
    helpValue: 'URL',
  }),
  'token-file': string({
    description:
      'file with the access token for the registry; overrides PORTOLAN_REGISTRY_TOKEN_FILE and the login',
    helpValue: 'FILE',
  }),
};

export interface LookupFlags {
  readonly url?: string | undefined;
  readonly 'token-file'?: string | undefined;
}
