import { Flags } from '@oclif/core';

/** Flags of every command that sends requests to a registry server. */
export const serverFlags = {
  url: Flags.string({
    description: 'address of the registry server, such as https://registry.acme.example',
    helpValue: 'URL',
    env: 'PORTOLAN_URL',
  }),
  'token-file': Flags.string({
    description:
      'file with the access token; `-` is standard input. By default: PORTOLAN_TOKEN, else the login',
    helpValue: 'FILE',
    env: 'PORTOLAN_TOKEN_FILE',
  }),
  'ca-cert': Flags.string({
    description: 'additional CA certificates, as PEM',
    helpValue: 'FILE',
  }),
  'allow-insecure': Flags.boolean({
    description: 'allow http to another machine, for all data including the token',
    default: false,
  }),
  timeout: Flags.string({
    description: 'timeout of each request',
    helpValue: 'DURATION',
    default: '30s',
  }),
};

export interface ServerFlags {
  readonly url?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly 'ca-cert'?: string | undefined;
  readonly 'allow-insecure': boolean;
  readonly timeout: string;
}
