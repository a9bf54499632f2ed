import { stringArray } from './flag-types.ts';

const REMOTE = { helpGroup: 'REMOTE SERVER' };

/** Flags of `run` for a server at a URL. */
export const remoteFlags = {
  'remote-forward-headers': stringArray({
    ...REMOTE,
    description: 'header to send to the remote server; repeatable',
    helpValue: 'NAME=VALUE',
  }),
  'remote-forward-headers-secret': stringArray({
    ...REMOTE,
    description: 'header whose value is a secret of the secret store; repeatable',
    helpValue: 'NAME=SECRET',
  }),
};
