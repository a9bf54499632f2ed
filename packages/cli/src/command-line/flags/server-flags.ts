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
      'file with the access token; `-` is standard input. Left out: PORTOLAN_TOKEN, else the login',
    helpValue: 'FILE',
    env: 'PORTOLAN_TOKEN_FILE',
  }),
  'ca-cert': Flags.string({
    description: 'certificates of more authorities to trust, as PEM',
    helpValue: 'FILE',
  }),
  'allow-insecure': Flags.boolean({
    description: 'send everything, the token too, over http to a host that is not this machine',
    default: false,
  }),
  timeout: Flags.string({
    description: 'most time for one answer',
    helpValue: 'DURATION',
    default: '30s',
  }),
};

/** Parsed values of `serverFlags`. */
export interface ServerFlags {
  readonly url?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly 'ca-cert'?: string | undefined;
  readonly 'allow-insecure': boolean;
  readonly timeout: string;
}
